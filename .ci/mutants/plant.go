package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

//go:embed runtime.go.txt
var runtime string

// mutant is one bug. Its name says where it is and what it changes, without a line number.
type mutant struct {
	id   int
	name string
	line string
}

// planter writes the bugs of one file.
type planter struct {
	*score
	pkg    *packages.Package
	file   *ast.File
	source []byte
	edits  []edit
	names  map[string]int
	stack  []ast.Node
}

// edit replaces the bytes from one offset to another. Edits that insert at one offset stand in the
// order of their rank.
type edit struct {
	from, to, rank int
	text           string
}

// plant writes the package with all its bugs, and returns the file that go build -overlay reads.
func (s *score) plant() (string, error) {
	loaded, err := packages.Load(&packages.Config{Dir: s.root, Mode: packages.NeedName |
		packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo}, "./"+s.pkg)
	if err != nil {
		return "", err
	}
	if len(loaded[0].Errors) > 0 {
		return "", loaded[0].Errors[0]
	}
	replace := map[string]string{
		filepath.Join(s.root, "pkg/mutant/mutant.go"): s.workFile("runtime.go", runtime),
	}
	names := map[string]int{}
	for i, file := range loaded[0].Syntax {
		path := loaded[0].CompiledGoFiles[i]
		source, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		p := &planter{score: s, pkg: loaded[0], file: file, source: source, names: names}
		ast.PreorderStack(file, nil, p.visit)
		if len(p.edits) > 0 {
			replace[path] = s.workFile("planted_"+filepath.Base(path), p.text())
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	return s.workFile("overlay.json", string(overlay)), err
}

func (s *score) workFile(name, text string) string {
	path := filepath.Join(s.work, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	return path
}

// text returns the file with its edits.
func (p *planter) text() string {
	at := p.offset(p.file.Name.End())
	p.edits = append(p.edits, edit{at, at, 0, `; import "` + module + `/pkg/mutant"`})
	sort.SliceStable(p.edits, func(i, j int) bool {
		a, b := p.edits[i], p.edits[j]
		return a.from < b.from || a.from == b.from && a.rank < b.rank
	})
	var out strings.Builder
	done := 0
	for _, e := range p.edits {
		out.Write(p.source[done:e.from])
		out.WriteString(e.text)
		done = e.to
	}
	out.Write(p.source[done:])
	return out.String()
}

func (p *planter) offset(at token.Pos) int { return p.pkg.Fset.Position(at).Offset }

// visit plants the bugs of one node.
func (p *planter) visit(n ast.Node, stack []ast.Node) bool {
	p.stack = stack
	switch n := n.(type) {
	case *ast.BinaryExpr:
		p.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.SUB {
			p.negative(n)
		}
	case *ast.IncDecStmt:
		p.step(n)
	case *ast.BranchStmt:
		p.branch(n)
	}
	return true
}

// number names a new bug at this place and returns its number.
func (p *planter) number(at token.Pos, kind string, n ast.Node) int {
	where := p.pkg.Fset.Position(at)
	lines := strings.Split(string(p.source), "\n")
	code := strings.Join(strings.Fields(string(p.source[p.offset(n.Pos()):p.offset(n.End())])), " ")
	name := fmt.Sprintf("%s/%s %s %s %s", strings.TrimPrefix(p.score.pkg, "pkg/"),
		filepath.Base(where.Filename), p.function(), kind, code)
	if p.names[name]++; p.names[name] > 1 {
		name = fmt.Sprintf("%s #%d", name, p.names[name])
	}
	p.mutants = append(p.mutants, &mutant{id: len(p.mutants), name: name, line: fmt.Sprintf(
		"%s:%d: %s", where.Filename, where.Line, strings.TrimSpace(lines[where.Line-1]))})
	return len(p.mutants) - 1
}

// function returns the name of the function around the node, or "-".
func (p *planter) function() string {
	for _, n := range p.stack {
		if f, ok := n.(*ast.FuncDecl); ok {
			if f.Recv != nil {
				return strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." +
					f.Name.Name
			}
			return f.Name.Name
		}
	}
	return "-"
}
