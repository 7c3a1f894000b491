module github.com/dossierhq/dossier/pkg/rules/compare

go 1.26.0

replace github.com/dossierhq/dossier => ../../..

require (
	cel.dev/cel-go v0.33.2
	github.com/dossierhq/dossier v0.0.0-00010101000000-000000000000
	github.com/expr-lang/expr v1.17.8
)

require (
	cel.dev/expr v0.25.1 // indirect
	github.com/agnivade/levenshtein v1.2.1 // indirect
	github.com/antlr4-go/antlr/v4 v4.13.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240826202546-f6391c0de4c7 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
