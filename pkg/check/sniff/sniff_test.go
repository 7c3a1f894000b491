package sniff

import (
	"strings"
	"testing"
)

func TestContentType(t *testing.T) {
	t.Parallel()
	const box = "\x00\x00\x00\x18ftyp"
	for head, want := range map[string]string{
		"%PDF-1.7\n": PDF, "\xff\xd8\xff\xe0": JPEG, "\x89PNG\r\n\x1a\n\x00": PNG, ` {"a":1}`: JSON,
		"{}":                                   JSON,
		box + "heic\x00\x00\x00\x00mif1heic":   HEIC,
		box + "mif1\x00\x00\x00\x00mif1heix":   HEIC,
		box + "avif\x00\x00\x00\x00mif1avif":   "",
		"\x00\x00\x00\x14ftypmif1heicmif1heic": "",
		box:                                    "",
		"":                                     "", "{": "", "{a}": "", "[1]": "",
		"PK\x03\x04": "", "GIF89a": "",
		"<html>": "", "\x89PNG": "", " %PDF-1.7": "",
	} {
		if got := ContentType([]byte(head)); got != want {
			t.Errorf("ContentType(%q) = %q, want %q", head, got, want)
		}
	}
}

func FuzzContentType(f *testing.F) {
	f.Add([]byte("%PDF-1.7"), []byte("{}"))
	f.Fuzz(func(t *testing.T, head, tail []byte) {
		head = append(head, strings.Repeat(" ", max(0, HeadSize-len(head)))...)
		if a, b := ContentType(head), ContentType(append(head, tail...)); a != b {
			t.Errorf("what stands behind the head made %q of %q", b, a)
		}
	})
}
