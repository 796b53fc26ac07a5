package examples_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/docs/examples"
	"github.com/rprp/hivego/server/document"
)

func TestWarehouseHasItsShape(t *testing.T) {
	t.Parallel()
	def := parse(t, find(t, "warehouse"))
	if def.Name != "warehouse" || def.Timezone != "Asia/Shanghai" || len(def.Triggers) != 1 ||
		def.Triggers[0].Cron != "20 3 * * *" {
		t.Errorf("%s, %s, %v", def.Name, def.Timezone, def.Triggers)
	}
	var got []string
	for _, j := range def.Jobs {
		for _, task := range j.Tasks {
			got = append(got, fmt.Sprintf("%s: %s %v", j.Key, task.Key, task.Needs))
		}
	}
	want := []string{
		"extract: a []", "extract: b []", "extract: c []", "load: d [a b c]", "marts: e [d]", "marts: f [d]",
		"marts: g [d]", "marts: h [d]",
		"reports: i [e]", "reports: j [g h]", "publish: k [j]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tasks:\n%s", strings.Join(got, "\n"))
	}
}

// TestDefinitionsAreCanonical keeps export from showing a difference to the file.
func TestDefinitionsAreCanonical(t *testing.T) {
	t.Parallel()
	for _, f := range examples.Definitions() {
		got, err := document.Format([]byte(f.Document))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != f.Document {
			t.Errorf("%s is not in canonical form; run `hivego fmt -f docs/examples/%s`", f.Name, f.Name)
		}
		if parse(t, f.Document).Name != f.Schedule {
			t.Errorf("%s does not define %s", f.Name, f.Schedule)
		}
	}
}

func TestInstallTwice(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "warehouse", "data", "airports.csv")
	stat := func() os.FileInfo {
		if err := examples.Install(root); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := stat()
	if again := stat(); !os.SameFile(first, again) || !again.ModTime().Equal(first.ModTime()) {
		t.Error("a whole file is written again")
	}
	if err := os.WriteFile(path, []byte("iata,na"), 0o600); err != nil {
		t.Fatal(err)
	}
	if whole := stat(); whole.Size() != first.Size() {
		t.Errorf("a torn file stays: %d bytes", whole.Size())
	}
	names, err := filepath.Glob(filepath.Join(root, "*", "data", ".*"))
	if err != nil || len(names) != 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// TestWarehouse runs the warehouse twice, as two nights do, and compares its report with figures that are computed
// here, from the raw files.
func TestWarehouse(t *testing.T) {
	t.Parallel()
	b := newBench(t, "warehouse")
	for range 2 {
		if err := b.run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(b.workspace, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	report := string(text)
	flights, airports, weather := readFlights(t), readAirports(t), readWeather(t)
	compare(t, report, "The ten busiest airports", busiest(flights, airports))
	compare(t, report, "Days of the week", weekdays(flights))
	compare(t, report, "Seattle: the weather of a month, and its flights in 2001", months(flights, weather))
	s := tally{}
	origins, worst := map[string]bool{}, tally{}
	for _, f := range flights {
		s.add(f)
		origins[f.Origin] = true
		if f.late() {
			worst.add(f)
		}
	}
	want := fmt.Sprintf("%d flights between 2001-01-01 and 2001-03-31, from %d airports: %.1f %% were late, by "+
		"%.1f minutes on average.",
		s.flights, len(origins), s.latePercent(), worst.mean())
	if !strings.Contains(report, want) {
		t.Errorf("the report does not say %q:\n%s", want, report)
	}
	for key, n := range map[string]string{
		"a": "5000", "b": strconv.Itoa(len(airports)),
		"c": strconv.Itoa(len(weather)),
	} {
		if b.outputs[key]["rows"] != n {
			t.Errorf("task %s extracted %s rows, want %s", key, b.outputs[key]["rows"], n)
		}
	}
	checkMarts(t, b, flights, airports)
	page, err := os.ReadFile(filepath.Join(b.workspace, "report.html"))
	if err != nil || strings.Count(string(page), "<tr>") != 1+10+1+7+1+12 ||
		strings.Count(string(page), "</table>") != 3 {
		t.Errorf("report.html: %v\n%s", err, page)
	}
}

// checkMarts compares what the marts say of their sizes.
func checkMarts(t *testing.T, b *bench, flights []flight, airports map[string][]string) {
	t.Helper()
	from, routes, days := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range flights {
		if airports[f.Origin] != nil {
			from[f.Origin] = true
		}
		routes[f.Origin+f.Destination] = true
		days[f.Date[:10]] = true
	}
	for task, want := range map[string]map[string]string{
		"e": {"airports": strconv.Itoa(len(from))}, "f": {"routes": strconv.Itoa(len(routes))},
		"g": {"days": strconv.Itoa(len(days))}, "h": {"months": "12"},
	} {
		if !maps.Equal(b.outputs[task], want) {
			t.Errorf("outputs of %s = %v, want %v", task, b.outputs[task], want)
		}
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	b := newBench(t, "weather-report")
	err := b.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "task monthly") ||
		!strings.Contains(err.Error(), "no such column: precipitation_mm") {
		t.Fatalf("it fails with %v, want a column that does not exist", err)
	}
	b.def = parse(t, strings.ReplaceAll(find(t, "weather-report"), "precipitation_mm", "precipitation"))
	if err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(b.workspace, "report.txt"))
	if err != nil {
		t.Fatal(err)
	}
	rain := map[string]float64{}
	days := readWeather(t)
	warmest, coldest := days[0], days[0]
	for _, d := range days {
		rain[d.month()] += d.rain
		if d.warmest > warmest.warmest {
			warmest = d
		}
		if d.coldest < coldest.coldest {
			coldest = d
		}
	}
	for _, want := range []string{
		fmt.Sprintf("Warmest day: %s (%.1f °C)", warmest.day, warmest.warmest),
		fmt.Sprintf("Coldest day: %s (%.1f °C)", coldest.day, coldest.coldest),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[2] == "mm" {
			found++
			if mm := number(t, f[1]); math.Abs(mm-rain[f[0]]) > 0.051 {
				t.Errorf("month %s: %.1f mm, want %.1f", f[0], mm, rain[f[0]])
			}
		}
	}
	if found != 12 {
		t.Errorf("%d months:\n%s", found, text)
	}
}

// compare finds the table under a heading and compares it cell by cell; numbers may differ by what rounding allows.
func compare(t *testing.T, report, heading string, want [][]string) {
	t.Helper()
	_, rest, ok := strings.Cut(report, "## "+heading+"\n")
	if !ok {
		t.Fatalf("there is no heading %q in:\n%s", heading, report)
	}
	table, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	lines := strings.Split(table, "\n")[2:]
	if len(lines) != len(want) {
		t.Fatalf("%s: %d rows, want %d:\n%s", heading, len(lines), len(want), table)
	}
	for i, line := range lines {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		same := slices.EqualFunc(cells, want[i], func(a, b string) bool {
			x, errX := strconv.ParseFloat(a, 64)
			y, errY := strconv.ParseFloat(b, 64)
			return a == b || errX == nil && errY == nil && math.Abs(x-y) < 0.101
		})
		if !same {
			t.Errorf("%s: row %d is %q, want %q", heading, i+1, cells, want[i])
		}
	}
}

// The examples of shards, which no server loads by itself, are valid and in canonical form.
func TestExamplesOfShards(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("shards/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parse(t, string(text))
		got, err := document.Format(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, text) {
			t.Errorf("%s is not in canonical form:\n%s", file, got)
		}
	}
}
