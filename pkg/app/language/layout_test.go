package language

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// The bounds of Go source, tests included.
const (
	maxWidth    = 100 // columns of a line; a tab counts as four
	maxFunction = 59  // lines of a function, its first and last included
	maxFile     = 399 // lines
	longLiteral = 50  // columns from which a string literal may make its line too wide
)

// TestWidth checks that no line is wider than maxWidth: neither a comment, alone or behind code, nor
// code, unless one long string literal alone makes it so.
func TestWidth(t *testing.T) {
	t.Parallel()
	each(t, ".go", func(path string, text []byte) {
		literals, comments := tokens(path, text)
		for n, line := range strings.Split(string(text), "\n") {
			width := columns(line)
			if width <= maxWidth || strings.HasPrefix(line, "//go:") {
				continue
			}
			if literal := literals[n+1]; literal >= longLiteral && !comments[n+1] &&
				width-literal <= maxWidth {
				continue
			}
			t.Errorf("%s:%d: the line has %d columns, at most %d", path, n+1, width, maxWidth)
		}
	})
}

// TestLengths checks that functions and files are short.
func TestLengths(t *testing.T) {
	t.Parallel()
	each(t, ".go", func(path string, text []byte) {
		if n := strings.Count(string(text), "\n"); n > maxFile {
			t.Errorf("%s has %d lines, at most %d", path, n, maxFile)
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > maxFunction {
				t.Errorf("%s: %s has %d lines, at most %d", path, f.Name.Name, n, maxFunction)
			}
		}
	})
}

// tokens returns, by line, the columns of the widest string literal that is on it and whether it
// has a comment.
func tokens(path string, text []byte) (literals map[int]int, comments map[int]bool) {
	literals, comments = map[int]int{}, map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return literals, comments
		case token.COMMENT:
			for n := range strings.Count(literal, "\n") + 1 {
				comments[file.Line(pos)+n] = true
			}
		case token.STRING:
			for n, line := range strings.Split(literal, "\n") {
				at := file.Line(pos) + n
				literals[at] = max(literals[at], columns(line))
			}
		}
	}
}

// columns returns the width of a text.
func columns(text string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(text, "\t", "    "))
}
