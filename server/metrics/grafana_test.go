package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// board is what the tests read of the dashboard.
type board struct {
	Title  string
	Panels []struct {
		ID      int
		Type    string
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Definition string }
	}
}

// alert is one rule.
type alert struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	For         string            `yaml:"for"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func readBoard(t *testing.T) board {
	t.Helper()
	raw, err := os.ReadFile("../../docs/grafana/hivego.json")
	require.NoError(t, err)
	var b board
	require.NoError(t, json.Unmarshal(raw, &b))
	return b
}

func readAlerts(t *testing.T) []alert {
	t.Helper()
	raw, err := os.ReadFile("../../docs/grafana/alerts.yaml")
	require.NoError(t, err)
	var doc struct {
		Groups []struct {
			Name  string  `yaml:"name"`
			Rules []alert `yaml:"rules"`
		} `yaml:"groups"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(raw)))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&doc))
	require.Len(t, doc.Groups, 1)
	return doc.Groups[0].Rules
}

var (
	series   = regexp.MustCompile(`\b(hivego_\w+)(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`^\s*(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"\s*$`)
	grouping = regexp.MustCompile(`\bby \(([^)]*)\)`)
	suffix   = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// checkQuery checks the names of a query against the registry, and returns the metrics that it reads. It is no parser
// of PromQL: that would be a large dependency for the few mistakes that are left.
func checkQuery(t *testing.T, query string, known map[string]family) []string {
	t.Helper()
	for _, pair := range []string{"()", "{}", "[]"} {
		assert.Equal(t, strings.Count(query, pair[:1]), strings.Count(query, pair[1:]), "%s in %s", pair, query)
	}
	labels := []string{"job", "instance", "le"}
	var read []string
	for _, m := range series.FindAllStringSubmatch(query, -1) {
		name := m[1]
		if base := suffix.ReplaceAllString(name, ""); known[base].kind == "histogram" {
			require.NotEqual(t, base, name, "%s: a histogram has only %s_bucket, _sum and _count", query, base)
			name = base
		}
		f, ok := known[name]
		require.True(t, ok, "%s: there is no metric %s", query, name)
		read = append(read, name)
		for _, l := range f.labels {
			labels = append(labels, strings.Trim(l, "`"))
		}
		if m[2] == "" {
			continue
		}
		for part := range strings.SplitSeq(m[2], ",") {
			c := matcher.FindStringSubmatch(part)
			require.NotNil(t, c, "%s: %s is no matcher", query, part)
			assert.True(t, c[1] == "job" || c[1] == "instance" || slices.Contains(f.labels, "`"+c[1]+"`"),
				"%s: %s has no label %s", query, name, c[1])
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(query, -1) {
		for l := range strings.SplitSeq(g[1], ",") {
			assert.Contains(t, labels, strings.TrimSpace(l), query)
		}
	}
	return read
}

// The dashboard reads metrics that exist, and shows all of them.
func TestDashboard(t *testing.T) {
	t.Parallel()
	known, b := families(t), readBoard(t)
	shown, ids := map[string]bool{}, map[int]bool{}
	for _, p := range b.Panels {
		assert.False(t, ids[p.ID], "two panels have the id %d", p.ID)
		ids[p.ID] = true
		assert.NotEmpty(t, p.Title)
		assert.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		for _, target := range p.Targets {
			read := checkQuery(t, target.Expr, known)
			assert.NotEmpty(t, read, target.Expr)
			for _, name := range read {
				shown[name] = true
			}
		}
	}
	for _, v := range b.Templating.List {
		checkQuery(t, v.Definition, known)
	}
	assert.Equal(t, slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(shown)), "metrics without a panel")
}

// The alert rules read metrics that exist, with labels and values that exist, and say what to do.
func TestAlerts(t *testing.T) {
	t.Parallel()
	known := families(t)
	values := scrape(t, New("v1", &fakeSource{}))
	names := map[string]bool{}
	rules := readAlerts(t)
	require.NotEmpty(t, rules)
	for _, r := range rules {
		assert.False(t, names[r.Alert], r.Alert)
		names[r.Alert] = true
		assert.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		assert.NotEmpty(t, r.Annotations["summary"], r.Alert)
		assert.NotEmpty(t, r.Annotations["remedy"], r.Alert)
		if r.For != "" {
			_, err := time.ParseDuration(r.For)
			require.NoError(t, err, r.Alert)
		}
		if read := checkQuery(t, r.Expr, known); len(read) == 0 {
			assert.Contains(t, r.Expr, `up{job="hivego"}`, r.Alert)
		}
		for _, m := range series.FindAllStringSubmatch(r.Expr, -1) {
			if m[2] == "" {
				continue
			}
			c := matcher.FindStringSubmatch(m[2])
			require.NotNil(t, c, "%s: one matcher for each series", r.Alert)
			for v := range strings.SplitSeq(c[2], "|") {
				assert.Contains(t, values, m[1]+"{"+c[1]+`="`+v+`"}`, r.Alert)
			}
		}
	}
}
