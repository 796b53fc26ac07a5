package api_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestTickForecastRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.TickForecastRequest
	forecast := w.ForecastTicksF
	w.ForecastTicksF = func(r hive.TickForecastRequest) (hive.TickForecast, error) { got = r; return forecast(r) }
	get := func(query string) (int, string) {
		a := w.do(call{http.MethodGet, "/api/v1/forecast" + query, "", nil})
		return a.StatusCode, string(a.body)
	}
	day := func(hour int) time.Time { return time.Date(2026, 5, 2, hour, 0, 0, 0, time.UTC) }
	get("?schedule=nightly&until=2026-05-02T00:00:00Z&limit=7&down=2026-05-02T02:00:00Z..2026-05-02T05:00:00Z," +
		"2026-05-02T06:00:00%2B00:00..2026-05-02T07:00:00Z&shift=mart=1h,orders=-1h30m")
	want := hive.TickForecastRequest{Schedule: "nightly", Until: day(0), Most: 7, Down: []hive.Span{
		{From: day(2), To: day(5)}, {From: day(6), To: day(7)},
	}, Shift: map[string]time.Duration{"mart": time.Hour, "orders": -90 * time.Minute}}
	for i := range got.Down {
		got.Down[i].From = got.Down[i].From.UTC()
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if status, body := get(""); status != http.StatusOK || got.Most != 1000 || got.Until.IsZero() ||
		!strings.Contains(body, `"decision":"queued"`) {
		t.Errorf("%d %s: %+v", status, body, got)
	}
	for query, words := range map[string]string{
		"?until=soon":                          "until",
		"?limit=many":                          "limit",
		"?down=2026-05-02T02:00:00Z":           "FROM..TO",
		"?down=a..b":                           "FROM..TO",
		"?down=" + strings.Repeat("x,", 21):    "down",
		"?down=" + strings.Repeat("x", 81):     "down",
		"?shift=mart":                          "NAME=TIME",
		"?shift=mart=soon":                     "NAME=TIME",
		"?shift==1h":                           "NAME=TIME",
		"?shift=mart=--1h":                     "NAME=TIME",
		"?shift=mart=1h,mart=2h":               "NAME=TIME",
		"?shift=" + strings.Repeat("x", 91):    "shift",
		"?schedule=" + strings.Repeat("x", 64): "schedule",
	} {
		if status, body := get(query); status != http.StatusBadRequest || !strings.Contains(body, words) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
}
