package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const routed = head + `policy:
  route: round_robin
params: {region: east}
jobs:
  - key: a
    tasks:
      - key: b
        handler: shell
        labels: {disk: fast}
        selector: "gpu=a100, zone in (a, b), !spot"
        route: consistent_hash
        routeKey: params.region
        reject: {max: 0, interval: 10s}
`

// The fields of routes keep their text in the canonical form, and the default of a schedule may be overridden.
func TestRoutesInTheCanonicalForm(t *testing.T) {
	t.Parallel()
	doc, faults := document.Parse([]byte(routed), document.Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if got := string(doc.Canonical); got != routed {
		t.Errorf("the canonical form is\n%s", got)
	}
	task := doc.Definition.Jobs[0].Tasks[0]
	if task.Route != hive.RouteConsistentHash || task.Reject.Max == nil || *task.Reject.Max != 0 {
		t.Errorf("%+v", task)
	}
}

// Each fault of a route has its place.
func TestFaultsOfRoutes(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"route: round_robin -> route: fair":                 "5:10 policy.route unknown_value",
		"gpu=a100 -> gpu>a":                                 "13:19 jobs[0].tasks[0].selector bad_value",
		"zone in (a, b) -> zone in (a":                      "13:19 jobs[0].tasks[0].selector bad_value",
		"route: consistent_hash -> route: first":            "15:19 jobs[0].tasks[0].routeKey bad_value",
		"routeKey: params.region -> routeKey: params.reg":   "15:19 jobs[0].tasks[0].routeKey unknown_param",
		"routeKey: params.region -> routeKey: 'params ==='": "15:19 jobs[0].tasks[0].routeKey bad_expression",
		"routeKey: params.region -> routeKey: outputs.b.x":  "15:19 jobs[0].tasks[0].routeKey later_need",
		"max: 0 -> max: 1001":                               "16:23 jobs[0].tasks[0].reject.max out_of_range",
		"interval: 10s -> interval: soon":                   "16:36 jobs[0].tasks[0].reject.interval bad_duration",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		_, faults := document.Parse([]byte(strings.Replace(routed, from, to, 1)), document.Options{})
		if got := brief(faults); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", change, got, want)
		}
	}
}
