package settingsfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/dossierhq/dossier/client"
)

// Apply makes the changes of a plan, in an order in which everything that is named exists, and
// writes a line for each. The state file is saved after each, so that an interrupted apply can be
// repeated. Signing secrets that the service makes meanwhile are handed to keep, once.
func (p *Plan) Apply(ctx context.Context, w io.Writer,
	keep func(path, secret string) error) error {
	do := func(c change) error {
		if err := p.do(ctx, c, keep); err != nil {
			return fmt.Errorf("%s the %s %q: %w", c.op, c.kind.word, c.key, err)
		}
		if _, err := fmt.Fprintf(w, "%sd the %s %q\n", c.op, c.kind.word, c.key); err != nil {
			return err
		}
		return p.state.save()
	}
	creates, updates, deletes := p.by(opCreate), p.by(opUpdate), p.by(opDelete)
	for len(creates) > 0 {
		n := slices.IndexFunc(creates, p.resolves)
		if n < 0 { // they name each other, which takes rules
			n = slices.IndexFunc(creates, func(c change) bool { return hasRules(c.after) })
			whole := creates[n]
			creates[n].after = withoutRules(whole.after)
			updates = append(updates, change{whole.kind, opUpdate, whole.key, "",
				creates[n].after, whole.after})
		}
		if err := do(creates[n]); err != nil {
			return err
		}
		creates = slices.Delete(creates, n, n+1)
	}
	for _, c := range updates {
		if c.id == "" {
			c.id = p.live.names.ids[c.kind.section][c.key]
		}
		if err := do(c); err != nil {
			return err
		}
	}
	if err := deleteAll(deletes, do); err != nil {
		return err
	}
	return p.state.save()
}

// deleteAll deletes what nothing names, until all is deleted. Where only deleted entities name each
// other, which takes rules, a document type loses its rules first.
func deleteAll(deletes []change, do func(change) error) error {
	for len(deletes) > 0 {
		var left []change
		var refused error
		for _, c := range deletes {
			var e *client.Error
			if err := do(c); errors.As(err, &e) && e.Code == client.INUSE {
				left, refused = append(left, c), err
			} else if err != nil {
				return err
			}
		}
		if len(left) == len(deletes) {
			n := slices.IndexFunc(left, func(c change) bool { return hasRules(c.before) })
			if n < 0 {
				return refused
			}
			bare := left[n]
			bare.op, bare.after = opUpdate, withoutRules(bare.before)
			if err := do(bare); err != nil {
				return err
			}
			left[n].before = bare.after
		}
		deletes = left
	}
	return nil
}

// hasRules reports whether an entity has rules, or tests of them.
func hasRules(e entity) bool { return e["rules"] != nil || e["tests"] != nil }

// withoutRules returns a copy of an entity without rules and their tests.
func withoutRules(e entity) entity {
	bare := clone(e)
	delete(bare, "rules")
	delete(bare, "tests")
	return bare
}

func (p *Plan) by(op string) (list []change) {
	for _, c := range p.changes {
		if c.op == op {
			list = append(list, c)
		}
	}
	return list
}

// resolves reports whether everything that a new entity names exists.
func (p *Plan) resolves(c change) bool {
	_, unknown := p.live.names.toAPI(c.after)
	return len(unknown) == 0
}

// do makes one change and notes it in the state.
func (p *Plan) do(ctx context.Context, c change, keep func(path, secret string) error) error {
	sums := p.state.of(p.live.company)
	var made entity
	var err error
	switch c.op {
	case opCreate:
		body, _ := p.live.names.toAPI(c.after)
		if made, err = c.kind.create(ctx, p.client, body); err == nil {
			p.live.names.add(c.kind.section, c.key, fmt.Sprint(made["id"]))
		}
	case opUpdate:
		made, err = p.update(ctx, c)
	default:
		if err = c.kind.remove(ctx, p.client, c.id); err == nil {
			delete(sums, c.path())
		}
		return err
	}
	if err != nil {
		return err
	}
	sums[c.path()] = sum(c.after)
	check, _ := made["check"].(entity)
	service, _ := check["http"].(entity)
	for _, holder := range []entity{made, service} {
		if secret, ok := holder["secret"].(string); ok {
			if err := keep(c.path(), secret); err != nil {
				return err
			}
		}
	}
	return nil
}

// update changes an entity from what the plan saw, and refuses if it is another by now.
func (p *Plan) update(ctx context.Context, c change) (entity, error) {
	now, err := c.kind.read(ctx, p.client, c.id)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(p.live.names.toFile(c.kind, now.Value), c.before) {
		return nil, errors.New("it was changed since it was planned")
	}
	before, _ := p.live.names.toAPI(c.before)
	after, _ := p.live.names.toAPI(c.after)
	patch, err := mergePatch(before, after)
	if err != nil {
		return nil, err
	}
	// Tests name rules by their positions, which others have now.
	wanted, _ := after["submission"].(entity)
	if changed, ok := patch["submission"].(entity); ok && wanted["tests"] != nil {
		changed["tests"] = wanted["tests"]
	}
	return c.kind.update(ctx, p.client, c.id, now.ETag, patch)
}

// mergePatch returns the JSON Merge Patch (RFC 7396) that turns one entity into another.
func mergePatch(before, after entity) (entity, error) {
	from, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	text, err := jsonpatch.CreateMergePatch(from, to)
	if err != nil {
		return nil, err
	}
	var patch entity
	return patch, json.Unmarshal(text, &patch)
}
