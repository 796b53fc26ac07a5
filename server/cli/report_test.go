package cli_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestReport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, args := range map[string][]string{
		"report.txt":  {"report", "--since", "2026-04-30"},
		"report.json": {"report", "-o", "json"},
		"report.csv":  {"report", "--tag", "night", "--owner", "ada", "--since", "90d", "-o", "csv"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || !strings.Contains(o.stderr, "begins on 2026-05-01") ||
			!strings.Contains(o.stderr, "2 schedules are left out") {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
		golden(t, name, o.stdout)
	}
	for _, tc := range []struct {
		args  []string
		words string
	}{
		{[]string{"report", "--since", "90m"}, "30d"},
		{[]string{"report", "--since", "36h"}, "30d"},
		{[]string{"report", "--since", "36500d"}, "at most 400 days, not 36500"},
		{[]string{"report", "-o", "xml"}, "csv"},
		{[]string{"report", "--param", "region"}, "NAME=VALUE"},
	} {
		o := w.hivego(tc.args...)
		if o.code != 2 || o.stdout != "" || !strings.Contains(o.stderr, tc.words) {
			t.Errorf("%v: exit %d %q %q, want %q", tc.args, o.code, o.stdout, o.stderr, tc.words)
		}
	}
	w.BatchReportF = func(hive.ReportRequest) (hive.BatchReport, error) {
		return hive.BatchReport{Schedules: []hive.ReportSchedule{
			{Name: "odd", Tags: []string{"=1+1"}, Owners: []string{"@ada"}},
		}}, nil
	}
	o := w.hivego("report", "-o", "csv")
	if want := "\nodd,'=1+1,'@ada,0,0,0,0,0,0,0,0,,,,,,,\n"; o.code != 0 || !strings.HasSuffix(o.stdout, want) {
		t.Errorf("formulas, and durations that are not known: exit %d %q, want %q", o.code, o.stdout, want)
	}
	w.BatchReportF = func(r hive.ReportRequest) (hive.BatchReport, error) {
		if r.Schedule != "warehouse" || r.From != "2026-05-01" || r.Zone != "Asia/Shanghai" {
			t.Errorf("asked for %+v", r)
		}
		return hive.BatchReport{Schedules: []hive.ReportSchedule{{}}}, nil
	}
	o = w.hivego("report", "--schedule", "warehouse", "--since", "2026-05-01", "--timezone", "Asia/Shanghai")
	if o.code != 0 || o.stderr != "" || !strings.Contains(o.stdout, "-") {
		t.Errorf("without batches: exit %d %q %q", o.code, o.stdout, o.stderr)
	}
	want := hive.BatchSelection{
		Executor: "etl-1", By: &hive.Starter{Person: "bob"},
		Params: []hive.ParamFilter{{Name: "list", Value: "a,b"}, {Name: "day", Value: "5"}},
	}
	w.BatchReportF = func(r hive.ReportRequest) (hive.BatchReport, error) {
		if !reflect.DeepEqual(r.BatchSelection, want) {
			t.Errorf("asked for %+v, want %+v", r.BatchSelection, want)
		}
		return hive.BatchReport{}, nil
	}
	o = w.hivego("report", "--executor", "etl-1", "--by", "bob", "--param", "list=a,b", "--param", "day=5")
	if o.code != 0 {
		t.Errorf("selected batches: exit %d %q", o.code, o.stderr)
	}
}
