package settingsfile

import (
	"context"
	"fmt"

	"github.com/dossierhq/dossier/client"
)

// live holds the settings of a company as they are.
type live struct {
	company  string
	names    *names
	entities map[string]map[string]stored // section and key
	double   map[string]string            // section/key of which there are several, and what to do
}

// stored is one of the settings in the installation.
type stored struct {
	id   string
	file entity // as it stands in the file
}

// readLive reads all settings of the company to which the client's key belongs.
func readLive(ctx context.Context, c *client.Client) (*live, error) {
	session, err := c.GetCurrentSession(ctx)
	if err != nil {
		return nil, err
	}
	l := &live{company: session.Value.Company.Id, names: newNames(),
		entities: map[string]map[string]stored{}, double: map[string]string{}}
	raw := map[string][]entity{}
	for _, k := range kinds {
		for e, err := range k.list(ctx, c) {
			if err != nil {
				return nil, err
			}
			l.names.add(k.section, k.key(e), fmt.Sprint(e["id"]))
			owner, _ := e["owner"].(entity)
			if owner == nil || owner["companyId"] == l.company {
				raw[k.section] = append(raw[k.section], e)
			}
		}
	}
	for _, k := range kinds {
		l.entities[k.section] = map[string]stored{}
		for _, e := range raw[k.section] {
			l.add(k, e)
		}
	}
	return l, nil
}

func (l *live) add(k *kind, e entity) {
	key := k.key(e)
	if before, twice := l.entities[k.section][key]; twice {
		l.double[path(k, key)] = fmt.Sprintf(
			"There is more than one %s %q, %s and %s: rename one of them.", k.word, key, before.id,
			e["id"])
	}
	l.entities[k.section][key] = stored{fmt.Sprint(e["id"]), l.names.toFile(k, e)}
}

// path names an entity in the state file and in errors.
func path(k *kind, key string) string { return k.section + "/" + key }
