// Package sniff detects the type of a file from its first bytes, without parsing it. It links no
// parser, so that upload handlers can use it.
package sniff

import (
	"bytes"
	"encoding/binary"
)

// The content types that parts may have.
const (
	PDF  = "application/pdf"
	JPEG = "image/jpeg"
	PNG  = "image/png"
	HEIC = "image/heic"
	JSON = "application/json"
)

// HeadSize is the number of bytes of a file that ContentType reads.
const HeadSize = 1024

// ContentType returns the content type of a file by its first bytes (HeadSize of them are enough),
// or "" for everything that is no PDF, JPEG, PNG, HEIC or JSON object. It detects what a file
// claims to be, not whether it is sound.
func ContentType(head []byte) string {
	head = head[:min(len(head), HeadSize)]
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return PDF
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case hasBrand(head):
		return HEIC
	case startsObject(head):
		return JSON
	}
	return ""
}

// startsObject reports whether the text begins as a JSON object does: a brace, then a name or the
// other brace.
func startsObject(head []byte) bool {
	const blanks = " \t\r\n"
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(head, blanks), []byte("{"))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, blanks)
	return bytes.HasPrefix(rest, []byte(`"`)) || bytes.HasPrefix(rest, []byte("}"))
}

// Image reports whether the content type is a picture, in which no parser built in reads text.
func Image(contentType string) bool {
	return contentType == JPEG || contentType == PNG || contentType == HEIC
}

// hasBrand reports whether a file begins with the box of types of a HEIC picture: its length, its
// name, the brand, a version, and the brands that the file has as well, of four bytes each.
func hasBrand(head []byte) bool {
	const brand, version, least = 8, 12, 16
	if len(head) < least || string(head[4:brand]) != "ftyp" {
		return false
	}
	length := int(min(binary.BigEndian.Uint32(head), uint32(len(head))))
	for at := brand; at+4 <= length; at += 4 {
		switch string(head[at : at+4]) {
		case "heic", "heix", "heim", "heis":
			if at != version {
				return true
			}
		}
	}
	return false
}
