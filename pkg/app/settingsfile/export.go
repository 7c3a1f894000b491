package settingsfile

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dossierhq/dossier/client"
)

// Export returns the settings of the company to which the client's key belongs as a file.
func Export(ctx context.Context, c *client.Client) ([]byte, error) {
	l, err := readLive(ctx, c)
	if err != nil {
		return nil, err
	}
	return l.export()
}

// ExportTo writes the settings to a new file, and what they are to its state file: an apply then
// refuses what changes in between.
func ExportTo(ctx context.Context, c *client.Client, file string) error {
	l, err := readLive(ctx, c)
	if err != nil {
		return err
	}
	text, err := l.export()
	if err != nil {
		return err
	}
	st, err := readState(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	st.Companies[l.company] = map[string]string{}
	for _, k := range kinds {
		for key, found := range l.entities[k.section] {
			st.of(l.company)[path(k, key)] = sum(found.file)
		}
	}
	return st.save()
}

func (l *live) export() ([]byte, error) {
	var errs []error
	for _, at := range slices.Sorted(maps.Keys(l.double)) {
		errs = append(errs, errors.New(l.double[at]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range kinds {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, key := range slices.Sorted(maps.Keys(l.entities[k.section])) {
			node, err := ordered(l.entities[k.section][key].file)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, node)
		}
		if len(list.Content) > 0 {
			root.Content = append(root.Content,
				&yaml.Node{Kind: yaml.ScalarNode, Value: k.section}, list)
		}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err := errors.Join(e.Encode(root), e.Close())
	return b.Bytes(), err
}

// first lists the members that come before the others, which are sorted.
var first = []string{"name", "slug", "entity", "reference", "label", "conditionsType", "type"}

// ordered returns a value as YAML, with the members by which a person knows it first.
func ordered(value any) (*yaml.Node, error) {
	switch v := value.(type) {
	case entity:
		node := &yaml.Node{Kind: yaml.MappingNode}
		rank := func(key string) int {
			if n := slices.Index(first, key); n >= 0 {
				return n
			}
			return len(first)
		}
		keys := slices.Sorted(maps.Keys(v))
		slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
		for _, key := range keys {
			name, err := ordered(key)
			if err != nil {
				return nil, err
			}
			member, err := ordered(v[key])
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, name, member)
		}
		return node, nil
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		for _, element := range v {
			n, err := ordered(element)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, n)
		}
		return node, nil
	}
	node := &yaml.Node{}
	return node, node.Encode(value)
}
