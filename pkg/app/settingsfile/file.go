package settingsfile

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Settings holds what a file says.
type Settings struct {
	path     string
	root     *yaml.Node
	sections map[string][]entity
}

// Read reads a file. The error joins one for each thing that is wrong, with file, line and field.
// ${NAME} in the address of an integration or of a parser service is the value of a variable.
func Read(path string, lookup func(string) (string, bool)) (*Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Settings{path: path, root: &yaml.Node{}, sections: map[string][]entity{}}
	if err := yaml.Unmarshal(text, s.root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	asText(s.root)
	var whole any
	if err := s.root.Decode(&whole); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if whole == nil {
		whole = map[string]any{}
	}
	if whole, err = converted[any](whole, nil); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := errors.Join(s.mistakes("", Schema(), whole)...); err != nil {
		return nil, err
	}
	var errs []error
	for _, k := range kinds {
		seen := map[string]bool{}
		for n, e := range objects(whole.(map[string]any)[k.section]) {
			at := fmt.Sprintf("/%s/%d", k.section, n)
			errs = append(errs, s.expand(at, e, lookup))
			if key := k.key(e); seen[key] {
				errs = append(errs, s.wrong(at,
					fmt.Sprintf("There is a %s %q before it.", k.word, key)))
			} else {
				seen[key] = true
			}
			s.sections[k.section] = append(s.sections[k.section],
				plain(e, entity{"$ref": ownRef + k.schema}).(entity))
		}
	}
	return s, errors.Join(errs...)
}

// asText turns YAML's times into texts: JSON has no times.
func asText(n *yaml.Node) {
	if n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		asText(child)
	}
}

// wrong returns an error that names file, line and field. The line is that of the nearest part of
// the file that exists.
func (s *Settings) wrong(pointer, text string) error {
	at, line := s.root, max(1, s.root.Line)
	if at.Kind == yaml.DocumentNode {
		at = at.Content[0]
	}
	for token := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		next := child(at, token)
		if next == nil {
			break
		}
		at, line = next, next.Line
	}
	return fmt.Errorf("%s:%d: %s: %s", s.path, line, pointer, text)
}

// child returns the node of a member or an element, nil if there is none.
func child(n *yaml.Node, token string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	index, err := strconv.Atoi(token)
	for i := range n.Content {
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 0 && n.Content[i].Value == token:
			return n.Content[i+1]
		case n.Kind == yaml.SequenceNode && err == nil && i == index:
			return n.Content[i]
		}
	}
	return nil
}

var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

// expand puts the values of variables into the addresses of an entity.
func (s *Settings) expand(at string, e entity, lookup func(string) (string, bool)) error {
	var errs []error
	within := func(parent any, pointer string) {
		object, _ := parent.(entity)
		if address, ok := object["url"].(string); ok {
			object["url"] = variable.ReplaceAllStringFunc(address, func(ref string) string {
				name := variable.FindStringSubmatch(ref)[1]
				value, set := lookup(name)
				if !set {
					errs = append(errs, s.wrong(at+pointer,
						fmt.Sprintf("The variable %s is not set.", name)))
				}
				return value
			})
		}
	}
	within(e["target"], "/target/url")
	check, _ := e["check"].(entity)
	within(check["http"], "/check/http/url")
	return errors.Join(errs...)
}
