package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// resource is one resource of template.yaml. Intrinsic functions have their long form: !Ref X is
// {"Ref": "X"}.
type resource struct {
	Type       string
	Properties map[string]any
	whole      map[string]any
}

func template(t *testing.T) map[string]resource {
	t.Helper()
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	all := map[string]resource{}
	for name, r := range plain(t, root.Content[0]).(map[string]any)["Resources"].(map[string]any) {
		whole := r.(map[string]any)
		properties, _ := whole["Properties"].(map[string]any)
		all[name] = resource{whole["Type"].(string), properties, whole}
	}
	return all
}

// plain is the value of a node, with the tags of CloudFormation spelled out.
func plain(t *testing.T, n *yaml.Node) any {
	t.Helper()
	var v any
	switch n.Kind {
	case yaml.MappingNode:
		members := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			members[n.Content[i].Value] = plain(t, n.Content[i+1])
		}
		v = members
	case yaml.SequenceNode:
		elements := []any{}
		for _, e := range n.Content {
			elements = append(elements, plain(t, e))
		}
		v = elements
	case yaml.ScalarNode:
		v = n.Value
	default:
		t.Fatalf("line %d: an alias or something else that CloudFormation does not know", n.Line)
	}
	tag, ok := strings.CutPrefix(n.Tag, "!")
	if !ok || strings.HasPrefix(tag, "!") {
		return v
	}
	if tag == "Ref" {
		return map[string]any{"Ref": v}
	}
	return map[string]any{"Fn::" + tag: v}
}

// list is a value as a list: what is one thing may stand alone.
func list(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// functions are the functions of the template, by the name of their folder.
func functions(t *testing.T, all map[string]resource) map[string]resource {
	t.Helper()
	byFolder := map[string]resource{}
	for name, r := range all {
		if r.Type == "AWS::Serverless::Function" {
			byFolder[strings.ToLower(strings.TrimSuffix(name, "Function"))] = r
		}
	}
	return byFolder
}

// TestFunctions holds that each folder of functions/ but the standalone process is a function of
// the stack, with what all have.
func TestFunctions(t *testing.T) {
	t.Parallel()
	all := template(t)
	inStack := functions(t, all)
	folders, err := os.ReadDir("../../functions")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if _, ok := inStack[f.Name()]; !ok && f.Name() != "standalone" {
			t.Errorf("functions/%s is not in template.yaml", f.Name())
		}
		if _, err := os.Stat("../../events/invoke-" + f.Name() + ".json"); err != nil && f.Name() != "standalone" {
			t.Errorf("functions/%s has no sample event: %v", f.Name(), err)
		}
	}
	if len(inStack) != len(folders)-1 {
		t.Errorf("%d functions in template.yaml, %d folders", len(inStack), len(folders))
	}
	roles := map[any]string{}
	for name, f := range inStack {
		role, _ := f.Properties["Role"].(map[string]any)
		if other, taken := roles[role["Fn::GetAtt"]]; taken || role["Fn::GetAtt"] == nil {
			t.Errorf("%s has no role of its own: %v, as %s", name, role, other)
		}
		roles[role["Fn::GetAtt"]] = name
		logging, _ := f.Properties["LoggingConfig"].(map[string]any)
		group, _ := logging["LogGroup"].(map[string]any)
		log, _ := group["Ref"].(string)
		if all[log].Properties["RetentionInDays"] == nil {
			t.Errorf("%s has no log group with a retention: %v", name, logging)
		}
		if diff := cmp.Diff(any(map[string]any{"BuildMethod": "makefile"}), f.whole["Metadata"]); diff != "" {
			t.Errorf("%s is not built by the Makefile:\n%s", name, diff)
		}
	}
}

// TestKept holds what must outlive the stack, and be found as it was.
func TestKept(t *testing.T) {
	t.Parallel()
	all := template(t)
	// Deletion protection would make the table stop a failed first deployment from being rolled back;
	// the bucket goes with it.
	for name, policy := range map[string]string{"Table": "Retain", "Bucket": "RetainExceptOnCreate", "BucketPolicy": "RetainExceptOnCreate"} {
		if all[name].whole["DeletionPolicy"] != policy || all[name].whole["UpdateReplacePolicy"] != "Retain" {
			t.Errorf("%s is not retained", name)
		}
	}
	table := all["Table"].Properties
	want := map[string]any{
		"BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": "true",
		"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": "true"},
		"SSESpecification": map[string]any{"SSEEnabled": "true", "SSEType": "KMS",
			"KMSMasterKeyId": map[string]any{"Fn::If": []any{"OwnKey", map[string]any{"Ref": "KmsKey"}, map[string]any{"Ref": "AWS::NoValue"}}}},
		"TimeToLiveSpecification": map[string]any{"AttributeName": "ttl", "Enabled": "true"},
	}
	for property, value := range want {
		if diff := cmp.Diff(value, table[property]); diff != "" {
			t.Errorf("Table %s (-want +got):\n%s", property, diff)
		}
	}
	for name, r := range all {
		if r.Type == "AWS::SQS::Queue" && r.Properties["SqsManagedSseEnabled"] != "true" {
			t.Errorf("queue %s is not encrypted", name)
		}
	}
}

// TestLimits holds what bounds a flood: throttles that a parameter sets, concurrency that each
// function behind routes reserves, and an alarm on each status that refuses.
func TestLimits(t *testing.T) {
	t.Parallel()
	all := template(t)
	ref := func(name string) any { return map[string]any{"Ref": name} }
	want := map[string]any{"ThrottlingRateLimit": ref("RouteRate"), "ThrottlingBurstLimit": ref("RouteBurst")}
	if diff := cmp.Diff(any(want), all["Api"].Properties["DefaultRouteSettings"]); diff != "" {
		t.Errorf("throttles (-want +got):\n%s", diff)
	}
	reserved := any(map[string]any{"Fn::If": []any{"Reserved", ref("HttpConcurrency"), ref("AWS::NoValue")}})
	behindRoutes := 0
	for name, f := range functions(t, all) {
		events, _ := f.Properties["Events"].(map[string]any)
		for _, e := range events {
			if e.(map[string]any)["Type"] == "HttpApi" {
				behindRoutes++
				if diff := cmp.Diff(reserved, f.Properties["ReservedConcurrentExecutions"]); diff != "" {
					t.Errorf("concurrency of %s (-want +got):\n%s", name, diff)
				}
				break
			}
		}
	}
	if behindRoutes != 8 {
		t.Errorf("%d functions are behind routes; the parameter HttpConcurrency speaks of 8", behindRoutes)
	}
	for status, name := range map[string]string{"401": "ApiUnauthorized", "403": "ApiForbidden", "429": "ApiTooMany"} {
		metric := any(map[string]any{"Fn::Sub": "${AWS::StackName}-" + status})
		if diff := cmp.Diff(metric, all[name+"Alarm"].Properties["MetricName"]); diff != "" {
			t.Errorf("alarm on %s (-want +got):\n%s", status, diff)
		}
		filter := all[name+"Filter"].Properties
		if filter["FilterPattern"] != `{ $.status = "`+status+`" }` {
			t.Errorf("filter of %s: %v", status, filter)
		}
	}
}
