package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

const gridPath = "/api/v1/schedules/warehouse/runs"

func TestRunGrid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked hive.BatchFilter
	cut := false
	batch := hive.Batch{State: hive.BatchFailed, Kind: hive.KindManual, Wish: hive.WishRun, Round: 1}
	newer, older := batch, batch
	newer.ID, older.ID = 9, 8
	w.GridF = func(f hive.BatchFilter) (hive.RunGrid, error) {
		asked = f
		return hive.RunGrid{Batches: []hive.Batch{newer, older}, Cut: cut, Rows: []hive.GridRow{
			{Job: "j", Task: "t", Cells: []byte("s."), Took: []int64{123_456, 0}},
		}}, nil
	}
	type grid struct {
		Rows []struct {
			Job, Task, Cells string
			Took             []int64
		}
		Next int64
		Cut  bool
	}
	read := func(query string) (g grid) {
		a := w.do(call{http.MethodGet, gridPath + query, "", nil})
		if err := json.Unmarshal(a.body, &g); err != nil || a.StatusCode != http.StatusOK {
			t.Fatalf("%d %s: %v", a.StatusCode, a.body, err)
		}
		return g
	}
	g := read("?state=failed,running&kind=manual&before=10&limit=2&executor=one&by=cron&param=region%3Deast,day%3D5")
	if got := fmt.Sprint(g); got != "{[{j t s. [123000 0]}] 8 false}" {
		t.Errorf("a full page: %s", got)
	}
	want := hive.BatchFilter{
		Schedule: "warehouse", States: []hive.BatchState{"failed", "running"}, Kind: hive.KindManual,
		Before: 10, Limit: 2, Executor: "one", By: &hive.Starter{Trigger: hive.StarterCron},
		Params: []hive.ParamFilter{{Name: "region", Value: "east"}, {Name: "day", Value: "5"}},
	}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("asked for %+v, want %+v", asked, want)
	}
	if g := read(""); g.Next != 0 || g.Cut || asked.Limit != 30 {
		t.Errorf("the last page: %+v, asked for %d", g, asked.Limit)
	}
	cut = true
	if g := read(""); g.Next != 8 || !g.Cut {
		t.Errorf("a grid that was cut: %+v", g)
	}
	for _, query := range []string{"limit=0", "limit=367", "before=0", "kind=x", "state=x", "from=x"} {
		w.refused(call{http.MethodGet, gridPath + "?" + query, "", nil}, http.StatusBadRequest, "invalid", "")
	}
}

// A caller that accepts gzip gets it; all others get JSON as it is.
func TestRunGridIsCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := w.do(call{http.MethodGet, gridPath, "", nil})
	for accepted, want := range map[string]string{"br, gzip": "gzip", "br": "", "gzip;q=0": ""} {
		r := httptest.NewRequest(http.MethodGet, gridPath, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+apitest.Token)
		r.Header.Set("Accept-Encoding", accepted)
		resp, err := w.app.Test(r, 30_000)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Content-Encoding"); got != want || resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: coded as %q, varies by %q", accepted, got, resp.Header.Get("Vary"))
		}
		if want == "gzip" {
			body = unpacked(t, body)
		}
		if !bytes.Equal(body, plain.body) {
			t.Errorf("%s: the body is %s, want %s", accepted, body, plain.body)
		}
	}
}

func unpacked(t testing.TB, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// BenchmarkRunGrid writes a year of a thousand tasks, whose durations vary by a third.
func BenchmarkRunGrid(b *testing.B) {
	fakes := apitest.Sample()
	app := api.NewApp(api.Config{Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return apitest.T0 }},
		fakes.Ports())
	random := rand.New(rand.NewPCG(1, 2))
	g := hive.RunGrid{}
	for i := range 365 {
		g.Batches = append(g.Batches, hive.Batch{
			ID: int64(365 - i), Schedule: "warehouse", State: hive.BatchSucceeded, Moment: apitest.T0, Round: 1,
			CreatedAt: apitest.T0, StartedAt: apitest.T0, RoundAt: apitest.T0, FinishedAt: apitest.T0,
			Counts: hive.Counts{hive.RunSucceeded: 1000},
		})
	}
	for i := range 1000 {
		row := hive.GridRow{Job: fmt.Sprintf("job_%d", i/20), Task: fmt.Sprintf("task_of_a_job_%d", i)}
		usual := random.Int64N(600_000)
		row.Cells = []byte(strings.Repeat("s", 365))
		row.Cells[random.IntN(365)] = 'f'
		for range 365 {
			row.Took = append(row.Took, usual+random.Int64N(usual/3+1))
		}
		g.Rows = append(g.Rows, row)
	}
	fakes.GridF = func(hive.BatchFilter) (hive.RunGrid, error) { return g, nil }
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, gridPath+"?limit=365", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+apitest.Token)
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := app.Test(r, 30_000)
		if err != nil {
			b.Fatal(err)
		}
		packed, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(packed))/1000, "KB")
		b.ReportMetric(float64(len(unpacked(b, packed)))/1000, "KB-plain")
	}
}
