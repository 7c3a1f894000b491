package app_test

import (
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	"dynamodb.TransactWriteItems": {"dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"},
	"eventbridge.PutEvents":       {"events:PutEvents"},
	"sqs.SendMessageBatch":        {"sqs:SendMessage"},
	"s3.PutObject":                {"s3:PutObject"},
	"s3.CopyObject":               {"s3:GetObjectVersion", "s3:PutObject"},
	"s3.GetObject":                {"s3:GetObjectVersion"}, // always of a pinned version
	// The newest version or a pinned one; without the right to list, S3 answers 403 for what does not exist.
	"s3.HeadObject":         {"s3:GetObject", "s3:GetObjectVersion", "s3:ListBucket"},
	"s3.ListObjectVersions": {"s3:ListBucketVersions"},
	"s3.DeleteObjects":      {"s3:DeleteObject", "s3:DeleteObjectVersion"},
	// Who uses a presigned address has the rights of who signed it.
	"s3.PresignGetObject":  {"s3:GetObjectVersion"},
	"s3.PresignPostObject": {"s3:PutObject"},
	// Linked into every client and never called: endpoint discovery is off, and the bucket is no directory bucket.
	"dynamodb.DescribeEndpoints": {},
	"s3.CreateSession":           {},
}

// platform are the actions that Lambda takes in the function's name: its log, what it polls, and where failed events go.
func platform(function string) []string {
	actions := []string{"logs:CreateLogStream", "logs:PutLogEvents"}
	switch function {
	case "deliver":
		return append(actions, "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
	case "check", "rules", "dispatch":
		return append(actions, "sqs:SendMessage")
	}
	return actions
}

// indexes are those that the function reads. What a function behind the HTTP API lists is not seen in its symbols.
func indexes(function string, http bool) []string {
	switch {
	case http:
		return []string{"list", "look"}
	case function == "dispatch":
		return []string{"look"} // who reacts to an event
	case function == "sweep":
		return []string{"look", "open"} // what is due; answers kept of a candidate that is erased
	}
	return nil
}

var clientCall = regexp.MustCompile(`service/(\w+)\.\(\*(?:Presign)?Client\)\.([A-Z]\w+)$`)

// calls returns the calls of SDK clients that the linker found reachable in each function, built as it is deployed. Getters of a
// client are not calls.
func calls(t *testing.T) map[string]map[string]bool {
	t.Helper()
	out := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-tags", "lambda.norpc,nethttpomithttp2", "-o", out, "./functions/...")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	binaries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]bool{}
	for _, b := range binaries {
		file, err := elf.Open(filepath.Join(out, b.Name()))
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := file.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		found[b.Name()] = map[string]bool{}
		for _, s := range symbols {
			if m := clientCall.FindStringSubmatch(s.Name); m != nil && m[2] != "Options" {
				found[b.Name()][m[1]+"."+m[2]] = true
			}
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestPolicies holds that each role allows exactly what its function can reach.
func TestPolicies(t *testing.T) {
	t.Parallel()
	all := template(t)
	reached := calls(t)
	for name, f := range functions(t, all) {
		want := map[string]bool{}
		for call := range reached[name] {
			actions, known := needs[call]
			if !known {
				t.Errorf("%s calls %s: nobody has said which actions that needs", name, call)
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
			for _, a := range list(s["Action"]) {
				got[a.(string)] = true
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: actions (-reached +allowed):\n%s", name, diff)
		}
	}
}

func logical(t *testing.T, f resource) string {
	t.Helper()
	role, _ := f.Properties["Role"].(map[string]any)
	name, _ := role["Fn::GetAtt"].(string)
	return name
}

// statements are those of a role. It has one policy of its own and no managed one, which would be AWS's to change.
func statements(t *testing.T, name string, role resource) []map[string]any {
	t.Helper()
	for property := range role.Properties {
		if property != "AssumeRolePolicyDocument" && property != "Policies" {
			t.Errorf("the role of %s has %s", name, property)
		}
	}
	var found []map[string]any
	for _, p := range list(role.Properties["Policies"]) {
		document := p.(map[string]any)["PolicyDocument"].(map[string]any)
		for _, s := range list(document["Statement"]) {
			statement := s.(map[string]any)
			if members := slices.Sorted(maps.Keys(statement)); !slices.Equal(members, []string{"Action", "Effect", "Resource"}) || statement["Effect"] != "Allow" {
				t.Errorf("%s: a statement with %v", name, members)
			}
			found = append(found, statement)
		}
	}
	return found
}

// TestResources holds that each action is allowed on the one thing that it is for. The only wildcard is the one behind the bucket:
// the objects of a bucket have no other common name.
func TestResources(t *testing.T) {
	t.Parallel()
	all := template(t)
	for name, f := range functions(t, all) {
		http := templateEvents(f)["HttpApi"]
		role := strings.TrimSuffix(logical(t, f), ".Arn")
		log := strings.TrimSuffix(role, "Role") + "Log.Arn"
		for _, s := range statements(t, name, all[role]) {
			got := names(list(s["Resource"]))
			for _, a := range list(s["Action"]) {
				if a == "sqs:SendMessage" && slices.Equal(got, []string{"DeadLetters.Arn"}) {
					continue // where Lambda puts what the function failed on
				}
				if diff := cmp.Diff(resources(name, a.(string), log, http), got); diff != "" {
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
			for _, s := range list(r.Properties["PolicyDocument"].(map[string]any)["Statement"]) {
				// A wildcard that takes something away from everybody is no danger.
				if s := s.(map[string]any); s["Effect"] != "Deny" && strings.Contains(fmt.Sprint(s), "*") {
					t.Errorf("%s: wildcard in %v", name, s)
				}
			}
		}
	}
}

func templateEvents(f resource) map[string]bool {
	kinds := map[string]bool{}
	events, _ := f.Properties["Events"].(map[string]any)
	for _, e := range events {
		kinds[e.(map[string]any)["Type"].(string)] = true
	}
	return kinds
}

// resources are what an action of a function is about.
func resources(function, action, log string, http bool) []string {
	service, operation, _ := strings.Cut(action, ":")
	switch {
	case service == "logs":
		return []string{log}
	case action == "dynamodb:Query":
		found := []string{"Table.Arn"}
		for _, i := range indexes(function, http) {
			found = append(found, "${Table.Arn}/index/"+i)
		}
		slices.Sort(found)
		return found
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
