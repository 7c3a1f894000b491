package bolt

import (
	"bytes"
	"errors"
	"strings"

	"github.com/dossierhq/dossier/pkg/kv"
)

// Each key of a bucket is a list of texts. A text ends with 00 01, and a 00 in it is written 00 FF:
// so keys sort like the lists of their texts, byte by byte, and no text can run into the next.
const (
	end   = "\x00\x01"
	after = "\x00\x02" // sorts behind every key with the texts before it
)

var escape = strings.NewReplacer("\x00", "\x00\xff")

func appendText(key []byte, text string) []byte {
	key = append(key, escape.Replace(text)...)
	return append(key, end...)
}

func itemKey(k kv.Key) []byte { return appendText(appendText(nil, k.PK), k.SK) }

// entryKey is the key of an index entry: the partition, then the place in it.
func entryKey(partition string, p kv.Place) []byte {
	key := appendText(appendText(nil, partition), p.Sort)
	return appendText(appendText(key, p.PK), p.SK)
}

// cutText takes the first text off a key.
func cutText(key []byte) (text string, rest []byte, err error) {
	head, rest, found := bytes.Cut(key, []byte(end))
	if !found {
		return "", nil, errors.New("a key without an end")
	}
	return strings.ReplaceAll(string(head), "\x00\xff", "\x00"), rest, nil
}

func splitItemKey(key []byte) (kv.Key, error) {
	pk, rest, err := cutText(key)
	if err != nil {
		return kv.Key{}, err
	}
	sk, _, err := cutText(rest)
	return kv.Key{PK: pk, SK: sk}, err
}
