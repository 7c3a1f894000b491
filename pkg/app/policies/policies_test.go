package policies

import (
	"debug/elf"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dossierhq/dossier/pkg/app/templatetest"
	"github.com/dossierhq/dossier/pkg/httpapi"
	"github.com/dossierhq/dossier/pkg/kv"
	"github.com/google/go-cmp/cmp"
)

// needs are the actions that each call of an SDK client needs.
var needs = map[string][]string{
	"dynamodb.GetItem":      {"dynamodb:GetItem"},
	"dynamodb.BatchGetItem": {"dynamodb:BatchGetItem"},
	"dynamodb.Query":        {"dynamodb:Query"},
	"dynamodb.PutItem":      {"dynamodb:PutItem"},
	"dynamodb.DeleteItem":   {"dynamodb:DeleteItem"},
	// There is no action for the transaction itself, but one for each kind of write in it.
	"dynamodb.TransactWriteItems": {"dynamodb:PutItem", "dynamodb:DeleteItem",
		"dynamodb:ConditionCheckItem"},
	"eventbridge.PutEvents": {"events:PutEvents"},
	"sqs.SendMessageBatch":  {"sqs:SendMessage"},
	"s3.PutObject":          {"s3:PutObject"},
	"s3.CopyObject":         {"s3:GetObjectVersion", "s3:PutObject"},
	"s3.GetObject":          {"s3:GetObjectVersion"}, // always of a pinned version
	// The newest version or a pinned one; without the right to list, S3 answers 403 for what does
	// not exist.
	"s3.HeadObject":         {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket"},
	"s3.ListObjectVersions": {"s3:ListBucketVersions"},
	"s3.DeleteObjects":      {"s3:DeleteObject", "s3:DeleteObjectVersion"},
	// Who uses a presigned address has the rights of who signed it.
	"s3.PresignGetObject":  {"s3:GetObjectVersion"},
	"s3.PresignPostObject": {"s3:PutObject"},
	// Linked into every client and never called: endpoint discovery is off, and the bucket is no
	// directory bucket.
	"dynamodb.DescribeEndpoints": {},
	"s3.CreateSession":           {},
}

// platform are the actions that Lambda takes in the function's name: its log, and the queue that it
// polls.
func platform(function string) []string {
	actions := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	switch function {
	case "check", "rules", "dispatch", "deliver":
		return append(actions, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
	}
	return actions
}

// indexed returns, for each method of the table that queries an index, which it queries, by reading
// pkg/store. An index that is named anywhere else could be queried unseen: that is an error.
func indexed(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../store/*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			method := ""
			if f, ok := d.(*ast.FuncDecl); ok && ofTable(f) {
				method = f.Name.Name
			}
			queried, all := namedIn(d)
			if len(queried) != all || all > 0 && method == "" {
				t.Errorf("%s names an index outside of a method of Store", name)
			}
			for _, index := range queried {
				if !slices.Contains(found[method], index) {
					found[method] = append(found[method], index)
				}
			}
		}
	}
	return found
}

// ofTable reports whether the function is a method of *Store, which the linker keeps the name of.
func ofTable(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	pointer, ok := f.Recv.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.Ident)
	return ok && of.Name == "Store"
}

// namedIn returns the indexes that a declaration queries: that it sets a query's Index to. all
// counts the mentions, except in cursors, which query nothing.
func namedIn(d ast.Decl) (queried []string, all int) {
	names := map[string]string{"IndexOpen": kv.IndexOpen, "IndexList": kv.IndexList,
		"IndexLookup": kv.IndexLookup, "IndexGroup": kv.IndexGroup}
	name := func(e ast.Expr) string {
		selector, ok := e.(*ast.SelectorExpr)
		if !ok {
			return ""
		}
		return names[selector.Sel.Name]
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if names[n.Name] != "" {
				all++
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "PlaceOf" &&
				name(n.Args[0]) != "" {
				all--
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Index" && name(n.Value) != "" {
				queried = append(queried, name(n.Value))
			}
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				if to, ok := to.(*ast.SelectorExpr); ok && to.Sel.Name == "Index" &&
					len(n.Lhs) == len(n.Rhs) && name(n.Rhs[i]) != "" {
					queried = append(queried, name(n.Rhs[i]))
				}
			}
		}
		return true
	})
	return queried, all
}

var (
	clientCall  = regexp.MustCompile(`service/(\w+)\.\(\*(?:Presign)?Client\)\.([A-Z]\w+)$`)
	tableMethod = regexp.MustCompile(`pkg/store\.\(\*Store\)\.(\w+)$`)
)

// calls returns what the linker found reachable in each function.
func calls(t *testing.T) map[string]map[string]bool {
	t.Helper()
	found, err := linked()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// linked builds the functions as they are deployed, once, and reads what is in them: calls of SDK
// clients, as service.Call, and methods of the table, by their name. Getters of a client are not
// calls.
var linked = sync.OnceValues(func() (map[string]map[string]bool, error) {
	out, err := os.MkdirTemp("", "dossier-functions-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(out) }()
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags",
		"lambda.norpc,nethttpomithttp2",
		// -l: no method goes into its caller
		"-gcflags=github.com/dossierhq/dossier/pkg/store=-l", "-o", out, "./functions/...")
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	binaries, err := os.ReadDir(out)
	found := map[string]map[string]bool{}
	for _, b := range binaries {
		var failed error
		found[b.Name()], failed = symbols(filepath.Join(out, b.Name()))
		err = errors.Join(err, failed)
	}
	found["web"] = reachedByAPI(found)
	return found, err
})

// reachedByAPI returns what the functions behind the API's routes reach together. The function of
// the pages has the same API in process and no other use of AWS. Its own binary says nothing: a
// template calls methods by names that the linker does not know, so it keeps every method of every
// client.
func reachedByAPI(found map[string]map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, group := range httpapi.Groups() {
		maps.Copy(all, found[group.String()])
	}
	return all
}

func symbols(binary string) (map[string]bool, error) {
	file, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	all, err := file.Symbols()
	found := map[string]bool{}
	for _, s := range all {
		if m := clientCall.FindStringSubmatch(s.Name); m != nil && m[2] != "Options" {
			found[m[1]+"."+m[2]] = true
		}
		if m := tableMethod.FindStringSubmatch(s.Name); m != nil {
			found[m[1]] = true
		}
	}
	return found, errors.Join(err, file.Close())
}

// TestPolicies holds that each role allows exactly what its function can reach.
func TestPolicies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds every function: part of `make test`")
	}
	all := templatetest.Read(t)
	reached := calls(t)
	for name, f := range templatetest.Functions(t, all) {
		want := map[string]bool{}
		for call := range reached[name] {
			if !strings.Contains(call, ".") {
				continue
			}
			actions, known := needs[call]
			if !known {
				t.Errorf("%s calls %s, which has no row in needs", name, call)
			}
			for _, a := range actions {
				want[a] = true
			}
		}
		for _, a := range platform(name) {
			want[a] = true
		}
		role := all[strings.TrimSuffix(logical(t, f), ".Arn")]
		got := map[string]bool{}
		for _, s := range statements(t, name, role) {
			for _, a := range templatetest.List(s["Action"]) {
				got[a.(string)] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: actions (-reached +allowed):\n%s", name, diff)
		}
	}
}

func logical(t *testing.T, f templatetest.Resource) string {
	t.Helper()
	role, _ := f.Properties["Role"].(map[string]any)
	name, _ := role["Fn::GetAtt"].(string)
	return name
}

// statements are those of a role. It has one policy of its own and no managed one, which would be
// AWS's to change.
func statements(t *testing.T, name string, role templatetest.Resource) []map[string]any {
	t.Helper()
	for property := range role.Properties {
		if property != "AssumeRolePolicyDocument" && property != "Policies" {
			t.Errorf("the role of %s has %s", name, property)
		}
	}
	var found []map[string]any
	for _, p := range templatetest.List(role.Properties["Policies"]) {
		document := p.(map[string]any)["PolicyDocument"].(map[string]any)
		for _, s := range templatetest.List(document["Statement"]) {
			statement := s.(map[string]any)
			if members := slices.Sorted(maps.Keys(statement)); !slices.Equal(members,
				[]string{"Action", "Effect", "Resource"}) || statement["Effect"] != "Allow" {
				t.Errorf("%s: a statement with %v", name, members)
			}
			found = append(found, statement)
		}
	}
	return found
}

// TestResources holds that each action is allowed on the one thing that it is for. The only
// wildcard is the one behind the bucket: the objects of a bucket have no other common name.
func TestResources(t *testing.T) {
	t.Parallel()
	all, reached, indexed := templatetest.Read(t), calls(t), indexed(t)
	for name, f := range templatetest.Functions(t, all) {
		queried := []string{"Table.Arn"}
		for method, indexes := range indexed {
			for _, i := range indexes {
				if arn := "${Table.Arn}/index/" + i; reached[name][method] &&
					!slices.Contains(queried, arn) {
					queried = append(queried, arn)
				}
			}
		}
		slices.Sort(queried)
		role := strings.TrimSuffix(logical(t, f), ".Arn")
		log := strings.TrimSuffix(role, "Role") + "Log.Arn"
		for _, s := range statements(t, name, all[role]) {
			got := names(templatetest.List(s["Resource"]))
			for _, a := range templatetest.List(s["Action"]) {
				if diff := cmp.Diff(resources(a.(string), log, polled(f), queried), got); diff !=
					"" {
					t.Errorf("%s: %v on (-want +got):\n%s", name, a, diff)
				}
				if strings.Contains(a.(string), "*") {
					t.Errorf("%s: action %v", name, a)
				}
			}
		}
	}
	for name, r := range all {
		if strings.HasSuffix(r.Type, "Policy") {
			for _, s := range templatetest.List(
				r.Properties["PolicyDocument"].(map[string]any)["Statement"]) {
				// A wildcard that takes something away from everybody is no danger.
				if s := s.(map[string]any); s["Effect"] != "Deny" &&
					strings.Contains(fmt.Sprint(s), "*") {
					t.Errorf("%s: wildcard in %v", name, s)
				}
			}
		}
	}
}

// resources returns the resources of an action of a function with this log and these queries.
func resources(action, log, polled string, queried []string) []string {
	service, operation, _ := strings.Cut(action, ":")
	switch {
	case service == "sqs" && operation != "SendMessage":
		return []string{polled}
	case service == "logs":
		return []string{log}
	case action == "dynamodb:Query":
		return queried
	case service == "dynamodb":
		return []string{"Table.Arn"}
	case service == "events":
		return []string{"Bus.Arn"}
	case service == "sqs":
		return []string{"DeliveryQueue.Arn"}
	case strings.HasPrefix(operation, "List"):
		return []string{"Bucket.Arn"}
	}
	return []string{"${Bucket.Arn}/*"}
}

// polled returns the queue that Lambda polls for the function.
func polled(f templatetest.Resource) string {
	events, _ := f.Properties["Events"].(map[string]any)
	for _, e := range events {
		if e := e.(map[string]any); e["Type"] == "SQS" {
			return names([]any{e["Properties"].(map[string]any)["Queue"]})[0]
		}
	}
	return ""
}

// names are the resources in their short form, sorted.
func names(of []any) []string {
	var found []string
	for _, r := range of {
		m, _ := r.(map[string]any)
		name := fmt.Sprint(r)
		for _, function := range []string{"Fn::GetAtt", "Fn::Sub"} {
			if v, ok := m[function].(string); ok {
				name = v
			}
		}
		found = append(found, name)
	}
	slices.Sort(found)
	return found
}
