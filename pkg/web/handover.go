package web

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// quiet is the white margin around a QR code, in modules, that its standard asks for.
const quiet = 4

// drawing is a picture of black squares: the path of an SVG image of Size × Size units.
type drawing struct {
	Size int
	Path string
}

// codeOf returns the QR code of a link as a drawing, so that the link stands in no address of an
// image, which logs would keep. Nil is a link that no code holds.
func codeOf(link string) *drawing {
	code, err := qr.Encode(link, qr.M)
	if err != nil {
		return nil
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	return &drawing{code.Size + 2*quiet, path.String()}
}
