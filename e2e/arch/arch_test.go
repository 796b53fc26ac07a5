// Package arch checks that ARCHITECTURE.md, the linter's import rules and the tree agree.
package arch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	root   = "../.."
	module = "github.com/rprp/hivego"
)

// row is one line of the table "package | meaning | may import".
type row struct {
	pkg    string
	mayUse []string
}

// rule is one strict rule of depguard.
type rule struct {
	Mode  string   `yaml:"list-mode"`
	Files []string `yaml:"files"`
	Allow []string `yaml:"allow"`
}

var code = regexp.MustCompile("`([^`]+)`")

// table reads the rows from ARCHITECTURE.md.
func table(t *testing.T) []row {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "| package | meaning | may import |\n| --- | --- | --- |\n")
	require.True(t, found, "ARCHITECTURE.md has no table of packages")

	var rows []row
	for line := range strings.Lines(after) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			break
		}
		r := row{pkg: code.FindStringSubmatch(cells[0])[1]}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			r.mayUse = append(r.mayUse, m[1])
		}
		rows = append(rows, r)
	}
	require.NotEmpty(t, rows)
	return rows
}

// cores reads which packages may import only some of the standard library, and what.
func cores(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(text), "| cores | may import of the standard library |\n| --- | --- |\n")
	require.True(t, found, "ARCHITECTURE.md has no table of cores")

	std := map[string][]string{}
	for line := range strings.Lines(after) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 {
			break
		}
		var may []string
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			may = append(may, m[1]+"$")
		}
		for _, m := range code.FindAllStringSubmatch(cells[0], -1) {
			std[m[1]] = may
		}
	}
	require.NotEmpty(t, std)
	return std
}

// rules reads the strict rules of depguard.
func rules(t *testing.T) map[string]rule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".golangci.yaml"))
	require.NoError(t, err)
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct {
					Rules map[string]rule `yaml:"rules"`
				} `yaml:"depguard"`
			} `yaml:"settings"`
		} `yaml:"linters"`
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	strict := config.Linters.Settings.Depguard.Rules
	for name, r := range strict {
		if r.Mode != "strict" {
			delete(strict, name)
		}
	}
	return strict
}

// TestTableAndLinterAgree compares each row of the table with the rule that enforces it.
func TestTableAndLinterAgree(t *testing.T) {
	t.Parallel()
	rows, enforced, std := table(t), rules(t), cores(t)
	require.Len(t, enforced, len(rows), "depguard has as many strict rules as the table has rows")
	for name := range std {
		require.True(t, slices.ContainsFunc(rows, func(r row) bool { return r.pkg == name }), "%s has no row", name)
	}
	for _, r := range rows {
		got, ok := enforced[ruleName(r.pkg)]
		require.True(t, ok, "depguard has no rule %q", ruleName(r.pkg))
		require.ElementsMatch(t, filesOf(r.pkg, rows), got.Files, "files of rule %q", ruleName(r.pkg))
		want := []string{"$gostd"}
		if only, ok := std[r.pkg]; ok {
			want = slices.Clone(only)
		}
		for _, name := range r.mayUse {
			want = append(want, allowed(name))
		}
		// Packages below a package may use it. One entry is enough: depguard would only see the longer name.
		self := strings.TrimSuffix(allowed(r.pkg), "$")
		covers := func(a string) bool { return self == a || strings.HasPrefix(self, a+"/") }
		if r.pkg != "." && !slices.ContainsFunc(want, covers) {
			want = append(want, self+"$")
		}
		require.ElementsMatch(t, want, got.Allow, "what %s may import", r.pkg)
	}
}

// TestEveryPackageHasARow finds folders with Go code that are missing in the table.
func TestEveryPackageHasARow(t *testing.T) {
	t.Parallel()
	rows := table(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, root), string(filepath.Separator)))
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "data", "e2e", "node_modules", "testdata"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go") {
			require.True(t, covered(path.Dir(rel), rows), "ARCHITECTURE.md's table has no row for %s", path.Dir(rel))
		}
		return nil
	})
	require.NoError(t, err)
}

func covered(folder string, rows []row) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		return folder == r.pkg || r.pkg != "." && strings.HasPrefix(folder, r.pkg+"/")
	})
}

func ruleName(pkg string) string {
	if pkg == "." {
		return "main"
	}
	return strings.ReplaceAll(pkg, "/", "-")
}

// filesOf returns the globs of a row: its folder and what is below, without the folders that have rows of their own.
func filesOf(pkg string, rows []row) []string {
	if pkg == "." {
		return []string{"${config-path}/*.go", "!$test"}
	}
	globs := []string{"${config-path}/" + pkg + "/**", "!$test"}
	for _, r := range rows {
		if strings.HasPrefix(r.pkg, pkg+"/") {
			globs = append(globs, "!${config-path}/"+r.pkg+"/**")
		}
	}
	return globs
}

// allowed returns a name of the table as depguard writes it: own packages exactly, unless they end in /...; others with
// all that is below them.
func allowed(name string) string {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case name == "./...":
		return module
	case strings.Contains(strings.TrimPrefix(first, "."), "."):
		return name
	case strings.HasSuffix(name, "/..."):
		return module + "/" + strings.TrimSuffix(name, "/...")
	default:
		return module + "/" + name + "$"
	}
}
