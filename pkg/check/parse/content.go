package parse

import (
	"math"
	"slices"

	"github.com/ledongthuc/pdf"

	"github.com/dossierhq/dossier/pkg/check/layout"
)

// Bounds of the work that one file may cause.
const (
	maxOperations = 2_000_000 // of all pages together
	maxCodesRead  = 1_000_000 // of the tables of all fonts together
	maxForms      = 5_000     // drawn on all pages together
	maxGlyphs     = 1_000_000 // of all pages together
	maxFormDepth  = 8         // forms within forms
	maxStates     = 256       // saved graphics states
	maxDirections = 8         // directions of text on one page
)

// matrix maps (x, y) to (a·x + c·y + e, b·x + d·y + f).
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then applies m first and n afterwards.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func move(x, y float64) matrix { return matrix{a: 1, d: 1, e: x, f: y} }

// graphics is the part of the graphics state that places text.
type graphics struct {
	ctm                              matrix
	face                             *typeface
	size, charSpace, wordSpace, rise float64
	leading, stretch                 float64
}

// interpreter runs the content of pages and keeps the glyphs.
type interpreter struct {
	budget *budget
	total  int  // glyphs
	images bool // pictures are drawn
	// those of the page, and the names of the forms that are being run
	drawings []drawing
	path     []string
	faces    map[string]*typeface
	objects  map[string]object

	resources pdf.Value
	depth     int
	state     graphics
	saved     []graphics
	line, pos matrix // text line matrix, text matrix
	moved     bool
	glyphs    map[int][]layout.Glyph // by direction in degrees
}

// page returns the lines of a page, direction after direction.
func (in *interpreter) page(content, resources pdf.Value) (lines []layout.Line, err error) {
	in.glyphs = make(map[int][]layout.Glyph)
	in.drawings, in.path = nil, nil
	in.state, in.saved, in.depth = graphics{ctm: identity, stretch: 1}, nil, 0
	err = recovered(func() { in.run(content, resources) })
	directions := make([]int, 0, len(in.glyphs))
	for d := range in.glyphs {
		directions = append(directions, d)
	}
	slices.Sort(directions)
	for _, d := range directions {
		for _, l := range layout.Lines(in.glyphs[d]) {
			l.Turn = d
			lines = append(lines, l)
		}
	}
	return lines, err
}

// run interprets one content stream with its resources.
func (in *interpreter) run(content, resources pdf.Value) {
	outer, faces, objects := in.resources, in.faces, in.objects
	in.resources = resources
	in.faces, in.objects = make(map[string]*typeface), make(map[string]object)
	in.line, in.pos = identity, identity
	content, _ = in.budget.closed(content)
	pdf.Interpret(content, func(stk *pdf.Stack, op string) {
		args := make([]pdf.Value, stk.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stk.Pop()
		}
		spend(&in.budget.operations, 1)
		in.operate(op, args)
	})
	in.resources, in.faces, in.objects = outer, faces, objects
}

func (in *interpreter) operate(op string, args []pdf.Value) {
	if in.place(op, args) || in.show(op, args) {
		return
	}
	n := func(i int) float64 { return arg(args, i).Float64() }
	switch op {
	case "q":
		if len(in.saved) < maxStates {
			in.saved = append(in.saved, in.state)
		}
	case "Q":
		if last := len(in.saved) - 1; last >= 0 {
			in.state, in.saved = in.saved[last], in.saved[:last]
		}
	case "cm":
		in.state.ctm = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}.then(in.state.ctm)
	case "Tf":
		in.state.face, in.state.size = in.font(arg(args, 0).Name()), n(1)
	case "Tc":
		in.state.charSpace = n(0)
	case "Tw":
		in.state.wordSpace = n(0)
	case "Tz":
		in.state.stretch = n(0) / 100
	case "TL":
		in.state.leading = n(0)
	case "Ts":
		in.state.rise = n(0)
	case "Do":
		in.draw(arg(args, 0).Name())
	case "BI":
		in.images = true
	}
}

// place performs the operators that move the text position.
func (in *interpreter) place(op string, args []pdf.Value) bool {
	n := func(i int) float64 { return arg(args, i).Float64() }
	switch op {
	case "BT":
		in.line = identity
	case "Td":
		in.line = move(n(0), n(1)).then(in.line)
	case "TD":
		in.state.leading = -n(1)
		in.line = move(n(0), n(1)).then(in.line)
	case "T*", "'", `"`:
		in.line = move(0, -in.state.leading).then(in.line)
	case "Tm":
		in.line = matrix{n(0), n(1), n(2), n(3), n(4), n(5)}
	default:
		return false
	}
	in.pos, in.moved = in.line, true
	return op != "'" && op != `"` // these show text, too
}

