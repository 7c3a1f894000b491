package queue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/store"
)

func TestNotify(t *testing.T) {
	t.Parallel()
	type entry struct{ Id, MessageBody, MessageGroupId string }
	var sent [][]entry
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			QueueUrl string
			Entries  []entry
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil ||
			in.QueueUrl != "http://sqs/1/deliveries" {
			http.Error(w, "not this queue", http.StatusBadRequest)
			return
		}
		sent = append(sent, in.Entries)
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if len(sent) == 2 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		io.WriteString(w,
			`{"Successful":[],"Failed":[{"Id":"0","Code":"Busy","SenderFault":false}]}`)
	}))
	t.Cleanup(server.Close)
	client := sqs.New(sqs.Options{
		Region: "eu-west-1", BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
		Retryer:     aws.NopRetryer{}, DisableMessageChecksumValidation: true,
	})
	entries := []store.Task{{Kind: store.TaskCheck, PK: "other"}}
	for i := range 12 {
		entries = append(entries, store.Task{Kind: store.TaskDeliver, PK: "co#CAND#1",
			SK: fmt.Sprintf("DLV#int#%d", i)})
	}
	var log bytes.Buffer
	New(client, "http://sqs/1/deliveries", slog.New(slog.NewJSONHandler(&log, nil))).Notify(
		t.Context(), entries)
	if len(sent) != 2 || len(sent[0]) != 10 || len(sent[1]) != 2 {
		t.Fatalf("OK: sent %v", sent)
	}
	want := []entry{{"10", `{"kind":"deliver","pk":"co#CAND#1","sk":"DLV#int#10"}`, "int"},
		{"11", `{"kind":"deliver","pk":"co#CAND#1","sk":"DLV#int#11"}`, "int"}}
	if diff := cmp.Diff(want, sent[1]); diff != "" {
		t.Errorf("OK: messages (-want +got):\n%s", diff)
	}
	if strings.Count(log.String(), "notifications lost") != 2 ||
		!strings.Contains(log.String(), `"code":"Busy"`) {
		t.Errorf("ErrLost: log %s", log.String())
	}
}
