package examples_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

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

// flight is one object of flights-5k.json.
type flight struct {
	Date, Origin, Destination string
	Delay                     int
}

func (f flight) late() bool { return f.Delay >= 15 }

// tally sums up flights.
type tally struct{ flights, late, delay int }

func (s *tally) add(f flight) {
	s.flights++
	s.delay += f.Delay
	if f.late() {
		s.late++
	}
}

func (s *tally) latePercent() float64 { return 100 * float64(s.late) / float64(s.flights) }
func (s *tally) mean() float64        { return float64(s.delay) / float64(s.flights) }

func (s *tally) cells() []string {
	return []string{strconv.Itoa(s.flights), fmt.Sprintf("%.1f", s.latePercent()), fmt.Sprintf("%.1f", s.mean())}
}

func busiest(flights []flight, airports map[string][]string) [][]string {
	by := map[string]*tally{}
	for _, f := range flights {
		if airports[f.Origin] == nil {
			continue
		}
		if by[f.Origin] == nil {
			by[f.Origin] = &tally{}
		}
		by[f.Origin].add(f)
	}
	keys := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		if n := by[b].flights - by[a].flights; n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	var rows [][]string
	for _, k := range keys[:10] {
		rows = append(rows, append([]string{k, airports[k][2] + ", " + airports[k][3]}, by[k].cells()...))
	}
	return rows
}

func weekdays(flights []flight) [][]string {
	by := map[string]*tally{}
	for d := time.Sunday; d <= time.Saturday; d++ {
		by[d.String()] = &tally{}
	}
	for _, f := range flights {
		at, err := time.Parse("2006/01/02 15:04", f.Date)
		if err != nil {
			panic(err)
		}
		by[at.Weekday().String()].add(f)
	}
	var rows [][]string
	for d := time.Sunday; d <= time.Saturday; d++ {
		rows = append(rows, append([]string{d.String()}, by[d.String()].cells()...))
	}
	return rows
}

func months(flights []flight, weather []day) [][]string {
	var rows [][]string
	for month := 1; month <= 12; month++ {
		name := fmt.Sprintf("%02d", month)
		days, wet, rain, warmest, coldest := 0, 0, 0.0, math.Inf(-1), math.Inf(1)
		for _, d := range weather {
			if d.month() != name {
				continue
			}
			days++
			rain += d.rain
			if d.rain > 0 {
				wet++
			}
			warmest, coldest = max(warmest, d.warmest), min(coldest, d.coldest)
		}
		row := []string{name}
		for _, v := range []float64{100 * float64(wet) / float64(days), rain / float64(days), warmest, coldest} {
			row = append(row, fmt.Sprintf("%.1f", v))
		}
		s := tally{}
		for _, f := range flights {
			if (f.Origin == "SEA" || f.Destination == "SEA") && f.Date[5:7] == name {
				s.add(f)
			}
		}
		if s.flights == 0 {
			rows = append(rows, append(row, "–", "–"))
			continue
		}
		rows = append(rows, append(row, s.cells()[:2]...))
	}
	return rows
}

func readFlights(t *testing.T) []flight {
	t.Helper()
	raw, err := os.ReadFile("data/flights-5k.json")
	if err != nil {
		t.Fatal(err)
	}
	var flights []flight
	if err := json.Unmarshal(raw, &flights); err != nil {
		t.Fatal(err)
	}
	return flights
}

func readCSV(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("data", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// readAirports is the rows of airports.csv by code.
func readAirports(t *testing.T) map[string][]string {
	t.Helper()
	airports := map[string][]string{}
	for _, row := range readCSV(t, "airports.csv") {
		airports[row[0]] = row
	}
	return airports
}

// day is a row of seattle-weather.csv.
type day struct {
	day                    string
	rain, warmest, coldest float64
}

func (d day) month() string { return d.day[5:7] }

func readWeather(t *testing.T) []day {
	t.Helper()
	var days []day
	for _, row := range readCSV(t, "seattle-weather.csv") {
		days = append(days, day{
			day: row[0], rain: number(t, row[1]), warmest: number(t, row[2]),
			coldest: number(t, row[3]),
		})
	}
	return days
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
