package catalog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Replace(nightly, "    tasks:", "    # both\n    tasks:", 1)
	c, err := w.Convert(t.Context(), []byte(text))
	if err != nil || !c.Valid || c.Name != "nightly" || len(c.Faults) != 0 ||
		!strings.Contains(string(c.Definition), `"#":{"tasks":{"above":["# both"]}}`) {
		t.Fatalf("%+v %v", c, err)
	}
	back, err := w.Convert(t.Context(), c.Definition)
	if err != nil || back.Canonical != c.Canonical || back.Hash != c.Hash ||
		string(back.Definition) != string(c.Definition) {
		t.Errorf("%+v %v", back, err)
	}
	saved, err := w.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: c.Definition})
	if err != nil || saved.Revision.Document != c.Canonical || saved.Revision.Hash != c.Hash {
		t.Errorf("%+v %v", saved, err)
	}
	if v, err := w.Get(t.Context(), "nightly"); err != nil || string(v.Definition) != string(c.Definition) {
		t.Errorf("%s %v", v.Definition, err)
	}
	if v, err := w.RevisionView(t.Context(), "nightly", 1); err != nil || string(v.Definition) != string(c.Definition) {
		t.Errorf("%s %v", v.Definition, err)
	}
	if v, err := w.Validate(t.Context(), c.Definition); err != nil || v.Canonical != c.Canonical {
		t.Errorf("%+v %v", v, err)
	}

	// A document with faults is still converted, one that cannot be parsed is not.
	c, err = w.Convert(t.Context(), []byte(strings.Replace(nightly, "key: a", "key: \"\"", 1)))
	if err != nil || c.Valid || c.Canonical == "" || len(c.Definition) == 0 || !hive.Refused(c.Faults) ||
		c.Faults[0].Line == 0 {
		t.Errorf("%+v %v", c, err)
	}
	c, err = w.Convert(t.Context(), []byte("jobs: 7"))
	if err != nil || c.Valid || c.Canonical != "" || c.Hash != "" || c.Definition != nil || !hive.Refused(c.Faults) {
		t.Errorf("%+v %v", c, err)
	}
}

func forecastOf(t *testing.T, zone string, count int, triggers ...string) (moments, faults string) {
	t.Helper()
	r := hive.ForecastRequest{Timezone: zone, After: t0, Count: count}
	for _, one := range triggers {
		r.Triggers = append(r.Triggers, json.RawMessage(one))
	}
	f, err := newWorld(t).Forecast(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{}
	for _, m := range f.Moments {
		parts = append(parts, fmt.Sprintf("%s#%d", m.At.UTC().Format("01-02T15:04"), m.Trigger))
	}
	return strings.Join(parts, " "), words(f.Faults)
}

func TestForecast(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		zone     string
		count    int
		triggers []string
		moments  string
		faults   string // the beginning of each
	}{
		{"", 3, nil, "", ""},
		{"", 3, []string{`{"cron":"0 4 * * *"}`}, "05-01T04:00#0 05-02T04:00#0 05-03T04:00#0", ""},
		{"Asia/Shanghai", 2, []string{`{"cron":"0 4 * * *"}`}, "05-01T20:00#0 05-02T20:00#0", ""},
		// A moment of two triggers is listed once, with the first trigger. Triggers with faults are left out.
		{
			"UTC", 3,
			[]string{`{"cron":"0 5 * * *"}`, `{"cron":"61 * * * *"}`, `{"cron":"0 4,5 * * *"}`},
			"05-01T04:00#2 05-01T05:00#0 05-02T04:00#2", "triggers[1].cron bad_cron",
		},
		{
			"", 2,
			[]string{`{"cron":"0 0 30 2 *"}`, `{"cron":"@daily"}`},
			"05-02T00:00#1 05-03T00:00#1",
			"triggers[0].cron never_fires",
		},
		{
			"", 2,
			[]string{`{}`, `7`, `null`, `[]`},
			"",
			"triggers[0].cron missing_field|triggers[1] wrong_type|triggers[2] wrong_type|triggers[3] wrong_type",
		},
		{"", 2, []string{`{"corn":"@daily"}`}, "", "triggers[0].cron missing_field|triggers[0].corn unknown_field"},
		{"", 1, []string{`{"cron":"@daily","dst":{"gap":"jump"}}`}, "", "triggers[0].dst.gap unknown_value"},
		{
			"Mars/Olympus", 2,
			[]string{`{"cron":"@daily"}`, `{"cron":"x"}`},
			"",
			"timezone bad_timezone|triggers[1].cron bad_cron",
		},
		{"../etc/passwd", 2, []string{`{"cron":"@daily"}`}, "", "timezone bad_timezone"},
		{"Local", 2, []string{`{"cron":"@daily"}`}, "", "timezone bad_timezone"},
	} {
		moments, faults := forecastOf(t, tc.zone, tc.count, tc.triggers...)
		if moments != tc.moments || strings.Contains(faults, "BAD") {
			t.Errorf("%q %v: %s, %s", tc.zone, tc.triggers, moments, faults)
		}
		got := strings.Split(strings.TrimSuffix(faults, "|"), "|")
		want := strings.Split(tc.faults, "|")
		if len(got) != len(want) {
			t.Errorf("%q %v: %s", tc.zone, tc.triggers, faults)
			continue
		}
		seen := map[string]bool{}
		for _, g := range got {
			head, _, _ := strings.Cut(g, ":")
			seen[head] = true
		}
		for _, one := range want {
			if !seen[one] {
				t.Errorf("%q %v: no %q in %s", tc.zone, tc.triggers, one, faults)
			}
		}
	}
}

// A forecast ends, however early or late it begins.
func TestForecastAtTheEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, after := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9998, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		f, err := w.Forecast(t.Context(), hive.ForecastRequest{After: after, Count: 3, Triggers: []json.RawMessage{
			[]byte(`{"cron":"* * * * * *"}`), []byte(`{"cron":"0 0 29 2 *"}`), []byte(`{"cron":"@every 1s"}`),
		}})
		if err != nil || len(f.Moments) > 3 {
			t.Errorf("%v: %+v %v", after, f, err)
		}
	}
}
