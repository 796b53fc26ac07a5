package api_test

import (
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// rowsOf reads an answer as CSV. Each row becomes a map by the names of the columns.
func rowsOf(t *testing.T, body []byte) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(string(body))).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: %s", err, body)
	}
	var out []map[string]string
	for _, row := range all[1:] {
		named := map[string]string{}
		for i, v := range row {
			named[all[0][i]] = v
		}
		out = append(out, named)
	}
	return out
}

// The file has all pages up to its limit, and asks for no more.
func TestBatchesAsCSV(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked []string
	w.BatchesF = func(f hive.BatchFilter) ([]hive.Batch, error) {
		asked = append(asked, strconv.FormatInt(f.Before, 10)+"/"+strconv.Itoa(f.Limit))
		first := int64(2000)
		if f.Before > 0 {
			first = f.Before - 1
		}
		list := make([]hive.Batch, f.Limit)
		for i := range list {
			list[i] = apitest.SampleBatch().Batch
			list[i].ID = first - int64(i)
		}
		return list, nil
	}
	a := w.do(call{http.MethodGet, "/api/v1/batches.csv?rows=1200", "", nil})
	if got := a.Header.Get("Content-Type"); a.StatusCode != http.StatusOK || got != "text/csv; charset=utf-8" {
		t.Fatalf("%d %s: %s", a.StatusCode, got, a.body)
	}
	rows := rowsOf(t, a.body)
	if len(rows) != 1200 || rows[0]["id"] != "2000" || rows[1199]["id"] != "801" {
		t.Errorf("%d rows", len(rows))
	}
	if got := strings.Join(asked, " "); got != "0/500 1501/500 1001/200" {
		t.Errorf("pages: %s", got)
	}
	r := rows[0]
	for name, want := range map[string]string{
		"schedule": "warehouse", "state": "failed", "kind": "manual", "created_by": "ada", "seconds": "90.000",
		"tasks": "3", "succeeded": "1", "failed": "1", "running": "0", "params": `{"region":"east"}`,
		"started_at": "2026-05-01T03:20:00.123Z",
	} {
		if r[name] != want {
			t.Errorf("%s is %q, want %q", name, r[name], want)
		}
	}
	if !strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename="batches-`) {
		t.Errorf("name %s", a.Header.Get("Content-Disposition"))
	}
	w.refused(call{http.MethodGet, "/api/v1/batches.csv?rows=0", "", nil}, http.StatusBadRequest, "invalid", "rows")
}

// An error of the first page is an answer with its status, not a broken file.
func TestRefusedCSV(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.BatchesF = func(hive.BatchFilter) ([]hive.Batch, error) {
		return nil, hive.Errorf(hive.CodeNotFound, "there is no schedule %q", "x")
	}
	w.refused(call{http.MethodGet, "/api/v1/batches.csv?schedule=x", "", nil}, http.StatusNotFound, "not_found",
		"no schedule")
}

// Text that a spreadsheet would run is kept from it; numbers stay numbers.
func TestCSVIsNoProgram(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := apitest.SampleBatch()
	hostile := []string{
		`=HYPERLINK("http://x","y")`, "+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "\r=1", "a,\"b\"\nc", "\x00\x1b[31m",
		"数据",
	}
	for i, text := range hostile {
		r := v.Runs[1]
		r.Number, r.Error, r.ExitCode = i+3, text, new(-9)
		v.Runs = append(v.Runs, r)
	}
	w.ViewF = func(int64, bool) (hive.BatchView, error) { return v, nil }
	a := w.do(call{http.MethodGet, "/api/v1/batches/7/tasks.csv?bom=true", "", nil})
	text, marked := strings.CutPrefix(string(a.body), "\ufeff")
	if !marked {
		t.Errorf("no byte order mark: %.20q", a.body)
	}
	rows := rowsOf(t, []byte(text))[3:]
	want := []string{
		`'=HYPERLINK("http://x","y")`, "'+1", "'-1+1", "'@SUM(A1)", "' =1", "' =1", "' =1", "a,\"b\"\nc", "  [31m",
		"数据",
	}
	for i, r := range rows {
		if r["error"] != want[i] || r["exit_code"] != "-9" {
			t.Errorf("%q became %q, exit code %s", hostile[i], r["error"], r["exit_code"])
		}
	}
}

// Each filter that cannot be read has an error that names it.
func TestUnreadableFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{
		"since=soon": "since", "until=25:00": "until", "momentFrom=x": "momentFrom", "momentTo=-1d": "momentTo",
		"longer=x": "longer", "param=region": "param", "param=a=1,=2": "param",
		"state=odd": "state", "kind=odd": "kind",
		"color=red": "color", "by=": "by", "longer=0s": "longer", "since=36500d": "since",
	} {
		w.refused(call{http.MethodGet, "/api/v1/batches?" + query, "", nil}, http.StatusBadRequest, "invalid", want)
	}
}

// Whoever mistypes the name of a schedule learns of it.
func TestAlertsOfAnUnknownSchedule(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.GetScheduleF = func(name string) (hive.ScheduleView, error) {
		return hive.ScheduleView{}, hive.Errorf(hive.CodeNotFound, "there is no schedule %q", name)
	}
	w.refused(call{http.MethodGet, "/api/v1/alerts?schedule=warehuose", "", nil}, http.StatusNotFound, "not_found",
		"no schedule")
	if a := w.do(call{http.MethodGet, "/api/v1/alerts", "", nil}); a.StatusCode != http.StatusOK {
		t.Errorf("all alerts: %d", a.StatusCode)
	}
}

// Ticks are cut at the times of a request, and a page that reaches the first time is the last one.
func TestTicksOfATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked []time.Time
	w.TicksF = func(_ string, before time.Time, limit int) ([]hive.Tick, error) {
		asked = append(asked, before)
		var list []hive.Tick
		for i := range limit {
			list = append(list, hive.Tick{
				Moment:   time.Date(2026, 5, 10-i, 0, 0, 0, 0, time.UTC),
				Decision: hive.DecisionFired, DecidedAt: apitest.T0,
				Count: 1,
			})
		}
		return list, nil
	}
	for query, want := range map[string]string{
		"limit=4": "4 true", "limit=4&since=2026-05-09": "2 false", "limit=4&since=2026-05-07": "4 false",
		"limit=4&since=2026-05-06": "4 true", "limit=4&since=2026-06-01&until=2026-07-01": "0 false",
	} {
		a := w.do(call{http.MethodGet, "/api/v1/schedules/warehouse/ticks?" + query, "", nil})
		got := strconv.Itoa(strings.Count(string(a.body), `"decision"`)) + " " +
			strconv.FormatBool(strings.Contains(string(a.body), `"next"`))
		if got != want {
			t.Errorf("%s: %s, want %s: %s", query, got, want, a.body)
		}
	}
	asked = nil
	w.do(call{
		http.MethodGet, "/api/v1/schedules/warehouse/ticks?before=2026-05-03T00:00:00Z&until=2026-05-02T00:00:00Z", "",
		nil,
	})
	if len(asked) != 1 || asked[0].Day() != 2 {
		t.Errorf("asked before %v", asked)
	}
}
