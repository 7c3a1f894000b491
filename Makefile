.DEFAULT_GOAL := help

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z][a-z0-9-]*:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: bin/dossier ## build and start the standalone process; ctrl-C ends it
	@exec bin/dossier serve

.PHONY: demo
demo: bin/dossier ## play the main job in this terminal, on data that is deleted after
	@bin/dossier demo

.PHONY: bin/dossier
bin/dossier:
	$(plain) go build -o $@ ./functions/standalone

# The Lambda layers that read pictures.
layers = build/layer-ocr/arm64.zip build/layer-ocr/x86_64.zip

# The flags with which the functions are built too, so that what they import is compiled once.
plain = CGO_ENABLED=0 GOFLAGS="$(GOFLAGS) -trimpath"

.PHONY: test
test: lint openapi tools browser debian template clients $(layers) ## everything that has to hold: lint, unit, contract and end-to-end tests
	go test -race -vet=off -timeout 25m ./...
	go test -vet=off -timeout 25m -run '^(TestHostilePictures|TestWriteConditions)$$' ./pkg/check ./pkg/worker/chaos
	$(MAKE) --no-print-directory schemathesis e2e

.PHONY: unit
unit: ## the fast loop, under a minute when warm: needs Go only, leaves out every test that needs more or takes long
	$(plain) go vet ./...
	$(plain) go test -short -timeout 3m ./...

.PHONY: lint
lint: ## gofmt, go vet, staticcheck, revive and misspell
	@files="$$(gofmt -l client functions pkg)"; test -z "$$files" || { echo "gofmt: $$files"; exit 1; }
	$(plain) go build -o .tools/staticcheck honnef.co/go/tools/cmd/staticcheck
	$(raced) go vet ./...
	$(raced) .tools/staticcheck ./...
	cd .ci/lint && $(plain) go build -o ../../.tools/ github.com/mgechev/revive github.com/golangci/misspell/cmd/misspell
	.tools/revive -config .ci/lint/revive.toml ./...
	git ls-files '*.go' '*.md' '*.html' | xargs .tools/misspell -error -i $(not_misspelt)

.PHONY: vulncheck
vulncheck: ## look up known vulnerabilities of what is linked; its database, vuln.go.dev, has to be reached
	cd .ci/vulncheck && $(plain) go build -o ../../.tools/ golang.org/x/vuln/cmd/govulncheck
	.tools/govulncheck ./...

.PHONY: notice
notice: ## write NOTICE anew: the licences of all linked modules
	cd .ci/licences && $(plain) go build -o ../../.tools/ github.com/google/go-licenses
	.ci/licences/notice.sh

