package expression_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

// env is Sunday 2026-03-01 03:20 in Shanghai, Saturday in UTC.
func env(t *testing.T) map[string]any {
	t.Helper()
	zone := time.FixedZone("CST", 8*3600)
	moment := time.Date(2026, 2, 28, 19, 20, 0, 0, time.UTC)
	return expression.Env(
		map[string]any{"region": "east", "limit": int64(3), "ratio": 0.5, "dry": false, "empty": ""},
		moment, zone, string(hive.KindScheduled), 2,
		map[string]map[string]string{"load": {"rows": "12", "word": "a,b,c"}, "my-task": {"x": "1"}, "failed": nil},
		map[string]expression.Day{"china": {Workday: true}, "berlin-warehouse": {}},
	)
}

func TestBool(t *testing.T) {
	t.Parallel()
	env := env(t)
	for src, want := range map[string]bool{
		`true`:                                   true,
		`params.region == "east"`:                true,
		`params.region in ["west", "north"]`:     false,
		`params.limit > 2 and params.ratio <= 1`: true,
		`not params.dry`:                         true,
		`params.dry`:                             false,
		`params.unset == nil`:                    true,
		`tick.date == "2026-03-01"`:              true,
		`tick.weekday == 7 && tick.hour == 3 && tick.minute == 20`:                  true,
		`tick.day == 1 and tick.month == 3 and tick.year == 2026`:                   true,
		`tick.time == "03:20:00"`:                                                   true,
		`tick.moment.AddDate(0, 0, -1).Format("2006-01-02") == "2026-02-28"`:        true,
		`(tick.moment + duration("24h")).Day() == 2`:                                true,
		`batch.kind == "scheduled" and batch.round == 2`:                            true,
		`calendar.china.workday`:                                                    true,
		`calendar["berlin-warehouse"].workday`:                                      false,
		`not calendar.china.workday or tick.weekday == 1`:                           false,
		`int(outputs.load.rows) > 10`:                                               true,
		`outputs["my-task"].x == "1"`:                                               true,
		`outputs.load.nothing == nil`:                                               true,
		`outputs.failed.rows == nil`:                                                true,
		`outputs.unknown.rows == nil`:                                               true,
		`int(outputs.failed.rows ?? "0") == 0`:                                      true,
		`any(split(outputs.load.word, ","), # == "b")`:                              true,
		`len(filter(split(outputs.load.word, ","), # != "b")) == 2`:                 true,
		`join(split("a b", " "), "-") == "a-b" and replace("aa", "a", "b") == "bb"`: true,
		`params.region matches "^e.*t$"`:                                            true,
		`upper(params.region) == "EAST" ? true : false`:                             true,
	} {
		if err := expression.Check(src); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		if got, err := expression.NewCache(0).Bool(src, env); err != nil || got != want {
			t.Errorf("%s: got %v, %v", src, got, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for src, words := range map[string]string{
		``:        "empty",
		"  \n":    "empty",
		`params.`: "at character",
		`(`:       "at character",
		`region == "east"`: "at character 1: unknown name region; the names are params, tick, " +
			"batch, outputs and calendar",
		`len(calendar) > 1`:               `calendar["berlin-warehouse"].workday`,
		`calendar[params.region].workday`: "does not name its calendar",
		`calendar.china.holiday`:          "a calendar has workday",
		`outputs.my-task.rows > "1"`:      `outputs["my-task"].rows`,
		`"east"`:                          "expected bool",
		`tick.dat == "x"`:                 "tick has moment, date",
		`batch.id == 1`:                   "batch has kind and round",
		`split == nil`: "at character 1: split is a function, and it is not called; " +
			"write split(…) to call it, or the whole name of a value, such as batch.round or tick.date",
		`batch.round > 1 or date in ["a"]`:                       "at character 20: date is a function",
		`now == tick.moment`:                                     "now is not known here",
		`now() > tick.moment`:                                    "now() is not known here; use one of",
		`date("2026-01-01") == ""`:                               `write date(tick, "-1d", "yyyyMMdd")`,
		`len(repeat("a", 1000000)) > 1`:                          "repeat() is not known",
		`len(map(1..10, #)) > 1`:                                 "not known here",
		`len(1..1000000000) > 1`:                                 "ranges",
		`let a = 1; a == 1`:                                      "let and a second expression",
		`$env["params"] != nil`:                                  "$env is not known",
		`all(split("a", ""), any(split("b", ""), # == "x"))`:     "loop within a loop",
		`tick.moment.Local() == tick.moment`:                     "Local() is not known",
		`tick.moment.GobEncode() == nil`:                         "GobEncode() is not known",
		`params.x.y.z("a")`:                                      "z() is not known",
		`reduce([1], # + #acc) == 1`:                             "reduce() is not known",
		strings.Repeat("true or ", 150) + "true":                 "nodes",
		strings.Repeat("(", 3000) + "true":                       "wrong",
		`"` + strings.Repeat("x", expression.MaxSource) + `"==1`: "bytes",
		"\x00": "wrong",
	} {
		err := expression.Check(src)
		if err == nil {
			t.Errorf("%.60q is accepted", src)
			continue
		}
		if !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "; ") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v", src, err)
		}
		if hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("%.60q: code %s", src, hive.CodeOf(err))
		}
	}
}

