package expression_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

func in(t *testing.T, zone, at string) map[string]any {
	t.Helper()
	loaded, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	moment, err := time.ParseInLocation("2006-01-02 15:04:05", at, loaded)
	if err != nil {
		t.Fatal(err)
	}
	return expression.Env(map[string]any{"back": "-2d", "form": "yyyy", "bad": "YYYY", "n": int64(1)}, moment, loaded,
		string(hive.KindScheduled), 1, nil, nil)
}

func TestDate(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`date(tick, "0d", "yyyy-MM-dd HH:mm:ss")`:              "2028-03-31 01:30:05",
		`date(tick.moment, "-1d", "yyyyMMdd")`:                 "20280330",
		`date(tick.date, "+1d", "yyyyMMdd")`:                   "20280401",
		`date("2026-12-31", "1d", "yyyyMMdd")`:                 "20270101",
		`date("2026-12-31T23:00:00+02:00", "+2h", "ddHH")`:     "0101",
		`date(tick, "-1M", "yyyy-MM-dd")`:                      "2028-02-29",
		`date(tick, "-13M", "yyyy-MM-dd")`:                     "2027-02-28",
		`date(tick, "-1M+1d", "yyyy-MM-dd")`:                   "2028-03-01",
		`date(tick, "+1d-1M", "yyyy-MM-dd")`:                   "2028-03-01",
		`date(tick, "-1y", "yyyy-MM-dd")`:                      "2027-03-31",
		`date(date(tick, "-1M", "yyyy-MM-dd"), "+1y", "MMdd")`: "0228",
		`date(tick, "-2w", "MM/dd")`:                           "03/17",
		`date(tick, "-2h", "dd HH")`:                           "30 23",
		`date(tick, "-91m+5s", "HH:mm:ss")`:                    "23:59:10",
		`date(tick, params.back, params.form)`:                 "2028",
		`date(tick, "0d", "yyyy'y'''年")`:                       "2028y'年",
		`tick | date("-1d", "dd")`:                             "30",
	} {
		if _, err := expression.ReferTemplate("${{" + src + "}}"); err != nil {
			t.Errorf("%s: %v", src, err)
		}
		env := in(t, "Asia/Shanghai", "2028-03-31 01:30:05")
		if got, err := expression.NewCache(0).Render("${{"+src+"}}", env); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", src, got, err, want)
		}
	}
}

// TestDateFollowsTheClocks: days keep the time of day when the clocks change, and hours are elapsed time.
func TestDateFollowsTheClocks(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`date(tick, "+1d", "dd HH:mm")`:  "29 12:30",
		`date(tick, "+24h", "dd HH:mm")`: "29 13:30",
		`date(tick, "-1M+1M", "dd HH")`:  "28 12",
	} {
		env := in(t, "Europe/Berlin", "2026-03-28 12:30:00")
		if got, err := expression.NewCache(0).Render("${{"+src+"}}", env); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", src, got, err, want)
		}
	}
}

// TestDateRefuses expects each constant argument that is wrong to be refused before anything runs, with its place, and
// each computed one when it runs.
func TestDateRefuses(t *testing.T) {
	t.Parallel()
	const use, offset, format = `write date(tick, "-1d"`, "units s m h d w M y", "yyyy MM dd HH mm ss"
	for src, words := range map[string][2]string{
		`date("2026-01-01")`:                    {"character 1", use},
		`date(tick, "-1d")`:                     {"character 1", use},
		`date("yesterday", "0d", "yyyy")`:       {"character 6", use},
		`date(tick, "-1x", "yyyy")`:             {"character 12", offset},
		`date(tick, "", "yyyy")`:                {"character 12", offset},
		`date(tick, "1", "yyyy")`:               {"character 12", offset},
		`date(tick, "1d2d", "yyyy")`:            {"character 12", offset},
		`date(tick, "-1 d", "yyyy")`:            {"character 12", offset},
		`date(tick, "-1D", "yyyy")`:             {"character 12", offset},
		`date(tick, "9999y", "yyyy")`:           {"character 12", offset},
		`date(tick, "-999999999M", "yyyy")`:     {"character 12", offset},
		`date(tick, "0d", "YYYY")`:              {"character 18", format},
		`date(tick, "0d", "")`:                  {"character 18", format},
		`date(tick, "0d", "yyy")`:               {"character 18", format},
		`date(tick, "0d", "yyyyTHH")`:           {"character 18", format},
		`date(tick, "0d", "yyyy'T")`:            {"character 18", format},
		`"a" + date(tick, "0d", "2006")`:        {"", ""},
		`date(tick, params.n, "yyyy")`:          {"", use},
		`date(params.n, "0d", "yyyy")`:          {"", use},
		`date(tick, params.form, "yyyy")`:       {"", offset},
		`date(tick, "0d", params.bad)`:          {"", format},
		`date(tick, "0d", params.unset ?? "Q")`: {"", format},
	} {
		_, err := expression.ReferTemplate("${{" + src + "}}")
		if constant := words[0] != ""; constant != (err != nil) {
			t.Errorf("%s: refused at once: %v", src, err)
			continue
		}
		if err == nil {
			_, err = expression.NewCache(0).Render("${{"+src+"}}", in(t, "UTC", "2026-03-01 00:00:00"))
		}
		if words[1] == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), words[0]) || !strings.Contains(err.Error(), words[1]) ||
			hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestDateNeverPanics checks random arguments: the result is an error or a text.
func TestDateNeverPanics(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		env := expression.Env(map[string]any{
			"o": rapid.StringMatching(`([+-]?[0-9]{0,9}[smhdwMyx]){0,4}`).Draw(t, "offset"),
			"f": rapid.StringMatching(`[yMdHms' :年-]{0,12}`).Draw(t, "format"),
		}, time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "at"), 0), nil, "manual", 1, nil, nil)
		text, err := expression.NewCache(0).Render(`${{ date(tick, params.o, params.f) }}`, env)
		if err != nil && strings.Contains(err.Error(), "evaluated") {
			t.Fatalf("%q, %v", text, err)
		}
	})
}
