package parse

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of a JSON part.
const (
	maxObjectSize  = 1 << 20
	maxObjectDepth = 32
)

// jsonObject reads a JSON object: names not twice, at most maxObjectDepth levels, nothing behind
// it.
func jsonObject(r io.Reader, size int64) (map[string]any, error) {
	if size > maxObjectSize {
		return nil, errors.New("the JSON object is bigger than 1 MB")
	}
	text, err := io.ReadAll(io.LimitReader(r, maxObjectSize+1))
	if err != nil {
		return nil, errors.New("the JSON object cannot be read")
	}
	if !shallow(text) {
		return nil, errors.New("the JSON object is nested too deeply")
	}
	var o map[string]any
	if err := json.Unmarshal(text, &o); err != nil || o == nil {
		return nil, errors.New("it is not a JSON object with unique names")
	}
	return o, nil
}

// shallow reports whether no value is nested deeper than allowed. Broken JSON is for the decoder to
// refuse.
func shallow(text []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := jsontext.Kind(text[i]); {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxObjectDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return true
}
