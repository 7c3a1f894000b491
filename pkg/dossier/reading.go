package dossier

// Reading is a value as the check read it, and where it stood. A correction leaves it as it is.
type Reading struct {
	Reference string `json:"reference"` // dotted
	// as in the parsed values; the text, if that is not of the field's type
	Value      any     `json:"value"`
	Confidence float64 `json:"confidence"`    // 0 to 1: of this value
	Part       string  `json:"part"`          // the name of the part
	Page       int     `json:"page,omitzero"` // from 1; 0: what was read has no place
	Box        *Box    `json:"box,omitzero"`
}

// Box is a rectangle on a page or picture as it is shown, upright by what the file says: fractions
// of its width and height, 0 to 1, from its upper left corner.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}
