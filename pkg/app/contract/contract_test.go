package contract

import (
	"testing"
)

// row is one row of the interface.
type row struct {
	name string
	test func(*service)
}

// rows are the rows of the interface, by the resource or subject that they are about.
var rows = map[string][]row{
	"documentTypes":          documentTypeRows,
	"submission":             submissionRows,
	"rule":                   ruleRows,
	"condition":              conditionRows,
	"action":                 actionRows,
	"candidateDocumentTypes": requestRows,
	"upload":                 uploadRows,
	"validation":             validationRows,
	"messages":               messageRows,
	"scenarios":              scenarioRows,
	"registrationPages":      pageRows,
	"integrations":           integrationRows,
	"events":                 eventRows,
	"import":                 importRows,
	"afterTheFact":           afterRows,
	"inForce":                inForceRows,
}

// TestContract has a subtest for each row of the interface, on each engine, with one shard of lists
// and with four.
func TestContract(t *testing.T) {
	t.Parallel()
	services := map[string]*service{}
	for name, engine := range engines {
		if name == "dynamo" && testing.Short() {
			t.Log("without DynamoDB Local; `make test` runs both engines")
			continue
		}
		services[name] = newService(t, engine(t))
		services[name+", 4 shards"] = newShardedService(t, engine(t), 4)
	}
	for subject, list := range rows {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			for _, r := range list {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					for name, s := range services {
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							r.test(s.sub(t))
						})
					}
				})
			}
		})
	}
}
