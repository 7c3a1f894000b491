package httpapi

import (
	"slices"

	"github.com/dossierhq/dossier/pkg/dossier"
	"github.com/dossierhq/dossier/pkg/httpapi/openapi/spec"
)

// readingTypes describes what a check read, and where.
func readingTypes() []spec.Type {
	return slices.Concat(
		spec.Output("Reading", "", "A value as the check read it, and where it stood.",
			dossier.Reading{}, spec.Fields{
				"reference": says("Where the value stands in `parsed`, dotted."),
				"value": says(
					"As in `parsed`. It is the text that was found if that is not of the field's type."),
				"confidence": says("How sure the parser is of this value.").Between(0, 1),
				"part":       says("Name of the part."),
				"page": says(
					"Page of the part, from 1. Left out for what has no place, as the fields of a form.").AtLeast(1),
				"box": says("Left out if it is not known."),
			}),
		spec.Output("Box", "",
			"A rectangle on a page or picture as programs show it, turned by its EXIF orientation: fractions of its width and height, from the upper left corner.",
			dossier.Box{}, spec.Fields{
				"x":      says("The left edge.").Between(0, 1),
				"y":      says("The upper edge.").Between(0, 1),
				"width":  says("From the left edge to the right.").Between(0, 1),
				"height": says("From the upper edge to the lower.").Between(0, 1),
			}),
	)
}
