package recipes_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dossierhq/dossier/pkg/app/templatetest"
)

// allowed is the number of files that a recipe may touch by hand, at most.
var allowed = map[string]int{"resource": 6, "operator": 4, "parser": 4, "event": 5, "setting": 4,
	"engine": 3}

// recipe is a page of docs/recipes.
type recipe struct {
	diff      string
	commands  []string
	generated []string // the files that the commands with -update write
}

var (
	block   = regexp.MustCompile("(?ms)^```(diff|sh)\n(.*?)^```$")
	writes  = regexp.MustCompile("(?m)^`-update` writes (.*)\\.$")
	quoted  = regexp.MustCompile("`([^`]+)`")
	touched = regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`)
	row     = regexp.MustCompile(`\]\(docs/recipes/(\w+)\.md\)[^|]*\| (\d+) \|`)
)

// TestRecipes does all recipes on one copy.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out the recipes, which are built and tested on a copy")
	}
	root := templatetest.Root(t)
	recipes := read(t, root)
	counted(t, root, recipes)
	c := copied(t, root)
	var commands, generated []string
	for _, name := range slices.Sorted(maps.Keys(recipes)) {
		r := recipes[name]
		c.do("git", "apply", "--check", c.patch(name, r.diff)) // alone, too
		commands = append(commands, r.commands...)
		generated = append(generated, r.generated...)
	}
	for _, name := range slices.Sorted(maps.Keys(recipes)) {
		c.do("git", "apply", "--index", c.patch(name, recipes[name].diff))
	}
	// One program links everything; linking all of them takes longer than the rest of the test.
	c.do("go", "build", "-o", os.DevNull, "./functions/standalone")
	c.run(commands, true)
	got := strings.Fields(c.do("git", "ls-files", "--modified", "--others"))
	slices.Sort(got)
	slices.Sort(generated)
	if diff := cmp.Diff(slices.Compact(generated), got); diff != "" {
		t.Errorf("files that -update writes (-docs/recipes +written):\n%s", diff)
	}
	c.do("go", append([]string{"vet"}, packages(recipes)...)...)
	c.run(commands, false)
}

// packages lists the packages that the diffs touch, as paths for the go command.
func packages(recipes map[string]recipe) []string {
	all := map[string]bool{}
	for _, r := range recipes {
		for _, m := range touched.FindAllStringSubmatch(r.diff, -1) {
			if strings.HasSuffix(m[1], ".go") {
				all["./"+filepath.Dir(m[1])] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// read returns the recipes by the names of their pages.
func read(t *testing.T, root string) map[string]recipe {
	t.Helper()
	recipes := map[string]recipe{}
	for name := range allowed {
		page, err := os.ReadFile(filepath.Join(root, "docs/recipes", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		var r recipe
		for _, m := range block.FindAllStringSubmatch(string(page), -1) {
			if m[1] == "diff" {
				r.diff += m[2]
			} else {
				r.commands = append(r.commands, strings.Split(strings.TrimSpace(m[2]), "\n")...)
			}
		}
		if m := writes.FindStringSubmatch(string(page)); m != nil {
			for _, q := range quoted.FindAllStringSubmatch(m[1], -1) {
				r.generated = append(r.generated, q[1])
			}
		}
		if r.diff == "" || len(r.commands) == 0 {
			t.Fatalf("docs/recipes/%s.md has no diff, or no commands", name)
		}
		recipes[name] = r
	}
	return recipes
}

// counted compares the numbers of files with those that CONTRIBUTING.md names and the allowed
// ones.
func counted(t *testing.T, root string, recipes map[string]recipe) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		said[m[1]], _ = strconv.Atoi(m[2])
	}
	for name, r := range recipes {
		files := map[string]bool{}
		for _, m := range touched.FindAllStringSubmatch(r.diff, -1) {
			files[m[1]] = true
		}
		if len(files) != said[name] || len(files) > allowed[name] {
			t.Errorf("the recipe %s touches %d files; CONTRIBUTING.md says %d, allowed are %d",
				name, len(files), said[name], allowed[name])
		}
	}
}

// checkout is a copy of the tracked files, with an index of its own.
type checkout struct {
	t       *testing.T
	dir     string
	patches string // the folder of the diffs
	env     []string
}

func copied(t *testing.T, root string) checkout {
	t.Helper()
	c := checkout{t: t, dir: t.TempDir(), patches: t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			c.env = append(c.env, v)
		}
	}
	// The flags of `make unit`, so that what is compiled for it serves here too.
	c.env = append(c.env, "CGO_ENABLED=0",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath -buildvcs=false",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	list := checkout{t: t, dir: root, env: c.env}.do("git", "ls-files", "-z")
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		c.write(filepath.Join(c.dir, name), content)
	}
	c.do("git", "init", "--quiet")
	c.do("git", "add", "--all", "--force")
	return c
}

func (c checkout) write(path string, content []byte) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	mode := fs.FileMode(0o644)
	if strings.HasPrefix(string(content), "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		c.t.Fatal(err)
	}
}

// patch writes a diff to a file and returns its path.
func (c checkout) patch(name, diff string) string {
	c.t.Helper()
	path := filepath.Join(c.patches, name+".diff")
	c.write(path, []byte(diff))
	return path
}

// run runs the commands of the pages that have -update, or those that don't, each once.
func (c checkout) run(commands []string, update bool) {
	c.t.Helper()
	done := map[string]bool{}
	for _, command := range commands {
		if strings.Contains(command, " -update") != update || done[command] {
			continue
		}
		done[command] = true
		if out := c.do("bash", "-c", command); strings.Contains(out, "[no test") {
			c.t.Errorf("%s runs no test:\n%s", command, out)
		}
	}
}

// do runs a program in the copy and returns what it prints.
func (c checkout) do(name string, args ...string) string {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
