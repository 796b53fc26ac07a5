package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

func TestForecastFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked hive.TickForecastRequest
	at := apitest.T0
	w.ForecastTicksF = func(r hive.TickForecastRequest) (hive.TickForecast, error) {
		asked = r
		tick := func(d hive.Decision, trigger string) hive.ForecastTick {
			return hive.ForecastTick{
				Tick:     hive.Tick{Moment: at, Decision: d, Trigger: trigger, Count: 1},
				Schedule: "nightly", StartsAt: at.Add(time.Minute), EndsAt: at.Add(time.Hour),
			}
		}
		long := tick(hive.DecisionQueued, "after 一, 二; 三 "+strings.Repeat("数", 40))
		long.Moment, long.StartsAt, long.EndsAt, long.Unsure = at.Add(time.Hour), time.Time{}, time.Time{}, true
		return hive.TickForecast{From: at, Ticks: []hive.ForecastTick{
			tick(hive.DecisionFired, "20 3 * * *"), tick(hive.DecisionSkipped, "skipped"), long,
		}}, nil
	}
	a := w.do(call{http.MethodGet, "/api/v1/forecast.ics?schedule=nightly", "", nil})
	if a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "text/calendar" ||
		asked.Schedule != "nightly" || asked.Most != 2000 {
		t.Errorf("%d %v %+v", a.StatusCode, a.Header, asked)
	}
	rows := strings.SplitAfter(string(a.body), "\r\n")
	for _, row := range rows {
		if len(row) > 77 || strings.Contains(strings.TrimSuffix(row, "\r\n"), "\n") {
			t.Errorf("%d bytes: %q", len(row), row)
		}
	}
	text := strings.ReplaceAll(string(a.body), "\r\n ", "")
	for _, want := range []string{
		"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:", "X-WR-CALNAME:HiveGo: nightly\r\n",
		"BEGIN:VEVENT\r\nUID:nightly-20260501T032000Z@hivego\r\nDTSTAMP:20260501T032000Z\r\n" +
			"DTSTART:20260501T032100Z\r\nDTEND:20260501T042000Z\r\nSUMMARY:nightly\r\n" +
			"DESCRIPTION:Moment 2026-05-01T03:20:00Z\\, trigger 20 3 * * *\r\n",
		"UID:nightly-20260501T042000Z@hivego\r\n", `trigger after 一\, 二\; 三 数数`, `\nIt waits for a batch`,
		"END:VEVENT\r\nEND:VCALENDAR\r\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Count(text, "BEGIN:VEVENT") != 2 {
		t.Errorf("%q", text)
	}
}

// TestTokenOfAFeed has a calendar program, which sends no header.
func TestTokenOfAFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ForecastTicksF = func(hive.TickForecastRequest) (hive.TickForecast, error) { return hive.TickForecast{}, nil }
	for _, c := range []struct {
		path   string
		status int
	}{
		{"/api/v1/forecast.ics?token=" + apitest.Token, http.StatusOK},
		{"/api/v1/forecast.ics?token=hgo_wrong", http.StatusUnauthorized},
		{"/api/v1/forecast.ics", http.StatusUnauthorized},
		{"/api/v1/forecast?token=" + apitest.Token, http.StatusUnauthorized},
	} {
		a := w.do(call{http.MethodGet, c.path, "", map[string]string{"Authorization": ""}})
		if a.StatusCode != c.status {
			t.Errorf("%s: %d %s", c.path, a.StatusCode, a.body)
		}
		if strings.Contains(string(a.body), "hgo_") {
			t.Errorf("%s: the answer has the token: %s", c.path, a.body)
		}
	}
}
