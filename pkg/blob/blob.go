// Package blob holds what every store of uploaded bytes shares: the types, the rules for keys, and
// the two errors. The stores are fileblob (a folder of files) and s3blob (a versioned bucket); each
// is a package of its own, so that a binary links only the one it uses.
//
// A store never overwrites: putting a key again makes a new version of it, and a Ref goes on naming
// the version it was made for.
package blob

import (
	"errors"
	"fmt"
	"strings"
)

// Pending is the key prefix of files that came through a form and are not yet part of a document.
// Objects under it may vanish after a day; a store's Keep copies what is to stay to a key outside
// of it.
const Pending = "pending/"

// ErrNotFound means that no such key, or no such version of it, is stored.
var ErrNotFound = errors.New("blob not found")

// ErrUnavailable is wrapped by every technical failure of a store: it may have happened or not, and
// trying again may help.
var ErrUnavailable = errors.New("blob store is unavailable")

// Ref is one pinned version of an object: what is read through it never changes.
type Ref struct {
	Key     string `json:"key"`
	Version string `json:"version"` // opaque
}

// Info describes one stored version.
type Info struct {
	Ref
	Size   int64  // bytes
	SHA256 string // of the content, lower-case hex
}

// Form holds the address and fields for posting a file as multipart/form-data: all Fields, then the
// file as the last field, named "file". The store takes exactly the size, checksum and content type
// that the form was made for. Success is 204.
type Form struct {
	URL    string            `json:"url"`
	Fields map[string]string `json:"fields"`
}

const maxKey = 512

// CheckKey returns what is wrong with the form of a key: segments of letters, digits and "-_=.",
// none empty or beginning with a dot, joined by slashes.
func CheckKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fmt.Errorf("a blob key has 1 to %d bytes, not %d", maxKey, len(key))
	}
	for segment := range strings.SplitSeq(key, "/") {
		if segment == "" || segment[0] == '.' || strings.ContainsFunc(segment, notInKey) {
			return errors.New(
				"a blob key has a segment that is empty, begins with a dot or has a character it must not have")
		}
	}
	return nil
}

// CheckPrefix returns what is wrong with the form of a prefix: like a key, and it may end with a
// slash. It is never empty.
func CheckPrefix(prefix string) error { return CheckKey(strings.TrimSuffix(prefix, "/")) }

func notInKey(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_=.", r)
}
