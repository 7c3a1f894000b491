package metrics

import (
	"strings"
	"testing"
	"time"
)

func TestEmit(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	err := Emit(&b, "dossier", time.UnixMilli(1788256800123),
		Value{"OldestOpenSeconds", "Seconds", 61.5}, Value{"OpenDue", "Count", 3})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"OldestOpenSeconds":61.5,"OpenDue":3,"Stack":"dossier","_aws":{"Timestamp":1788256800123,"CloudWatchMetrics":` +
		`[{"Namespace":"Dossier","Dimensions":[["Stack"]],"Metrics":[{"Name":"OldestOpenSeconds","Unit":"Seconds"},{"Name":"OpenDue","Unit":"Count"}]}]}}` + "\n"
	if b.String() != want {
		t.Errorf("OK: %s\nwant %s", b.String(), want)
	}
}
