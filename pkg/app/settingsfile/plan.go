package settingsfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/dossierhq/dossier/client"
)

// The operations of a change.
const (
	opCreate = "create"
	opUpdate = "update"
	opDelete = "delete"
)

// change is one thing that an apply does.
type change struct {
	kind          *kind
	op, key, id   string
	before, after entity // as they stand in the file
}

func (c change) path() string { return path(c.kind, c.key) }

// Plan holds the changes that bring a company to the settings of a file.
type Plan struct {
	client  *client.Client
	live    *live
	state   *state
	changes []change
	drifted []error
}

// FileErrors says what of a file does not go with the company: names that name nothing, or more
// than one thing, and changes that are impossible.
type FileErrors struct{ error }

// NewPlan compares a file with the settings of the company to which the client's key belongs. It
// returns FileErrors for what is the file's to mend.
func NewPlan(ctx context.Context, c *client.Client, file *Settings) (*Plan, error) {
	l, err := readLive(ctx, c)
	if err != nil {
		return nil, err
	}
	st, err := readState(file.path)
	if err != nil {
		return nil, err
	}
	p := &Plan{client: c, live: l, state: st}
	sums, errs := st.of(l.company), []error{p.unresolved(file)}
	wanted := map[string]bool{}
	for _, k := range kinds {
		for n, e := range file.sections[k.section] {
			at := fmt.Sprintf("/%s/%d", k.section, n)
			key := k.key(e)
			wanted[path(k, key)] = true
			if text, double := l.double[path(k, key)]; double {
				errs = append(errs, file.wrong(at, text))
			} else if text := p.impossible(k, key, e); text != "" {
				errs = append(errs, file.wrong(at+"/type", text))
			} else if text := p.compare(k, key, e, sums[path(k, key)]); text != "" {
				p.drifted = append(p.drifted, file.wrong(at, text))
			}
		}
	}
	p.leftovers(sums, wanted)
	if err := errors.Join(errs...); err != nil {
		return nil, FileErrors{err}
	}
	return p, nil
}

// unresolved returns an error for each reference that names nothing in the file or the company.
func (p *Plan) unresolved(file *Settings) error {
	known := newNames()
	for section, ids := range p.live.names.ids {
		for name, id := range ids {
			known.add(section, name, id)
		}
	}
	for _, k := range kinds {
		for _, e := range file.sections[k.section] {
			if known.ids[k.section][k.key(e)] == "" && p.live.double[path(k, k.key(e))] == "" {
				delete(known.ids[k.section], k.key(e))
				known.add(k.section, k.key(e), "new")
			}
		}
	}
	var errs []error
	for _, k := range kinds {
		for n, e := range file.sections[k.section] {
			_, unknown := known.toAPI(e)
			for _, r := range unknown {
				errs = append(errs, file.wrong(fmt.Sprintf("/%s/%d%s", k.section, n, r.pointer),
					known.problem(r)))
			}
		}
	}
	return errors.Join(errs...)
}

// compare adds the change that an entity of the file needs. It returns what has drifted, if
// anything: then the change overwrites what somebody else did.
func (p *Plan) compare(k *kind, key string, wanted entity, last string) (drift string) {
	found, exists := p.live.entities[k.section][key]
	switch {
	case !exists:
		p.changes = append(p.changes, change{kind: k, op: opCreate, key: key, after: wanted})
		if last != "" {
			return fmt.Sprintf("The %s %q was deleted since the last apply.", k.word, key)
		}
	case reflect.DeepEqual(found.file, wanted):
		p.state.of(p.live.company)[path(k, key)] = sum(wanted)
	default:
		p.changes = append(p.changes, change{k, opUpdate, key, found.id, found.file, wanted})
		if last == "" {
			return fmt.Sprintf("There is another %s %q, which no apply of this file made.", k.word,
				key)
		} else if last != sum(found.file) {
			return fmt.Sprintf("The %s %q was changed since the last apply.", k.word, key)
		}
	}
	return ""
}

