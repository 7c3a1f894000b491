package store

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/kv"
)

var update = flag.Bool("update", false, "write testdata/keys.golden")

// TestKeys pins every key and query bound. A difference means that stored items are not found any
// more: change testdata/keys.golden only together with code that reads the old keys.
// The ids of the golden.
const (
	goldenCompany  = "com_01JD5T00000000000000000CCC"
	goldenScenario = "01JD5T00000000000000000SCN"
	goldenTarget   = "01JD5T00000000000000000NTG"
	goldenDocument = "doc_01JD5T00000000000000000D0C"
	goldenGroup    = "grp_01JD5T00000000000000000GRP"
)

var (
	goldenCandidate    = candidateRef{goldenCompany, "cnd_01JD5T00000000000000000CND"}
	goldenDocumentType = dossier.DocumentTypeID("dty_01JD5T00000000000000000DTY")
	goldenDay          = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
)

// goldenLine is a line of the golden.
type goldenLine struct {
	name string
	v    any
}

func TestKeys(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	for _, line := range slices.Concat(keyLines(t), indexLines(), shardLines()) {
		fmt.Fprintf(&got, "%s: %+v\n", line.name, line.v)
	}
	path := filepath.Join("testdata", "keys.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"),
		strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// keyLines returns the keys of all items.
func keyLines(t *testing.T) []goldenLine {
	const company, scn, target, doc, group = goldenCompany, goldenScenario, goldenTarget,
		goldenDocument, goldenGroup
	at, dt := goldenCandidate, goldenDocumentType
	return []goldenLine{
		{"candidate", at.candidateKey()}, {"candidate document type", at.cdtKey(dt)},
		{"rules job", at.jobKey(7)},
		{"check", at.checkKey(dt)}, {"document", at.documentKey(dt, doc)},
		{"rule run", at.runKey(dt, doc)},
		{"event", at.eventKey(12)}, {"delivery", at.deliveryKey(target, 12)},
		{"reaction", at.reactionKey(scn, 12)},
		{"chain", at.chainKey(12)}, {"closed delivery", closedKey(at.deliveryKey(target, 12))},
		{"closed reaction", closedKey(at.reactionKey(scn, 12))},
		{"parser call", at.parserCallKey(doc, 3)},
		{"upload plan", at.uploadKey("upl_01JD5T00000000000000000PLD")},
		{"message", at.messageKey("msg_01JD5T00000000000000000CND01JD5T00000000000000000MSG")},
		{"external id", externalKey(company, "E 1")}, {"document type", typeKey(company, dt)},
		{"version of rules", ruleVersionKey(company, dt, 7)},
		{"version of settings", settingVersionKey(company, scn, 7)},
		{"settings revision", revisionKey(company)}, {"key", accessKeyKey(company, target)},
		{"token", tokenKey(company, target)}, {"valid tokens", at.tokensKey()},
		{"session", sessionKey(company, target, scn)},
		{"sign-in link", signInLinkKey(company, target)},
		{"sign-in attempt", attemptKey(company, target)},
		{"number of list shards", shardsKey(company)},
		{"bucket of requests", requestsKey(company, "company")},
		{"company", companyKey(company)}, {"company of a group", groupKey(group, company)},
		{"companies of a group", groupPartition(group)},
		{"idempotency key", idempotencyKeyOf(
			Idempotency{CompanyID: company, PrincipalID: "key_1", Key: "k"})},
		{"replacement entry", at.replacementKey(dt)},
		{"search entry", at.entryKey(searchByLast)}, {"backfill", backfillKey(company)},
		{"backfill of types", typeBackfillKey(company)},
		{"setting", settingKeys(t, company)},
	}
}

// indexLines returns the keys of the indexes, and the queries.
func indexLines() []goldenLine {
	const company, target = goldenCompany, goldenTarget
	at, dt, day := goldenCandidate, goldenDocumentType, goldenDay
	from, to := logBounds(day, day)
	return []goldenLine{
		{"list of candidates", listPartition(company, listCandidates)},
		{"list of document types", listPartition(company, listCDTs)},
		{"log", listPartition(company, listLog)},
		{"candidates by status", lookupPartition(company, listCandidates, "approved")},
		{"document types by state", lookupPartition(company, listCDTs, "inReview")},
		{"log of an integration", lookupPartition(company, listLog, target)},
		{"parser calls", listPartition(company, listCalls)},
		{"parser calls of a document type", lookupPartition(company, listCalls, dt.ULID())},
		{"sort of document types", cdtSort(at.id.DocumentType(dt))},
		{"sort of the log", logSort(dossier.NewTime(day), "log_1")},
		{"bounds of the log", from + " " + to},
		{"sort by urgency", urgencySort("2026-01-02", at.id.DocumentType(dt))},
		{"rule runs of a document type", runPartition(company, dt)},
		{"sort of rule runs", runSort(dossier.NewTime(day), "run_1")},
		{"query of the rule runs of a document type", (&Store{}).runQuery(company, dt,
			dossier.NewTime(day), dossier.NewTime(day.Add(time.Hour)), 3)},
		{"of a document type", typePartition(company, dt)},
		{"sort of a document type", []string{
			typeSort("requested", "2026-01-02", at.id.DocumentType(dt)),
			typeSort("validated", "~", at.id.DocumentType(dt))}},
		{"bounds of a state", bounds(typeBounds("validated", ""))},
		{"bounds before", bounds(typeBounds("requested", "2026-01-02"))},
		{"bounds of missing", bounds(missingBounds())},
		{"unread messages", unreadPartition(company)},
		{"sort of unread messages", unreadSort(dossier.NewTime(day),
			at.messageKey("msg_01JD5T00000000000000000CND01JD5T00000000000000000MSG"))},
		{"bounds of urgency", bounds(urgencyBounds("2026-01-02"))},
		{"bounds of expiry", bounds(expiryBounds(day, day.AddDate(0, 0, 30)))},
		{"terms", searchPartition(company)}, {"names", namePartition(company)},
		{"sort of terms", searchSort("ada lovelace", at.id)},
		{"bounds of a search", bounds(searchBounds("ada"))},
		{"responses", at.responsePartition()},
		{"format", formatKey()},
		{"listeners", listenerPartition(company, "candidateCreated")},
		{"ranks", []string{rankScenario, rankActive, rankMuted}},
		{"shard", []string{openShard(at.partition()), shardName(3)}},
		{"query of a snapshot", at.snapshotQuery()}, {"query of document types", at.cdtQuery()},
		{"query of documents", at.versionQuery(prefixDocument, dt)},
		{"query of rule runs", at.versionQuery(prefixRun, dt)},
		{"query of versions of rules", ruleVersionQuery(company, dt)},
		{"query of versions of settings", settingVersionQuery(company, target)},
		{"query of deliveries", at.deliveryQuery(target)},
		{"query of events", at.prefixed(prefixEvent)},
		{"query of a dispatch", dispatchQuery(company, "candidateCreated")},
		{"query of integrations", integrationQuery(company, "candidateCreated")},
		{"author", authorField(dossier.Author{Type: "administrator", ID: "key_1"})},
		{"tasks", taskKinds},
	}
}

// shardLines returns the shards of a company's lists.
func shardLines() []goldenLine {
	list := listPartition(goldenCompany, listCandidates)
	candidate := goldenCandidate.partition()
	return []goldenLine{
		{"shards of a list", []string{shardPartition(list, 0), shardPartition(list, 3),
			shardPartition(list+"#S127", 3), shardPartition(list+"#S127", 0)}},
		{"shards of a candidate", []int{shardOf(candidate, 1), shardOf(candidate, 4),
			shardOf(goldenCandidate.messagePartition(), 4), shardOf(candidate, 128)}},
		{"lists with shards", shardedLists},
	}
}

// settingKeys returns a key of each kind of setting. A kind that is missing in kinds fails.
func settingKeys(t *testing.T, company string) []kv.Key {
	source, err := os.ReadFile("settings.go")
	if err != nil {
		t.Fatal(err)
	}
	if made := bytes.Count(source, []byte("= kind{")); made != len(kinds) {
		t.Errorf("settings.go makes %d kinds and lists %d", made, len(kinds))
	}
	var keys []kv.Key
	for _, k := range kinds {
		key, ok := settingKey(company, k, k.prefix+"01JD5T00000000000000000SET")
		if !ok {
			t.Errorf("%s: its own id is none", k.word)
		}
		keys = append(keys, key)
	}
	return keys
}

// TestKeyText holds the promise of keys.go: no file but it and keys_index.go contains key text.
func TestKeyText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if path == "keys.go" || path == "keys_index.go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING &&
				strings.Contains(text.Value, "#") {
				t.Errorf("%s: %s is key text: build it in keys.go", files.Position(text.Pos()),
					text.Value)
			}
			return true
		})
	}
}

func TestRefOf(t *testing.T) {
	t.Parallel()
	at := candidateRef{"com_01JD5T00000000000000000CCC", "cnd_01JD5T00000000000000000CND"}
	for _, pk := range []string{at.partition(), at.messagePartition()} {
		if got, ok := refOf(pk); !ok || got != at {
			t.Errorf("%q: got %v, %v", pk, got, ok)
		}
	}
	for _, pk := range []string{"", "#CAND#", "x#CAND#01JD5T00000000000000000CND",
		at.partition()[:40], strings.ToLower(at.partition()), at.partition() + "x"} {
		if got, ok := refOf(pk); ok {
			t.Errorf("%q: got %v", pk, got)
		}
	}
}

func bounds(from, to string) string { return from + " " + to }
