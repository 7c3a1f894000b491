package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// logKeys lists the keys of log lines. A thing has one key, in every line that names it.
var logKeys = []string{
	// ids
	"requestId", "lambdaRequestId", "queueMessageId", "traceId", "companyId", "candidateId",
	"candidateDocumentTypeId", "documentId", "documentTypeId", "integrationId",
	"principalKind", "principalId",
	// a request
	"client", // a keyed hash of the address
	"method", "route", "status", "code", "bytes", "durationMs",
	"part", // the key of the file that was downloaded: ids only
	// a task, and the sweep
	"kind", "item", "due", "left", "oldestSeconds", "count",
	"reason", // why an integration was disabled
	// the start of the standalone process
	"address", "noFiles", "noNetwork", "noPrograms", "noPrivileges",
	"formatBefore", "format", "file", // a table of an older format
	"error", // whatever failed
}

// TestLogKeys checks that log lines have no other keys, and that each listed key is in use.
func TestLogKeys(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	each(t, ".go", func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			for _, key := range keysOf(call) {
				literal, ok := key.(*ast.BasicLit)
				if !ok {
					t.Errorf("%s: the key of a log line is not a literal", files.Position(key.Pos()))
					continue
				}
				name, _ := strconv.Unquote(literal.Value)
				used[name] = true
				if !slices.Contains(logKeys, name) {
					t.Errorf("%s: %q is not a key of log lines", files.Position(key.Pos()), name)
				}
			}
			return true
		})
	})
	for _, key := range logKeys {
		if !used[key] {
			t.Errorf("no log line has the key %q", key)
		}
	}
}

// keysOf returns the keys that a call of log/slog gives to a line: that of an attribute, or every
// other argument behind the message.
func keysOf(call *ast.CallExpr) []ast.Expr {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	receiver := ""
	switch x := method.X.(type) {
	case *ast.Ident:
		receiver = x.Name
	case *ast.SelectorExpr:
		receiver = x.Sel.Name
	}
	attributes := []string{"String", "Int", "Int64", "Bool", "Any", "Duration", "Float64", "Time"}
	if receiver == "slog" && slices.Contains(attributes, method.Sel.Name) {
		return call.Args[:1]
	}
	before := map[string]int{"Debug": 1, "Info": 1, "Warn": 1, "Error": 1, "DebugContext": 2,
		"InfoContext": 2, "WarnContext": 2, "ErrorContext": 2, "Log": 3}[method.Sel.Name]
	if before == 0 || !strings.EqualFold(receiver, "log") && receiver != "slog" {
		return nil
	}
	var keys []ast.Expr
	for n := before; n < len(call.Args); n += 2 {
		keys = append(keys, call.Args[n])
	}
	return keys
}
