package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

var comparisons = map[token.Token]string{
	token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual",
}

var calculations = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Subtract", token.MUL: "Multiply", token.QUO: "Divide",
	token.REM: "Remainder",
}

// binary turns an operation into a call that knows the bug.
func (p *planter) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		name := map[token.Token]string{token.LAND: "And", token.LOR: "Or"}[n.Op]
		id := p.number(n.OpPos, "INVERT_LOGICAL", n)
		p.call(n, fmt.Sprintf("mutant.%s(%d, ", name, id), ", func() bool { return (", ") })")
	case token.EQL, token.NEQ:
		id := p.number(n.OpPos, "CONDITIONALS_NEGATION", n)
		p.call(n, fmt.Sprintf("mutant.Not(%d, ", id), n.Op.String(), ")")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		boundary := p.number(n.OpPos, "CONDITIONALS_BOUNDARY", n)
		negation := p.number(n.OpPos, "CONDITIONALS_NEGATION", n)
		p.call(n, fmt.Sprintf("mutant.%s(%d, %d, ", comparisons[n.Op], boundary, negation),
			", ", ")")
	default:
		if calculations[n.Op] != "" {
			p.calculation(n)
		}
	}
}

// calculation leaves out strings, which have no difference, and constants, which are no calls.
func (p *planter) calculation(n *ast.BinaryExpr) {
	of := p.pkg.TypesInfo.Types[n]
	basic, ok := of.Type.Underlying().(*types.Basic)
	if ok && basic.Info()&types.IsString != 0 {
		p.notViable++
		return
	}
	if p.constant() {
		p.constants++
		return
	}
	explicit := ""
	if of.Value != nil {
		explicit = "[" + p.typeName(of) + "]"
	}
	id := p.number(n.OpPos, "ARITHMETIC_BASE", n)
	p.call(n, fmt.Sprintf("mutant.%s%s(%d, ", calculations[n.Op], explicit, id), ", ", ")")
}

func (p *planter) negative(n *ast.UnaryExpr) {
	if p.constant() {
		p.constants++
		return
	}
	id := p.number(n.OpPos, "INVERT_NEGATIVES", n)
	name := fmt.Sprintf("mutant.Negative[%s](%d, ", p.typeName(p.pkg.TypesInfo.Types[n]), id)
	p.edits = append(p.edits, edit{p.offset(n.Pos()), p.offset(n.X.Pos()), 1 << 20, ""})
	p.around(n, name, ")")
}

func (p *planter) step(n *ast.IncDecStmt) {
	id := p.number(n.TokPos, "INCREMENT_DECREMENT", n)
	operator := map[token.Token]string{token.INC: " += ", token.DEC: " -= "}[n.Tok]
	operand := string(p.source[p.offset(n.X.Pos()):p.offset(n.X.End())])
	p.edits = append(p.edits, edit{p.offset(n.TokPos), p.offset(n.End()), 0,
		fmt.Sprintf("%smutant.Step(%d, %s)", operator, id, operand)})
}

func (p *planter) branch(n *ast.BranchStmt) {
	other := map[token.Token]token.Token{token.BREAK: token.CONTINUE,
		token.CONTINUE: token.BREAK}[n.Tok]
	if other == token.ILLEGAL {
		return
	}
	label := ""
	if n.Label != nil {
		label = " " + n.Label.Name
	}
	text := fmt.Sprintf("{ if mutant.On(%s) { %s%s }; %s%s }", "%d", other, label, n.Tok, label)
	if !p.compiles(n, "{ if len(\"\") > 1 { "+other.String()+label+" }; "+n.Tok.String()+label+
		" }") {
		p.notViable++
		return
	}
	p.edits = append(p.edits, edit{p.offset(n.Pos()), p.offset(n.End()), 0,
		fmt.Sprintf(text, p.number(n.TokPos, "INVERT_LOOPCTRL", n))})
}

// compiles tells whether the package builds with this text in place of the node.
func (p *planter) compiles(n ast.Node, text string) bool {
	alone := &planter{pkg: p.pkg, file: p.file, source: p.source}
	alone.edits = []edit{{p.offset(n.Pos()), p.offset(n.End()), 0, text}}
	source := strings.Replace(alone.text(), `; import "`+module+`/pkg/mutant"`, "", 1)
	files := []*ast.File{}
	for i, f := range p.pkg.Syntax {
		if f == p.file {
			changed, err := parse(p.pkg.Fset, filepath.Base(p.pkg.CompiledGoFiles[i]), source)
			if err != nil {
				return false
			}
			f = changed
		}
		files = append(files, f)
	}
	check := types.Config{Importer: importer(p.pkg.Types.Imports())}
	_, err := check.Check(p.pkg.PkgPath, p.pkg.Fset, files, nil)
	return err == nil
}

// importer finds the packages that the loaded one imports.
type importer []*types.Package

func (i importer) Import(path string) (*types.Package, error) {
	for _, p := range i {
		if p.Path() == path {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s is not imported", path)
}

// call writes a call around an operation, with other text in place of its operator.
func (p *planter) call(n *ast.BinaryExpr, before, between, after string) {
	p.edits = append(p.edits, edit{p.offset(n.OpPos), p.offset(n.OpPos) + len(n.Op.String()), 0,
		between})
	p.around(n, before, after)
}

// around nests: outer text opens before and closes after the inner one.
func (p *planter) around(n ast.Node, before, after string) {
	from, to, depth := p.offset(n.Pos()), p.offset(n.End()), len(p.stack)
	p.edits = append(p.edits, edit{from, from, depth, before}, edit{to, to, -depth, after})
}

// constant tells whether the node stands where Go wants a constant.
func (p *planter) constant() bool {
	for _, n := range p.stack {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST {
				return true
			}
		case *ast.ArrayType:
			return true
		}
	}
	return false
}

// typeName returns the type as the file writes it; that of an untyped constant is its default.
func (p *planter) typeName(of types.TypeAndValue) string {
	t := of.Type
	if of.Value != nil && of.Value.Kind() != constant.Unknown {
		t = types.Default(t)
	}
	return types.TypeString(t, func(other *types.Package) string {
		if other == p.pkg.Types {
			return ""
		}
		return other.Name()
	})
}