// impossible returns why the API cannot make an entity of the one that exists, "" if it can.
func (p *Plan) impossible(k *kind, key string, wanted entity) string {
	found, exists := p.live.entities[k.section][key]
	if k.section != fields || !exists || found.file["type"] == wanted["type"] {
		return ""
	}
	return fmt.Sprintf("The field exists with the type %v, which cannot change.",
		found.file["type"])
}

// leftovers adds the deletion of entities that an apply made and the file does not have any more.
func (p *Plan) leftovers(sums map[string]string, wanted map[string]bool) {
	for _, k := range slices.Backward(kinds) {
		for _, key := range slices.Sorted(maps.Keys(p.live.entities[k.section])) {
			found, last := p.live.entities[k.section][key], sums[path(k, key)]
			if last == "" || wanted[path(k, key)] {
				continue
			}
			p.changes = append(p.changes, change{k, opDelete, key, found.id, found.file, nil})
			if last != sum(found.file) {
				text := fmt.Sprintf(
					"The %s %q was changed since the last apply, and is not in the file.",
					k.word, key)
				p.drifted = append(p.drifted, fmt.Errorf("%s: %s", p.state.path, text))
			}
		}
	}
	for at := range sums {
		if !wanted[at] && !slices.ContainsFunc(p.changes, func(c change) bool {
			return c.path() == at
		}) {
			delete(sums, at) // deleted by somebody, and not wanted
		}
	}
}

// Empty reports whether there is nothing to change.
func (p *Plan) Empty() bool { return len(p.changes) == 0 }

// Drift returns an error for each entity that is not as the last apply left it and would be
// overwritten.
func (p *Plan) Drift() error { return errors.Join(p.drifted...) }

// Print writes each change with the members that differ, and what changed rules would have done to
// past documents.
func (p *Plan) Print(ctx context.Context, w io.Writer) error {
	for _, c := range p.changes {
		if _, err := fmt.Fprintf(w, "%s the %s %q\n", c.op, c.kind.word, c.key); err != nil {
			return err
		}
		if c.op != opUpdate {
			continue
		}
		past, err := p.overPast(ctx, c)
		if err != nil {
			return fmt.Errorf("the %s %q over past documents: %w", c.kind.word, c.key, err)
		}
		for _, line := range append(differences("", c.before, c.after), past...) {
			if _, err := fmt.Fprintf(w, "  %s\n", line); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d to change.\n", len(p.changes))
	return err
}

// differences describes each member that differs.
func differences(at string, before, after any) (lines []string) {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	b, isObject := before.(entity)
	a, both := after.(entity)
	if isObject && both {
		keys := maps.Clone(b)
		maps.Copy(keys, a)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			lines = append(lines, differences(at+"/"+key, b[key], a[key])...)
		}
		return lines
	}
	bs, isList := before.([]any)
	as, both := after.([]any)
	if isList && both && len(bs) == len(as) {
		for n := range as {
			lines = append(lines, differences(fmt.Sprintf("%s/%d", at, n), bs[n], as[n])...)
		}
		return lines
	}
	return []string{fmt.Sprintf("%s: %s becomes %s", at, shown(before), shown(after))}
}

// shown returns a value as a line of JSON.
func shown(value any) string {
	if value == nil {
		return "nothing"
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text)
}

// Secrets lists what gets a signing secret by the plan: the service makes and shows it once.
func (p *Plan) Secrets() (paths []string) {
	for _, c := range p.changes {
		address := parserAddress(c.after)
		if c.op == opCreate && c.kind.section == integrations ||
			address != "" && address != parserAddress(c.before) {
			paths = append(paths, c.path())
		}
	}
	return paths
}

// parserAddress returns the address of a document type's parser service, "" if it has none.
func parserAddress(e entity) string {
	check, _ := e["check"].(entity)
	service, _ := check["http"].(entity)
	address, _ := service["url"].(string)
	return address
}
