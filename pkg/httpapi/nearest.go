package httpapi

import "strings"

// nearest returns the known name that takes the fewest edits to come from name, "" where nothing is known. Case does not count.
func nearest(name string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := distance(strings.ToLower(clip(name)), strings.ToLower(k)); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

// suggest returns the end of a sentence that names the nearest known name.
func suggest(name string, known []string) string {
	if n := nearest(name, known); n != "" {
		return "; the nearest is " + n
	}
	return ""
}

// distance counts the insertions, deletions and replacements of bytes between two texts.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

const maxEcho = 200 // bytes of a client's text that an error repeats

// clip cuts a text that an error repeats, and makes it UTF-8.
func clip(s string) string {
	if len(s) > maxEcho {
		s = strings.ToValidUTF8(s[:maxEcho], "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
