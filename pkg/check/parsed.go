package check

import (
	"strings"

	"github.com/dossierhq/dossier/pkg/check/printed"
	"github.com/dossierhq/dossier/pkg/dossier"
)

// maxDepth bounds how deep parsed values are nested.
const maxDepth = 32

// get follows a dotted reference.
func get(parsed map[string]any, reference string) any {
	var v any = parsed
	for name := range strings.SplitSeq(reference, ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// set puts a value at a dotted reference. Where a text stands in the way, the text stays.
func set(parsed map[string]any, reference string, v any) {
	names := strings.Split(reference, ".")
	for _, name := range names[:len(names)-1] {
		next, ok := parsed[name].(map[string]any)
		if !ok {
			if parsed[name] != nil {
				return
			}
			next = map[string]any{}
			parsed[name] = next
		}
		parsed = next
	}
	if last := names[len(names)-1]; parsed[last] == nil {
		parsed[last] = v
	}
}

// empty reports whether a value is missing: absent, null, a blank text, or a list or object without
// members.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// clean copies values that came from outside: texts without control characters and cut to their
// limit. It refuses values that are too deep or too many.
func clean(o map[string]any) (map[string]any, bool) {
	left := dossier.MaxParsed
	v, ok := cleaned(o, maxDepth, &left)
	if !ok {
		return nil, false
	}
	return v.(map[string]any), true
}

func cleaned(v any, depth int, left *int) (any, bool) {
	if *left -= 8; *left < 0 || depth == 0 {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		s := printed.Text(v)
		*left -= len(s)
		return s, *left >= 0
	case []any:
		list := make([]any, len(v))
		for i := range v {
			item, ok := cleaned(v[i], depth-1, left)
			if !ok {
				return nil, false
			}
			list[i] = item
		}
		return list, true
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, member := range v {
			name = printed.Text(name)
			item, ok := cleaned(member, depth-1, left)
			if *left -= len(name); !ok || *left < 0 {
				return nil, false
			}
			m[name] = item
		}
		return m, true
	}
	return v, true
}
