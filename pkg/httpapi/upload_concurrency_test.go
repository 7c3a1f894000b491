package httpapi

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dossierhq/dossier/pkg/blob/fileblob"
	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv/dynamo/dynamotest"
	"github.com/dossierhq/dossier/pkg/store"
)

// Of a thousand simultaneous uploads exactly one succeeds per unlocked version. The others get 409
// with the lock and leave nothing behind.
func TestThousandUploadsAtOnce(t *testing.T) {
	t.Parallel()
	t.Run("bolt", func(t *testing.T) { uploadThousand(t, newTestAPI(t), 1000, 200) })
	t.Run("dynamodb", func(t *testing.T) {
		uploadThousand(t, newTestAPI(t, onEngine(dynamotest.New(t))), 1000)
	})
}

func uploadThousand(t *testing.T, h *testAPI, rounds ...int) {
	dir := t.TempDir()
	blobs, err := fileblob.New(dir, "http://127.0.0.1", []byte("a secret of this test"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })
	h.cfg.Blobs, h.unchecked = blobs, true
	_, request := h.candidateWithRequest(t, "")
	var first *dossier.Lock
	for n, uploads := range rounds {
		round := n + 1
		taken := h.uploadAtOnce(t, request, uploads)
		if len(taken) != 1 || taken[0].Document.Version != int64(round) {
			t.Fatalf("round %d: %d uploads were taken: %+v", round, len(taken), taken)
		}
		if lock := taken[0].Lock; first != nil && lock.StartedAt.Equal(first.StartedAt) {
			t.Errorf("round %d: the lock of the round before", round)
		}
		first = taken[0].Lock
		if files := stored(t, dir); files != round {
			t.Errorf("round %d: %d versions of parts are stored", round, files)
		}
		if n := h.finishChecks(t, store.CheckResult{
			State: dossier.StateNeedsResubmission,
		}); n != 1 {
			t.Fatalf("round %d: %d checks", round, n)
		}
		h.clock.forward(time.Second)
	}
}

// uploadAtOnce sends n uploads at the same instant and returns the accepted ones. The others have
// to be refused with the lock of the first.
func (h *testAPI) uploadAtOnce(t *testing.T, request string,
	n int) []dossier.CandidateDocumentType {
	t.Helper()
	var start, done sync.WaitGroup
	start.Add(1)
	answers := make([]*httptest.ResponseRecorder, n)
	for i := range n {
		done.Go(func() {
			path := []string{"/candidateDocumentTypes/", "/containers/"}[i%2]
			r := httptest.NewRequest("POST", path+request+"/upload",
				strings.NewReader(parts("front", fmt.Sprintf("%s%d", pdf, i))))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+h.key)
			w := httptest.NewRecorder()
			start.Wait()
			h.ServeHTTP(w, r)
			answers[i] = w
		})
	}
	start.Done()
	done.Wait()
	var taken []dossier.CandidateDocumentType
	for _, w := range answers {
		if w.Code == 200 {
			taken = append(taken, decoded[dossier.CandidateDocumentType](t, w))
		}
	}
	for _, w := range answers {
		if w.Code == 200 {
			continue
		}
		p := problemOf(t, w)
		if w.Code != 409 || p.Code != dossier.CodeLocked || p.Lock == nil ||
			w.Header().Get("Retry-After") == "" ||
			len(taken) == 1 && *p.Lock != *taken[0].Lock {
			t.Fatalf("refused with %d %s, Retry-After %q", w.Code, w.Body,
				w.Header().Get("Retry-After"))
		}
	}
	return taken
}

// stored counts the versions in a folder of blobs.
func stored(t *testing.T, dir string) int {
	t.Helper()
	files := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// While checks end, one upload is accepted per unlocked version: every version is one upload, and
// every check is of one version.
func TestUploadsWhileChecksEnd(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	h.unchecked = true
	_, request := h.candidateWithRequest(t, "")
	var mu sync.Mutex
	versions, refused := map[int64]int{}, 0
	var senders sync.WaitGroup
	for i := range 8 {
		senders.Go(func() {
			for n := range 60 {
				r := httptest.NewRequest("POST", "/containers/"+request+"/upload",
					strings.NewReader(parts("front", fmt.Sprintf("%s%d.%d", pdf, i, n))))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", "Bearer "+h.key)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				mu.Lock()
				switch w.Code {
				case 200:
					versions[decoded[dossier.CandidateDocumentType](t, w).Document.Version]++
				case 409:
					refused++
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
				mu.Unlock()
			}
		})
	}
	sent := make(chan struct{})
	go func() {
		senders.Wait()
		close(sent)
	}()
	checks := 0
	for ending := false; !ending; {
		select {
		case <-sent:
			ending = true
		default:
		}
		checks += h.finishChecks(t, store.CheckResult{State: dossier.StateNeedsResubmission})
	}
	for v := int64(1); v <= int64(len(versions)); v++ {
		if versions[v] != 1 {
			t.Errorf("version %d was answered %d times", v, versions[v])
		}
	}
	if checks != len(versions) || checks < 2 || refused == 0 {
		t.Errorf("%d uploads taken, %d refused, %d checks", len(versions), refused, checks)
	}
	t.Logf("%d taken, %d refused", len(versions), refused)
}