func TestBoolFails(t *testing.T) {
	t.Parallel()
	env := env(t)
	for src, words := range map[string]string{
		`params.region`:                  "gives a text, not true or false",
		`params.unset`:                   "gives null",
		`outputs.load.rows > 10`:         "int(",
		`int(params.region) > 1`:         "wrong",
		`1 % int(params.limit - 3) == 0`: "wrong",
		`params.region.x == 1`:           "wrong",
		`len(split(join(filter(split(params.region + "` + strings.Repeat(",", 900) + `", ","), true), "` +
			strings.Repeat("x,", 100) + `"), ",")) > 0`: "join makes a text of more than",
	} {
		if err := expression.Check(src); err != nil {
			t.Errorf("%.60s: does not compile: %v", src, err)
			continue
		}
		if _, err := expression.NewCache(0).Bool(src, env); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%.60s: %v", src, err)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	env := env(t)
	for text, want := range map[string]string{
		"":                                     "",
		"plain $x {{ }} }}":                    "plain $x {{ }} }}",
		"${{ params.region }}":                 "east",
		"a-${{params.limit}}-b":                "a-3-b",
		"${{ params.ratio }}%":                 "0.5%",
		"${{ params.dry }}":                    "false",
		"[${{ params.empty }}]":                "[]",
		"${{ tick.moment }}":                   "2026-03-01T03:20:00+08:00",
		"${{ tick.date }}/${{ tick.hour }}":    "2026-03-01/3",
		`${{ outputs.failed.rows ?? "none" }}`: "none",
		`${{ {"a": "}}"}["a"] }}!`:             "}}!",
		"${{ '}}' }}":                          "}}",
		`${{ "\"}}" }}`:                        `"}}`,
		"$${{ params.region }}":                "${{ params.region }}",
		"数据 ${{ params.region }} 仓库":           "数据 east 仓库",
		`${{ tick.moment.AddDate(0, -1, 0).Format("200601") }}`: "202602",
		`${{ tick.moment - tick.moment }}`:                      "0s",
	} {
		if _, err := expression.ReferTemplate(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := expression.NewCache(0).Render(text, env); err != nil || got != want {
			t.Errorf("%s: got %q, %v", text, got, err)
		}
	}
	for text, words := range map[string]string{
		"${{ params.region":          "not closed",
		"${{ }}":                     "is empty",
		"a ${{ nothing }}":           "unknown name",
		"${{ params.unset }}":        "gives null",
		"${{ outputs.load }}":        "gives a map",
		`${{ split("a b", " ") }}`:   "gives a list",
		"${{ outputs.failed.rows }}": "gives null",
	} {
		if _, err := expression.NewCache(0).Render(text, env); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if expression.HasTemplate("$${{ a }} ${ {") || !expression.HasTemplate("$${{ a ${{") {
		t.Error("HasTemplate")
	}
}

func TestRefer(t *testing.T) {
	t.Parallel()
	refs, err := expression.ReferTemplate(`${{ params.region }} ` +
		`${{ outputs["my-task"].x + outputs.load["rows"] + params["limit"] }} ${{ outputs.load }}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"region", "limit"}; !slices.Equal(refs.Params, want) {
		t.Errorf("params %v", refs.Params)
	}
	for _, want := range []expression.OutputRef{
		{Task: "my-task", Name: "x"},
		{Task: "load", Name: "rows"},
		{Task: "load"},
	} {
		if !slices.Contains(refs.Outputs, want) {
			t.Errorf("outputs %v lack %v", refs.Outputs, want)
		}
	}
}

// A cache returns right results also after it was full.
func TestCache(t *testing.T) {
	t.Parallel()
	env, cache := env(t), expression.NewCache(2)
	for i := range 7 {
		for range 2 {
			if ok, err := cache.Bool(fmt.Sprintf("params.limit > %d", i), env); err != nil || ok != (i < 3) {
				t.Errorf("%d: %v, %v", i, ok, err)
			}
		}
		if out, err := cache.Render(fmt.Sprintf("${{ params.limit + %d }}", i), env); err != nil ||
			out != fmt.Sprint(3+i) {
			t.Errorf("%d: %s, %v", i, out, err)
		}
	}
}

// No source makes a function panic, and Bool can evaluate every source that Check accepts.
func TestHostileSources(t *testing.T) {
	t.Parallel()
	env := env(t)
	words := []string{
		"params", "tick", "outputs", "batch", ".", "?.", "moment", "a", "\"a\"", "1", "0", "-", "+", "/", "%", "**",
		"(", ")", "[", "]",
		"{", "}", "==", "<", " in ", " matches ", " and ", "not ", "??", "?", ":", ",", "|", "#", "filter", "all",
		"len", "split", "get",
		"join", "replace", "$env", "nil", "true", "..", "${{", "}}", "'", "`", "\\",
	}
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 25).Draw(t, "words"), "")
		if expression.Check(src) == nil {
			_, _ = expression.NewCache(0).Bool(src, env)
		}
		text := "${{" + src + "}}"
		if _, err := expression.ReferTemplate(text); err != nil {
			if out, err := expression.NewCache(0).Render(text, env); err == nil {
				t.Fatalf("%q is refused but rendered as %q", text, out)
			}
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{"${{ params.region }}", "$${{", "${{ '}}' }} x", "${{ {} }}", "${{ 1 / 0 }}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := expression.NewCache(0).Render(text, env(t))
		if err == nil && !strings.Contains(text, "${{") && out != text {
			t.Errorf("%q became %q", text, out)
		}
		if _, refused := expression.ReferTemplate(text); refused != nil && err == nil {
			t.Errorf("%q is refused but rendered", text)
		}
	})
}

func BenchmarkBool(b *testing.B) {
	env := expression.Env(map[string]any{"region": "east"}, time.Now(), nil, "manual", 1, nil, nil)
	cache := expression.NewCache(10)
	for b.Loop() {
		if ok, err := cache.Bool(`params.region == "east" and tick.weekday <= 7`, env); !ok || err != nil {
			b.Fatal(fmt.Sprint(ok, err))
		}
	}
}
