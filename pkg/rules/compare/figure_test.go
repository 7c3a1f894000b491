package compare

import (
	"fmt"
	"testing"
	"time"

	"cel.dev/cel-go/cel"
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/dossierhq/dossier/pkg/rules"
)

// engine decides the ten rules of the workload once and returns those that match.
type engine struct {
	name   string
	decide func() uint64
}

func engines(tb testing.TB) []engine {
	tb.Helper()
	list, facts := workload()
	program := rules.Compile(list)
	return []engine{
		{"evaluation", func() uint64 { return matched(program.Evaluate(facts)) }},
		{"with compiling", func() uint64 { return matched(rules.Evaluate(list, facts)) }},
		{"cel-go", celEngine(tb, false)},
		{"cel-go, variables", celEngine(tb, true)},
		{"expr", exprEngine(tb)},
	}
}

func matched(d rules.Decision) (m uint64) {
	for i, r := range d.Rules {
		if r.Matched {
			m |= 1 << i
		}
	}
	return m
}

// celEngine reads the fields from one map, as a parsed document is one; or binds every field as a
// variable of its own, which is as fast as cel-go gets but knows no nested values.
func celEngine(tb testing.TB, variables bool) func() uint64 {
	list, facts := workload()
	options := []cel.EnvOption{cel.Variable("fields", cel.MapType(cel.StringType, cel.DynType))}
	field, values := "fields.%[1]s", map[string]any{"fields": facts.Parsed}
	if variables {
		options, field, values = nil, "%[1]s", facts.Parsed
		for name := range facts.Parsed {
			options = append(options, cel.Variable(name, cel.StringType))
		}
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		tb.Fatal(err)
	}
	var programs []cel.Program
	s := syntax{field + ` != ""`, field + `.contains(%[2]q)`, `!(` + field + ` in [%[2]q, %[3]q])`,
		field + ` in [%[2]q, %[3]q]`}
	for _, r := range list {
		ast, issues := env.Compile(s.expression(r))
		if issues.Err() != nil {
			tb.Fatal(issues.Err())
		}
		p, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
		if err != nil {
			tb.Fatal(err)
		}
		programs = append(programs, p)
	}
	vars, err := cel.NewActivation(values)
	if err != nil {
		tb.Fatal(err)
	}
	return func() (m uint64) {
		for i, p := range programs {
			v, _, err := p.Eval(vars)
			if err != nil {
				tb.Fatal(err)
			}
			if v.Value() == true {
				m |= 1 << i
			}
		}
		return m
	}
}

func exprEngine(tb testing.TB) func() uint64 {
	list, facts := workload()
	var programs []*vm.Program
	s := syntax{`%[1]s != ""`, `%[1]s contains %[2]q`, `not (%[1]s in [%[2]q, %[3]q])`,
		`%[1]s in [%[2]q, %[3]q]`}
	for _, r := range list {
		p, err := expr.Compile(s.expression(r), expr.Env(facts.Parsed), expr.AsBool())
		if err != nil {
			tb.Fatal(err)
		}
		programs = append(programs, p)
	}
	var machine vm.VM
	return func() (m uint64) {
		for i, p := range programs {
			v, err := machine.Run(p, facts.Parsed)
			if err != nil {
				tb.Fatal(err)
			}
			if v == true {
				m |= 1 << i
			}
		}
		return m
	}
}

func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	for _, e := range engines(t) {
		if m := e.decide(); m != matching {
			t.Errorf("%s matches %010b, want %010b", e.name, m, uint64(matching))
		}
	}
}

// rounds is the number of measurements of each engine, in turn. The fastest one counts: what else
// the machine does only adds.
const rounds = 15

// BenchmarkFigure3 prints figure 3 of the performance targets: all engines in turn, in one run. It
// times them itself, since b.N of one engine says nothing about the next.
func BenchmarkFigure3(b *testing.B) {
	list := engines(b)
	best := make([]float64, len(list))
	for range rounds {
		for i, e := range list {
			const times = 4000
			start := time.Now()
			for range times {
				e.decide()
			}
			if ns := float64(time.Since(start).Nanoseconds()) / times; best[i] == 0 ||
				ns < best[i] {
				best[i] = ns
			}
		}
	}
	fmt.Printf(
		"\nfigure 3: 10 rules x 4 conditions over 100 fields, fastest of %d rounds in turn\n",
		rounds)
	fmt.Printf("%-18s %7s %7s %9s  %s\n", "", "µs", "allocs", "/ cel-go", "target")
	targets := []string{"1.00 x cel-go", "", "", "", ""}
	for i, e := range list {
		allocs := testing.AllocsPerRun(100, func() { e.decide() })
		fmt.Printf("%-18s %7.2f %7.0f %9.2f  %s\n", e.name, best[i]/1000, allocs, best[i]/best[2],
			targets[i])
	}
	for b.Loop() { // the line of the benchmark itself repeats the first row, from another moment
		list[0].decide()
	}
}