// show performs the operators that show text.
func (in *interpreter) show(op string, args []pdf.Value) bool {
	switch op {
	case "Tj", "'":
		in.text(arg(args, 0).RawString())
	case `"`:
		in.state.wordSpace, in.state.charSpace = arg(args, 0).Float64(), arg(args, 1).Float64()
		in.text(arg(args, 2).RawString())
	case "TJ":
		list := arg(args, 0)
		for i := range list.Len() {
			if item := list.Index(i); item.Kind() == pdf.String {
				in.text(item.RawString())
			} else {
				in.advance(-item.Float64() / 1000 * in.state.size * in.state.stretch)
			}
		}
	default:
		return false
	}
	return true
}

func (in *interpreter) advance(x float64) { in.pos = move(x, 0).then(in.pos) }

// text shows a string in the current font and keeps its glyphs.
func (in *interpreter) text(raw string) {
	s := in.state
	if s.face == nil {
		return
	}
	s.face.glyphs(raw, func(code, text string, width float64) {
		m := move(0, s.rise).then(in.pos).then(s.ctm)
		across := math.Hypot(m.a, m.b)
		in.keep(layout.Glyph{
			W: width * s.size * s.stretch * across, Size: math.Abs(s.size) * math.Hypot(m.c, m.d),
			Text: text, Moved: in.moved,
		}, m)
		in.moved = false
		step := width*s.size + s.charSpace
		if code == " " {
			step += s.wordSpace
		}
		in.advance(step * s.stretch)
	})
}

// keep files a glyph under its direction, turned so that it runs from left to right.
func (in *interpreter) keep(g layout.Glyph, m matrix) {
	if in.total++; in.total > maxGlyphs {
		panic(errTooMuch)
	}
	turn := math.Atan2(m.b, m.a)
	degrees := (int(math.Round(turn*180/math.Pi)) + 360) % 360
	if _, ok := in.glyphs[degrees]; !ok && len(in.glyphs) >= maxDirections {
		return
	}
	sin, cos := math.Sincos(turn)
	g.X, g.Y = m.e*cos+m.f*sin, m.f*cos-m.e*sin
	in.glyphs[degrees] = append(in.glyphs[degrees], g)
}

// font reads a font once per content stream.
func (in *interpreter) font(name string) *typeface {
	face, ok := in.faces[name]
	if !ok {
		if v := in.resources.Key("Font").Key(name); v.Kind() == pdf.Dict {
			face = newTypeface(v, in.budget)
		}
		in.faces[name] = face
	}
	return face
}

// object is an external object: an Image or a Form.
type object struct {
	value   pdf.Value
	subtype string
}

// object looks an external object up once per content stream: a look-up reads the file.
func (in *interpreter) object(name string) object {
	o, ok := in.objects[name]
	if !ok {
		v := in.resources.Key("XObject").Key(name)
		o = object{v, v.Key("Subtype").Name()}
		in.objects[name] = o
	}
	return o
}

// draw runs a form and notes a picture.
func (in *interpreter) draw(name string) {
	o := in.object(name)
	switch o.subtype {
	case "Image":
		in.images = true
		if len(in.drawings) < maxDrawn {
			in.drawings = append(in.drawings,
				drawing{append(slices.Clone(in.path), name), in.state.ctm})
		}
	case "Form":
		object := o.value
		spend(&in.budget.forms, 1)
		if in.depth >= maxFormDepth {
			return
		}
		state, line, pos, resources := in.state, in.line, in.pos, object.Key("Resources")
		if resources.IsNull() {
			resources = in.resources
		}
		if m := object.Key("Matrix"); m.Len() == 6 {
			f := func(i int) float64 { return m.Index(i).Float64() }
			in.state.ctm = matrix{f(0), f(1), f(2), f(3), f(4), f(5)}.then(in.state.ctm)
		}
		in.depth++
		in.path = append(in.path, name)
		saved := in.saved
		in.saved = nil
		in.run(object, resources)
		in.depth--
		in.path = in.path[:len(in.path)-1]
		in.state, in.line, in.pos, in.saved = state, line, pos, saved
	}
}

func arg(args []pdf.Value, i int) pdf.Value {
	if i < len(args) {
		return args[i]
	}
	return pdf.Value{}
}