.PHONY: sbom
sbom: ## list what each program is built from, in CycloneDX's format, in build/sbom
	cd .ci/licences && $(plain) go build -o ../../.tools/ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
	rm -rf build/sbom && mkdir -p build/sbom
	@set -e; for program in functions/* pkg/check/child/parser; do \
		name=$$(basename $$program); CGO_ENABLED=0 GOOS=linux go build -trimpath -o build/sbom/$$name ./$$program; \
		.tools/cyclonedx-gomod bin -json -licenses -std -version "$$(git describe --always --dirty)" \
			-output build/sbom/$$name.cdx.json build/sbom/$$name; rm build/sbom/$$name; done
	@ls build/sbom

# Words of tests and of other languages that look like misspelt English.
not_misspelt := decembre,nmae,nationalty,momento,adres,appareil,exemple,nationalit

.PHONY: openapi
openapi: .tools/openapi/.stamp ## lint the OpenAPI document with the Redocly CLI and Spectral (needs npm)
	.ci/openapi/lint.sh

# What npm installs, without the scripts of packages: one of them reports the installation to its
# makers.
.tools/%/.stamp: .ci/%/package-lock.json
	@$(need_npm)
	mkdir -p $(@D)
	cp $(<D)/package.json $< $(@D)
	cd $(@D) && $(npm_ci) --ignore-scripts
	touch $@

need_npm = command -v npm >/dev/null || { echo "$(@D) needs npm, which comes with Node.js" >&2; exit 1; }
npm_ci = npm ci --silent --no-audit --no-fund --no-update-notifier

# The flags of the tests, so that what they import is compiled for them and for nothing else.
raced = GOFLAGS="$(GOFLAGS) -race"

.PHONY: schemathesis
schemathesis: bin/dossier ## hold the standalone process against its OpenAPI document, with requests that a foreign tool makes up
	.ci/schemathesis/run.sh

.PHONY: client
client: bin/dossier .tools/client/.stamp ## do the main job with a client that a foreign generator makes of the OpenAPI document (needs npm)
	.ci/client/run.sh

.PHONY: clients
clients: .tools/client/.stamp .tools/venv-client/.stamp ## read the golden events with generated clients (needs npm, python3)
	.ci/client/events.sh

dynamodb_local := .tools/dynamodb-local

.PHONY: tools
tools: $(dynamodb_local)/.stamp ## fetch what the tests need beside Go: DynamoDB Local (needs mvn, and java 17 to run it)

# Copied beside the old one and then moved, so that an interrupted copy is never taken for a whole one.
$(dynamodb_local)/.stamp: .ci/dynamodb-local/pom.xml
	rm -rf $(dynamodb_local) $(dynamodb_local).part
	mvn --batch-mode --quiet --file $< org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(dynamodb_local).part/lib
	mv $(dynamodb_local).part $(dynamodb_local)
	touch $@

.PHONY: browser
browser: .tools/browser/.stamp ## fetch what the tests of the pages need: Chromium (by apt, where there is none) and axe-core (needs npm)

.tools/browser/.stamp: .ci/browser/package-lock.json
	command -v chromium chromium-browser google-chrome >/dev/null || test -n "$$DOSSIER_BROWSER" || \
		{ apt-get -qq update && apt-get -qq install --no-install-recommends chromium; }
	@$(need_npm)
	mkdir -p $(@D)
	cp .ci/browser/package.json .ci/browser/package-lock.json $(@D)
	cd $(@D) && $(npm_ci)
	touch $@

.PHONY: debian
debian: .tools/debian/.stamp ## fetch what the tests of operating and of pictures need, by apt where it is missing: a Prometheus server, systemd-analyze, Tesseract, poppler, libtiff's and libheif's tools

.tools/debian/.stamp: Makefile
	mkdir -p $(@D) .tools/prometheus
	command -v tesseract >/dev/null || { apt-get -qq update && apt-get -qq install --no-install-recommends tesseract-ocr; }
	command -v pdftotext >/dev/null || { apt-get -qq update && apt-get -qq install --no-install-recommends poppler-utils; }
	command -v tiff2pdf >/dev/null || { apt-get -qq update && apt-get -qq install --no-install-recommends libtiff-tools; }
	command -v heif-enc >/dev/null || { apt-get -qq update && apt-get -qq install --no-install-recommends libheif-examples; }
	command -v systemd-analyze >/dev/null || { apt-get -qq update && apt-get -qq install --no-install-recommends systemd; }
	command -v prometheus >/dev/null || test -x .tools/prometheus/usr/bin/prometheus || { apt-get -qq update && cd .tools/prometheus && \
		apt-get -qq -o APT::Sandbox::User=root download prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb; }
	touch $@

.PHONY: screens
screens: browser ## take a screenshot of each page, light, dark and narrow, into build/screens
	go test -count=1 -run Screens ./pkg/web -args -screens $(CURDIR)/build/screens

.PHONY: pictures
pictures: browser ## take the pictures of the documentation anew
	go test -count=1 -run Pictures ./pkg/web -args -pictures $(CURDIR)/docs/pictures

# ------------------------------------------------------------------------------------------------------------- the figures

.PHONY: scaling
scaling: ## simulate 1,000 and 10,000 documents a second against AWS's published limits (docs/scaling.md)
	go test -run '^$$' -bench Scaling -benchtime 1x -count 1 ./pkg/app/figures

.PHONY: bench
bench: tools debian ## print what the service costs, each figure beside its target; keep the machine quiet meanwhile
	go test -run '^$$' -bench Figure -benchtime 1x -count 1 -timeout 20m ./pkg/app/figures
	go test -run '^$$' -bench Figure -benchtime 1x -count 1 ./pkg/check
	cd pkg/rules/compare && go test -run '^$$' -bench Figure3 -benchtime 1x -count 1 .

# ---------------------------------------------------------------------------------------------------------------- on AWS

venv_sam := .tools/venv-sam
venv_ministack := .tools/venv-ministack
sam := SAM_CLI_TELEMETRY=0 $(venv_sam)/bin/sam

# Two environments, because SAM CLI and the emulated AWS need different versions of the same packages.
.tools/venv-%/.stamp: .ci/requirements-%.txt
	rm -rf $(@D)
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --no-compile --disable-pip-version-check --requirement $<
	touch $@

.PHONY: tools-aws
tools-aws: $(venv_sam)/.stamp $(venv_ministack)/.stamp ## fetch SAM CLI and the emulated AWS (needs python3 with venv)

.PHONY: template
template: $(venv_sam)/.stamp ## check template.yaml with SAM CLI and cfn-lint
	$(sam) validate --lint --region eu-west-1
	$(venv_sam)/bin/cfn-lint template.yaml
	$(venv_sam)/bin/cfn-lint --regions us-east-1 -- deploy/front.yaml

# The version that /healthz of the stack answers. SAM CLI builds in a copy without the repository and passes the environment on.
VERSION ?= $(or $(shell git describe --tags --always --dirty 2>/dev/null),unknown)

.PHONY: build
build: export VERSION := $(VERSION)
build: $(venv_sam)/.stamp ## build the functions for AWS (GOARCH=amd64 for x86_64)
	$(go_build) ./functions/... # compiles once what all have in common; SAM CLI then links one after the other
	$(sam) build --parameter-overrides Architecture=$(lambda_arch)

.PHONY: deploy
deploy: build ## deploy the stack of samconfig.toml into the account of your AWS credentials; PARAMETERS="Name=value ..." are its parameters
	$(sam) deploy --parameter-overrides Architecture=$(lambda_arch) $(PARAMETERS)

.PHONY: layer-ocr
layer-ocr: ## build the Lambda layer that reads pictures, for arm64 and x86_64, from Debian's packages of today (needs apt), into build/layer-ocr
	go run ./pkg/app/ocrlayer -out build/layer-ocr

build/layer-ocr/%.zip: pkg/app/ocrlayer/main.go pkg/app/ocrlayer/fetch.go pkg/app/ocrlayer/layer.go
	go run ./pkg/app/ocrlayer -out $(@D) -only $*

.PHONY: e2e
e2e: $(venv_sam)/.stamp $(venv_ministack)/.stamp build/layer-ocr/x86_64.zip ## deploy the stack onto an emulated AWS and do the main job there
	go test -tags e2e -count=1 -timeout 12m ./pkg/app/e2e

# The functions run on arm64 unless GOARCH=amd64 is set.
GOARCH ?= arm64
lambda_arch := $(if $(filter amd64,$(GOARCH)),x86_64,arm64)

# What `sam build` calls for each function; ARTIFACTS_DIR is where it wants the binary. No version stamp but in
# the function that answers /healthz: what did not change stays the same file, and is not deployed again. Without HTTP/2 a binary is 0.3 MB smaller: AWS's endpoints
# are spoken to in HTTP/1.1, and so are webhook targets, which the standalone process calls in HTTP/2 if they like.
go_build = CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go build -trimpath -buildvcs=false -tags lambda.norpc,nethttpomithttp2 -ldflags '-s -w $(stamp)'
build_function = $(go_build) -o $(ARTIFACTS_DIR)/bootstrap ./functions/$(1)

build-CandidatesFunction:
	$(call build_function,candidates)
build-MessagesFunction:
	$(call build_function,messages)
build-DocumentsFunction:
	$(call build_function,documents)
build-DocumentTypesFunction:
	$(call build_function,documenttypes)
build-ScenariosFunction:
	$(call build_function,scenarios)
build-RegistrationPagesFunction:
	$(call build_function,registrationpages)
build-IntegrationsFunction:
	$(call build_function,integrations)
build-SettingsFunction: stamp = $(and $(VERSION),-X github.com/dossierhq/dossier/pkg/app.stamp=$(VERSION))
build-SettingsFunction:
	$(call build_function,settings)
build-WebFunction:
	$(call build_function,web)
build-CheckFunction:
	$(call build_function,check)
	$(go_build) -o $(ARTIFACTS_DIR)/parser ./pkg/check/child/parser
build-RulesFunction:
	$(call build_function,rules)
build-DispatchFunction:
	$(call build_function,dispatch)
build-DeliverFunction:
	$(call build_function,deliver)
build-SweepFunction:
	$(call build_function,sweep)
build-ProvisionFunction:
	$(call build_function,provision)

# ------------------------------------------------------------------------------------------------- nothing lost, nothing twice

.PHONY: chaos
chaos: ## the proofs of reliability in full size: 10,000 seeds, crash matrix, lock, outage, kill -9, back-pressure, the model of the contract
	go test -v -count=1 -parallel 1 -timeout 60m ./pkg/worker/chaos -args -full
	go test -v -count=1 -timeout 10m ./pkg/app/command -args -full
	go test -v -count=1 -timeout 60m ./pkg/app/model -args -full

.PHONY: recognition
recognition: debian ## read PICTURES made pictures, or those that TIME is enough for, print what passes, what goes to review and what passes wrongly, and draw it; what was read before is kept in build/recognition
	mkdir -p docs/figures
	go test -v -count=1 -timeout 12h -run 'TestGrid$$' ./pkg/check -args -grid $(PICTURES) -for $(TIME) -kept $(CURDIR)/build/recognition \
		-figure $(CURDIR)/docs/figures/recognition.svg

PICTURES ?= 5000
TIME ?= 11h

.PHONY: mutants
mutants: tools ## plant small bugs in PACKAGES one by one, and print how many of them the tests find; takes an hour
	cd .ci/mutants && $(plain) go build -o ../../.tools/ .
	nice -n 19 .tools/mutants $(PACKAGES)

PACKAGES ?= dossier rules store worker webhook httpapi
