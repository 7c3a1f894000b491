package planted

import "testing"

const source = `package p

func f() {
	// a comment
	if ok := call(first,
		second, // another
	); ok {
		return
	}
}
`

// A piece of code is found however it is broken into lines, and only as whole tokens.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"	if ok := call(first, second); ok {\n		return": 1,
		"ok":         2,
		"call(first": 1,
		"call(fir":   0,
		"":           0,
	} {
		found := places(source, code)
		if len(found) != want {
			t.Errorf("%q: %d places, not %d", code, len(found), want)
		}
		for _, at := range found {
			if len(pieces(source[at.from:at.to])) != len(pieces(code)) {
				t.Errorf("%q: found %q", code, source[at.from:at.to])
			}
		}
	}
}
