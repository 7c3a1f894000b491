package app_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/dossierhq/dossier/pkg/app/templatetest"
	"github.com/google/go-cmp/cmp"
)

// TestFunctions holds that each folder of functions/ but the standalone process is a function of
// the stack, with what all have.
func TestFunctions(t *testing.T) {
	t.Parallel()
	all := templatetest.Read(t)
	inStack := templatetest.Functions(t, all)
	folders, err := os.ReadDir("../../functions")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if _, ok := inStack[f.Name()]; !ok && f.Name() != "standalone" {
			t.Errorf("functions/%s is not in template.yaml", f.Name())
		}
		if _, err := os.Stat("../../events/invoke-" + f.Name() + ".json"); err != nil &&
			f.Name() != "standalone" {
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
		if diff := cmp.Diff(any(map[string]any{"BuildMethod": "makefile"}),
			f.Whole["Metadata"]); diff != "" {
			t.Errorf("%s is not built by the Makefile:\n%s", name, diff)
		}
	}
}

// TestKept holds what must outlive the stack, and be found as it was.
func TestKept(t *testing.T) {
	t.Parallel()
	all := templatetest.Read(t)
	// Deletion protection would make the table stop a failed first deployment from being rolled
	// back; the bucket goes with it.
	for name, policy := range map[string]string{"Table": "Retain", "Bucket": "RetainExceptOnCreate",
		"BucketPolicy": "RetainExceptOnCreate"} {
		if all[name].Whole["DeletionPolicy"] != policy ||
			all[name].Whole["UpdateReplacePolicy"] != "Retain" {
			t.Errorf("%s is not retained", name)
		}
	}
	table := all["Table"].Properties
	want := map[string]any{
		"BillingMode": "PAY_PER_REQUEST", "DeletionProtectionEnabled": "true",
		"PointInTimeRecoverySpecification": map[string]any{"PointInTimeRecoveryEnabled": "true"},
		"SSESpecification": map[string]any{"SSEEnabled": "true", "SSEType": "KMS",
			"KMSMasterKeyId": map[string]any{
				"Fn::If": []any{"OwnKey", map[string]any{"Ref": "KmsKey"},
					map[string]any{"Ref": "AWS::NoValue"}},
			}},
		"TimeToLiveSpecification": map[string]any{"AttributeName": "ttl", "Enabled": "true"},
	}
	for property, value := range want {
		if diff := cmp.Diff(value, table[property]); diff != "" {
			t.Errorf("Table %s (-want +got):\n%s", property, diff)
		}
	}
	logging := map[string]any{"Fn::If": []any{"DownloadLog", map[string]any{
		"DestinationBucketName": map[string]any{"Ref": "DownloadLogBucket"},
		"LogFilePrefix":         "parts/"}, map[string]any{"Ref": "AWS::NoValue"}}}
	got := all["Bucket"].Properties["LoggingConfiguration"]
	if diff := cmp.Diff(any(logging), got); diff != "" {
		t.Errorf("the record of downloads (-want +got):\n%s", diff)
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
	all := templatetest.Read(t)
	ref := func(name string) any { return map[string]any{"Ref": name} }
	want := map[string]any{"ThrottlingRateLimit": ref("RouteRate"),
		"ThrottlingBurstLimit": ref("RouteBurst")}
	if diff := cmp.Diff(any(want), all["Api"].Properties["DefaultRouteSettings"]); diff != "" {
		t.Errorf("throttles (-want +got):\n%s", diff)
	}
	reserved := any(map[string]any{
		"Fn::If": []any{"Reserved", ref("HttpConcurrency"), ref("AWS::NoValue")},
	})
	behindRoutes := 0
	for name, f := range templatetest.Functions(t, all) {
		events, _ := f.Properties["Events"].(map[string]any)
		for _, e := range events {
			if e.(map[string]any)["Type"] == "HttpApi" {
				behindRoutes++
				if diff := cmp.Diff(reserved, f.Properties["ReservedConcurrentExecutions"]); diff !=
					"" {
					t.Errorf("concurrency of %s (-want +got):\n%s", name, diff)
				}
				break
			}
		}
	}
	if behindRoutes != 9 {
		t.Errorf("%d functions are behind routes; the parameter HttpConcurrency speaks of 9",
			behindRoutes)
	}
	for status, name := range map[string]string{"401": "ApiUnauthorized", "403": "ApiForbidden",
		"429": "ApiTooMany"} {
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

// TestFairQueues holds that each rule of the bus hands its notifications to a queue that a function
// polls, in the group of their company: SQS's fair queues know companies by nothing else.
func TestFairQueues(t *testing.T) {
	t.Parallel()
	all := templatetest.Read(t)
	polled := map[string]bool{}
	for _, f := range templatetest.Functions(t, all) {
		events, _ := f.Properties["Events"].(map[string]any)
		for _, e := range events {
			if e := e.(map[string]any); e["Type"] == "SQS" {
				polled[fmt.Sprint(e["Properties"].(map[string]any)["Queue"])] = true
			}
		}
	}
	rules := 0
	for name, r := range all {
		if r.Type != "AWS::Events::Rule" || r.Properties["EventPattern"] == nil {
			continue
		}
		rules++
		target := templatetest.List(r.Properties["Targets"])[0].(map[string]any)
		group := map[string]any{"MessageGroupId": "$.detail.companyId"}
		if diff := cmp.Diff(any(group), target["SqsParameters"]); diff != "" {
			t.Errorf("group of %s (-want +got):\n%s", name, diff)
		}
		if target["InputPath"] != "$.detail" || !polled[fmt.Sprint(target["Arn"])] {
			t.Errorf("%s goes to %v, which no function polls", name, target["Arn"])
		}
	}
	if rules != 4 {
		t.Errorf("%d rules, not those of checks, rules, scenarios and events", rules)
	}
}

// TestOcrLayer holds that the function that checks documents has the layer that reads pictures, and
// a processor of its own for it, where the parameter names one, and reads none otherwise.
func TestOcrLayer(t *testing.T) {
	t.Parallel()
	f := templatetest.Read(t)["CheckFunction"].Properties
	either := func(with, without any) any {
		return map[string]any{"Fn::If": []any{"Ocr", with, without}}
	}
	ref := func(name string) any { return map[string]any{"Ref": name} }
	variables := f["Environment"].(map[string]any)["Variables"].(map[string]any)
	for name, test := range map[string]struct{ want, got any }{
		"layers": {either([]any{ref("OcrLayer")}, ref("AWS::NoValue")), f["Layers"]},
		"memory": {either("1769", "1024"), f["MemorySize"]},
		"Tesseract": {either("/opt/tesseract/bin/tesseract", "off"),
			variables["DOSSIER_TESSERACT"]},
	} {
		if diff := cmp.Diff(test.want, test.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
