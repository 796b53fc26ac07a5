package document_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const sharded = head + `params: {regions: 'east,west'}
jobs:
  - key: a
    tasks:
      - {key: b, handler: shell, params: {command: 'run ${{ shard.index }} of ${{ shard.total }}'}, shard: broadcast}
      - {key: c, handler: shell, shard: {count: 5}}
      - {key: d, handler: shell, route: consistent_hash, routeKey: shard.item, shard: {over: params.regions}}
`

// The three forms of shards keep their text in the canonical form, also by way of JSON.
func TestShardsInTheCanonicalForm(t *testing.T) {
	t.Parallel()
	doc, faults := document.Parse([]byte(sharded), document.Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	tasks := doc.Definition.Jobs[0].Tasks
	want := []hive.Sharding{{Broadcast: true}, {Count: 5}, {Over: "params.regions"}}
	for i := range want {
		if tasks[i].Shard != want[i] {
			t.Errorf("%s: %+v", tasks[i].Key, tasks[i].Shard)
		}
	}
	again, faults := document.Parse(doc.JSON(), document.Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, text := range [][]byte{doc.Canonical, again.Canonical} {
		if !bytes.Equal(text, doc.Canonical) || !strings.Contains(string(text), "shard: broadcast") {
			t.Errorf("the canonical form is\n%s", text)
		}
	}
}

// Each fault of shards has its place.
func TestFaultsOfShards(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"shard: broadcast -> shard: all":                    "jobs[0].tasks[0].shard wrong_type",
		"shard: broadcast -> shard: 5":                      "jobs[0].tasks[0].shard wrong_type",
		"shard: broadcast -> executor: x, shard: broadcast": "jobs[0].tasks[0].shard bad_value",
		"count: 5 -> count: 0":                              "jobs[0].tasks[1].shard.count out_of_range",
		"count: 5 -> count: 1001":                           "jobs[0].tasks[1].shard.count out_of_range",
		"{count: 5} -> {}":                                  "jobs[0].tasks[1].shard bad_value",
		"{count: 5} -> {count: }":                           "jobs[0].tasks[1].shard.count bad_value",
		"{count: 5} -> {count: null}":                       "jobs[0].tasks[1].shard.count bad_value",
		"{count: 5} -> {count: -1}":                         "jobs[0].tasks[1].shard.count out_of_range",
		"{count: 5} -> {count: five}":                       "jobs[0].tasks[1].shard.count wrong_type",
		"{count: 5} -> [5]":                                 "jobs[0].tasks[1].shard wrong_type",
		"over: params.regions -> over: ''":                  "jobs[0].tasks[2].shard.over bad_value",
		"{over: params.regions} -> all":                     "jobs[0].tasks[2].shard wrong_type",
		"over: params.regions -> over: ' '":                 "jobs[0].tasks[2].shard.over bad_value",
		"over: params.regions -> over: 1 +":                 "jobs[0].tasks[2].shard.over bad_expression",
		"count: 5 -> number: 5":                             "jobs[0].tasks[1].shard.number unknown_field",
		"count: 5 -> count: 5, over: params.regions":        "jobs[0].tasks[1].shard bad_value",
		"over: params.regions -> over: params.reg":          "jobs[0].tasks[2].shard.over unknown_param",
		"over: params.regions -> over: shard.index":         "jobs[0].tasks[2].shard.over bad_expression",

		"shell, shard: {count -> shell, when: shard.index == 0, shard: {count": "jobs[0].tasks[1].when bad_expression",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		_, faults := document.Parse([]byte(strings.Replace(sharded, from, to, 1)), document.Options{})
		var got []string
		for _, f := range brief(faults) {
			_, place, _ := strings.Cut(f, " ")
			got = append(got, place)
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", change, got, want)
		}
	}
}
