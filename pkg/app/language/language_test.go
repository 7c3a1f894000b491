package language

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const root = "../../.."

// Words that only this project used for things that have a name, and phrases of translated English.
var (
	dialect = regexp.MustCompile(
		`(?i)\b(doorbells?|rings?|rung|rang|bells?|deaf|house|desks?|worlds?|teeth|bites?)\b`)
	phrase = regexp.MustCompile(
		`(?i)\b(is|are|was|were) (what|who|where|how|whose|whom)\b|\bof what\b|\bwho calls\b|\bof whom\b`)
)

// TestComments checks the words of every comment of the Go source.
func TestComments(t *testing.T) {
	t.Parallel()
	each(t, ".go", func(path string, text []byte) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range file.Comments {
			check(t, path, files.Position(group.Pos()).Line, group.Text())
		}
	})
}

// TestNames checks every declared name of the Go source, word by word.
func TestNames(t *testing.T) {
	t.Parallel()
	each(t, ".go", func(path string, text []byte) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && dialect.MatchString(words(id.Name)) {
				t.Errorf("%s: the name %s", files.Position(id.Pos()), id.Name)
			}
			return true
		})
		if dialect.MatchString(words(strings.ReplaceAll(filepath.Base(path), "_", " "))) {
			t.Errorf("%s: the name of the file", path)
		}
	})
}

// TestOtherComments checks the comments of the template and of the scripts.
func TestOtherComments(t *testing.T) {
	t.Parallel()
	for suffix, mark := range map[string]string{".yaml": "#", ".js": "//"} {
		each(t, suffix, func(path string, text []byte) {
			n := 0
			for line := range strings.Lines(string(text)) {
				n++
				comment, found := strings.CutPrefix(strings.TrimSpace(line), mark)
				if !found {
					continue
				}
				check(t, path, n, comment)
				if width := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > maxWidth {
					t.Errorf("%s:%d: the comment ends in column %d, at most %d", path, n, width,
						maxWidth)
				}
			}
		})
	}
}

// TestDocuments checks the pages that people read.
func TestDocuments(t *testing.T) {
	t.Parallel()
	each(t, ".md", func(path string, text []byte) {
		line := 1
		for paragraph := range strings.SplitSeq(string(text), "\n\n") {
			check(t, path, line, paragraph)
			line += strings.Count(paragraph, "\n") + 2
		}
	})
}

// check looks for refused words in a text that begins in a line. A phrase may be broken over lines.
func check(t *testing.T, path string, line int, text string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, pattern := range []*regexp.Regexp{dialect, phrase} {
		for _, at := range pattern.FindAllStringIndex(text, -1) {
			around := strings.ToValidUTF8(text[max(0, at[0]-40):min(len(text), at[1]+40)], "")
			t.Errorf("%s:%d: %q in \"… %s …\"", path, line, text[at[0]:at[1]], around)
		}
	}
}

// each calls do with every file of the project that has the suffix.
func each(t *testing.T, suffix string, do func(path string, text []byte)) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		// the words of generated source are those of the OpenAPI document, its lines the generator's
		if d.IsDir() || filepath.Ext(path) != suffix || strings.HasSuffix(path, ".gen.go") ||
			strings.HasPrefix(path, filepath.Join(root, "pkg/app/language")) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found++
		do(strings.TrimPrefix(path, root+"/"), text)
		return nil
	})
	if err != nil || found == 0 {
		t.Fatal(fmt.Errorf("%d files: %w", found, err))
	}
}

// words cuts a name in camel case into its words.
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
