package check

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"
)

// conditions are those of the grid, each with the text of its value for a picture.
var conditions = []struct {
	name string
	of   func(seen) string
}{
	{"dots per inch", func(s seen) string { return fmt.Sprintf("%03v", s.Picture.DPI) }},
	{"blur, pixels at 200 dpi", func(s seen) string {
		return fmt.Sprintf("%.1f", s.Picture.Blur*200/s.Picture.DPI)
	}},
	{"turn, degrees", func(s seen) string {
		return fmt.Sprintf("%v", s.Picture.Turn)
	}},
	{"upright, or turned", func(s seen) string {
		return fmt.Sprintf("%03d", 90*s.Picture.Quarters)
	}},
	{"darker on one side by", func(s seen) string { return fmt.Sprintf("%.2f", s.Picture.Light) }},
	{"perspective", func(s seen) string { return fmt.Sprintf("%.2f", s.Picture.Tilt) }},
	{"layout", func(s seen) string { return fmt.Sprint(s.Picture.Layout) }},
	{"font", func(s seen) string { return fmt.Sprint(s.Picture.Font) }},
}

// tally counts fates: of documents, and of values by reference.
type tally map[string]map[string]int

func (t tally) add(what, fate string) {
	if t[what] == nil {
		t[what] = map[string]int{}
	}
	t[what][fate]++
}

// row writes the shares of one kind of thing that were counted.
func (t tally) row(what string) string {
	n := t[what]
	return fmt.Sprintf("%5d %5d %5d", n[fateRight], n[fateReview], n[fateWrong])
}

// talliesOf counts the pictures of each value of a condition.
func talliesOf(all []seen, of func(seen) string) (map[string]tally, []string) {
	counts := map[string]tally{}
	for _, s := range all {
		at := of(s)
		if counts[at] == nil {
			counts[at] = tally{}
		}
		counts[at].add("document", s.Validates)
		for reference, fate := range s.Values {
			counts[at].add(reference, fate)
		}
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return counts, names
}

// gridTable lists the fates of the pictures by condition: right, reviewed and wrong for documents,
// numbers, classes and dates.
func gridTable(all []seen) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-32s %s\n", "right, reviewed, wrong:",
		"document           number             class              date")
	row := func(name string, t tally) {
		fmt.Fprintf(&b, "%-32s %s  %s  %s  %s\n", name, t.row("document"), t.row("permit.number"),
			t.row("permit.class"), t.row("permit.expires"))
	}
	counts, _ := talliesOf(all, func(seen) string { return "" })
	row("all", counts[""])
	for _, c := range conditions {
		counts, names := talliesOf(all, c.of)
		for _, name := range names {
			row(c.name+" "+name, counts[name])
		}
	}
	return b.String()
}

// The size of a chart of the figure, in pixels: four in a row.
const (
	chartWidth, chartHeight = 230, 130
	chartsInRow             = 4
)

// gridSVG draws for each condition the share of values that were read with certainty, that went to
// review, and that were certain and wrong.
func gridSVG(all []seen) []byte {
	var b bytes.Buffer
	rows := (len(conditions) + chartsInRow - 1) / chartsInRow
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="11" fill="#444">`+"\n",
		chartsInRow*chartWidth, rows*chartHeight+30)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	x := 10
	for _, key := range fates {
		fmt.Fprintf(&b, `<rect x="%d" y="8" width="11" height="11" fill="%s"/>`+
			`<text x="%d" y="18">%s</text>`+"\n", x, key.colour, x+16, key.name)
		x += 190
	}
	fmt.Fprintf(&b, `<text x="%d" y="18">%d pictures, %d values</text>`+"\n", x, len(all),
		len(all)*len(permit.Fields))
	for n, c := range conditions {
		chart(&b, n%chartsInRow*chartWidth, 30+n/chartsInRow*chartHeight, c.name, all, c.of)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

var fates = []struct{ fate, name, colour string }{
	{fateRight, "read right, certain", "#2a7"},
	{fateReview, "to a person", "#ccc"},
	{fateWrong, "wrong, certain", "#c22"},
}

// chart draws one bar for each value of a condition.
func chart(b *bytes.Buffer, left, top int, title string, all []seen, of func(seen) string) {
	const margin, foot, head = 10, 18, 20
	counts, names := talliesOf(all, of)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", left+margin, top+14,
		html.EscapeString(title))
	step := float64(chartWidth-2*margin) / float64(max(len(names), 1))
	high := float64(chartHeight - head - foot)
	for n, name := range names {
		total, sums := 0, map[string]int{}
		for what, byFate := range counts[name] {
			for fate, count := range byFate {
				if what != "document" {
					sums[fate] += count
					total += count
				}
			}
		}
		x, y := float64(left+margin)+float64(n)*step, float64(top+head)+high
		for _, f := range fates {
			part := high * float64(sums[f.fate]) / float64(max(total, 1))
			y -= part
			fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`,
				x, y, step*0.8, part, f.colour)
		}
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x+step*0.4, top+chartHeight-5, strings.TrimLeft(name, "0 ")+zero(name))
	}
}

// zero keeps the nought of a name that is nothing else.
func zero(name string) string {
	if strings.Trim(name, "0") == "" {
		return "0"
	}
	return ""
}
