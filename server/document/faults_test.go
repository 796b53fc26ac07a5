package document_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const head = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"

// brief formats faults as line:column path code. Warnings have a question mark.
func brief(faults []hive.Fault) []string {
	out := make([]string, 0, len(faults))
	for _, f := range faults {
		mark := ""
		if f.Warning {
			mark = "?"
		}
		out = append(out, fmt.Sprintf("%d:%d %s %s%s", f.Line, f.Column, f.Path, f.Code, mark))
	}
	return out
}

// faulty is a text with its faults as formatted by brief.
type faulty struct {
	src  string
	want []string
}

// syntaxFaults are texts that are no documents, or that use unsupported YAML.
func syntaxFaults() map[string]faulty {
	return map[string]faulty{
		"nothing":         {"", []string{"1:1  empty"}},
		"only comments":   {"# a\n---\n", []string{"1:1  empty"}},
		"a list":          {"- a\n", []string{"1:1  wrong_type"}},
		"a text":          {"hello", []string{"1:1  wrong_type"}},
		"NUL":             {"a: 数\x00", []string{"1:5  not_text"}},
		"not UTF-8":       {"a: b\nc: \xff", []string{"2:4  not_text"}},
		"UTF-16":          {"\xfe\xff\x00a", []string{"1:1  not_text"}},
		"tabs":            {head + "jobs:\n\t- key: a\n", []string{"5:2  syntax"}},
		"an open bracket": {head + "jobs: [", []string{"4:1  syntax"}},
		"an open quote":   {head + "title: \"a\n", []string{"4:1  syntax"}},
		"broken JSON":     {`{"apiVersion": "hivego/v1",,}`, []string{"1:1  syntax"}},
		"two documents":   {head + "jobs: []\n---\n" + head + "jobs: []\n", []string{"6:1  several_documents"}},
		"anchors and aliases": {
			head + "title: &a x\ndescription: *a\njobs: []\n",
			[]string{"4:8 title alias", "5:14 description alias"},
		},
		"merge keys": {head + "params:\n  <<: {a: b}\njobs: []\n", []string{"5:3 params alias"}},
		"tags": {
			head + "title: !!str 1\nparams: {a: !secret b}\njobs: []\n",
			[]string{"4:8 title tag", "5:13 params.a tag"},
		},
		"maps as keys": {head + "params: {[a]: b}\njobs: []\n", []string{"4:10 params wrong_type"}},
		"fields that stand twice": {
			head + "name: y\njobs: []\nparams: {a: 1, b: 2, a: 3}\n", []string{
				"4:1 name duplicate_field",
				"6:22 params.a duplicate_field",
			},
		},
		"deep nesting": {
			head + "params: {a: " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "}\njobs: []\n",
			[]string{
				"4:62 params.a" + strings.Repeat("[0]", 49) + " too_deep",
			},
		},
	}
}

// shapeFaults have missing fields, unknown fields, and values of a wrong type.
func shapeFaults() map[string]faulty {
	return map[string]faulty{
		"an empty map": {
			"{}",
			[]string{
				"1:1 apiVersion missing_field", "1:1 kind missing_field", "1:1 name missing_field",
				"1:1 jobs missing_field",
			},
		},
		"null for what must be there": {
			"apiVersion:\nkind: ~\nname: null\njobs:\n",
			[]string{
				"1:1 apiVersion missing_field", "1:1 kind missing_field", "1:1 name missing_field",
				"1:1 jobs missing_field",
			},
		},
		"wrong words in the head": {
			"apiVersion: v1\nkind: Workflow\nname: A B\njobs: []\n",
			[]string{"1:13 apiVersion bad_api_version", "2:7 kind bad_kind", "3:7 name bad_name"},
		},
		"every wrong shape": {
			"apiVersion: 1\nkind: [Schedule]\nname: {a: b}\ntriggers: {cron: x}\npolicy: [a]\nparams: [a]\njobs: " +
				"{key: a}\n",
			[]string{
				"1:13 apiVersion wrong_type", "2:7 kind wrong_type", "3:7 name wrong_type",
				"4:11 triggers wrong_type", "5:9 policy wrong_type",
				"6:9 params wrong_type", "7:7 jobs wrong_type",
			},
		},
		"wrong shapes of tasks": {
			head + `jobs:
  - a
  -
  - key: c
    tasks: x
  - key: d
    timeout: 5
    tasks:
      - {key: 1, handler: true, needs: a, params: x, labels: {a: 1}, retry: 3, disabled: "yes"}
` + `      - {key: e, handler: shell, priority: high, timeout: soon, allowFailure: yes, onLost: {max: 1.5}, ` +
				`retry: {max: 1e3, backoff: two}}
`,
			[]string{
				"5:5 jobs[0] wrong_type", "6:4 jobs[1] wrong_type", "8:12 jobs[2].tasks wrong_type",
				"10:14 jobs[3].timeout bad_duration",
				"12:15 jobs[3].tasks[0].key wrong_type", "12:27 jobs[3].tasks[0].handler wrong_type",
				"12:40 jobs[3].tasks[0].needs wrong_type",
				"12:51 jobs[3].tasks[0].params wrong_type", "12:66 jobs[3].tasks[0].labels.a wrong_type",
				"12:77 jobs[3].tasks[0].retry wrong_type",
				"12:90 jobs[3].tasks[0].disabled wrong_type", "13:44 jobs[3].tasks[1].priority wrong_type",
				"13:59 jobs[3].tasks[1].timeout bad_duration", "13:79 jobs[3].tasks[1].allowFailure wrong_type",
				"13:98 jobs[3].tasks[1].onLost.max wrong_type", "13:117 jobs[3].tasks[1].retry.max wrong_type",
				"13:131 jobs[3].tasks[1].retry.backoff wrong_type",
			},
		},
		"unknown fields": {
			head + "timezon: UTC\ntriggers: [{cron: '@daily', evry: 5m}]\njobs: [{key: a, tasks: [{key: b, " +
				"handler: c, need: [d]}]}]\nschedule: x\n",
			[]string{
				"4:1 timezon unknown_field", "5:29 triggers[0].evry unknown_field",
				"6:46 jobs[0].tasks[0].need unknown_field", "7:1 schedule unknown_field",
			},
		},
	}
}

// valueFaults have values that are out of range or that cannot be represented.
func valueFaults() map[string]faulty {
	return map[string]faulty{
		"zeros that would mean the default": {
			head + "jobs: [{key: a, tasks: [{key: b, handler: c, priority: 0, killGrace: 0s, retry: {backoff: 0}}]}]\n",
			[]string{
				"4:56 jobs[0].tasks[0].priority out_of_range", "4:70 jobs[0].tasks[0].killGrace out_of_range",
				"4:91 jobs[0].tasks[0].retry.backoff out_of_range",
			},
		},
		"negative values": {
			head + "policy: {timeout: -5s, maxBatches: -1, catchUp: {grace: -1s}}\njobs: []\n",
			[]string{
				"4:19 policy.timeout bad_duration", "4:36 policy.maxBatches out_of_range",
				"4:57 policy.catchUp.grace bad_duration",
			},
		},
		"numbers that cannot be kept": {
			head + "params: {a: .nan, b: .inf, c: 123456789012345678901234567890, d: 18446744073709551615}\njobs: []\n",
			[]string{
				"4:13 params.a wrong_type", "4:22 params.b wrong_type", "4:31 params.c wrong_type",
				"4:66 params.d wrong_type",
			},
		},
		"NUL in texts": {
			head + "title: \"\\0\"\nparams: {a: \"\\0\"}\njobs: [{key: a, tasks: [{key: b, handler: c, params: " +
				"{\"\\0\": 1}}]}]\n",
			[]string{"4:8 title not_text", "5:13 params.a not_text", "6:55 jobs[0].tasks[0].params.\x00 not_text"},
		},
	}
}

// referenceFaults have invalid references in needs and conditions, and invalid triggers.
func referenceFaults() map[string]faulty {
	return map[string]faulty{
		"needs, in place": {
			head + `jobs:
  - key: one
    tasks:
      - {key: a, handler: shell}
      - {key: b, handler: shell, needs: [a, c]}
  - key: two
    tasks:
      - key: c
        handler: shell
        needs:
          - z
          - c
      - {key: A, handler: shell}
`,
			[]string{
				"8:42 jobs[0].tasks[1].needs[0] same_job_need", "8:45 jobs[0].tasks[1].needs[1] later_need",
				"14:13 jobs[1].tasks[0].needs[0] unknown_need",
				"15:13 jobs[1].tasks[0].needs[1] self_need", "16:15 jobs[1].tasks[1].key duplicate_key",
			},
		},
		"triggers and zones": {
			head + "timezone: Mars/Olympus\ntriggers:\n  - cron: every day\n  - cron: 0 0 31 2 *\n  - {}\n  - " +
				"{cron: '@daily', dst: {gap: jump}}\njobs: []\n",
			[]string{
				"4:11 timezone bad_timezone", "6:11 triggers[0].cron bad_cron", "7:11 triggers[1].cron never_fires",
				"8:5 triggers[2].cron missing_field",
				"9:33 triggers[3].dst.gap unknown_value",
			},
		},
		"conditions": {
			head + `params: {region: east}
jobs:
  - key: one
    tasks:
      - {key: a, handler: shell, when: params.regoin == "x"}
      - {key: b, handler: shell, when: "region =="}
      - {key: c, handler: shell, when: outputs.z.rows == "1" and outputs.d.rows == "2"}
  - key: two
    tasks:
      - {key: d, handler: shell, when: outputs.a.rows == "1"}
`,
			[]string{
				"8:40 jobs[0].tasks[0].when unknown_param", "9:40 jobs[0].tasks[1].when bad_expression",
				"10:40 jobs[0].tasks[2].when unknown_task", "10:40 jobs[0].tasks[2].when later_need",
			},
		},
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	cases := map[string]faulty{}
	for _, topic := range []map[string]faulty{syntaxFaults(), shapeFaults(), valueFaults(), referenceFaults()} {
		maps.Copy(cases, topic)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, faults := document.Parse([]byte(c.src), options())
			if got := brief(faults); !slices.Equal(got, c.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
			if d != nil {
				t.Error("a document with faults is accepted")
			}
			for _, f := range faults {
				if f.Message == "" || f.Remedy == "" {
					t.Errorf("no words: %+v", f)
				}
			}
		})
	}
}

func TestFaultMessages(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		head + "timezon: UTC\njobs: []\n": "line 4, column 1: timezon: timezon " +
			"is not a field here; did you mean timezone?",
		head + "title: 2024\njobs: []\n": `line 4, column 8: title: ` +
			`this must be a text, not the number 2024; put it in quotes: "2024"`,
		head + "policy: {timeout: 5}\njobs: []\n": "line 4, column 19: policy.timeout: " +
			"this must be a duration, not the number 5; write one such as 30s, 10m, 2h or 1d",
		head + "policy: {overlap: skipp}\njobs: []\n": `line 4, column 19: policy.overlap: ` +
			`"skipp" is not known here; did you mean skip? Use one of allow, skip, queue, replace`,
		head + "triggers: 20 3 * * *\njobs: []\n": `line 4, column 11: triggers: ` +
			`this must be a list, not the text "20 3 * * *"; write it as [{cron: "20 3 * * *"}]`,
		head + "jobs: [{key: a, tasks: [{key: b, handler: c, needs: d}]}]\n": `line 4, column 53: ` +
			`jobs[0].tasks[0].needs: this must be a list, not the text "d"; write it as [d]`,
		head + "jobs:\n\t- a\n": "line 5, column 2: this is not YAML: " +
			"found character that cannot start any token; indent with spaces, not with tabs",
	} {
		_, faults := document.Parse([]byte(src), options())
		if len(faults) != 1 || faults[0].String() != want {
			t.Errorf("got  %v\nwant %s", faults, want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	src := []byte(head + "jobs: []\n")
	o := options()
	o.Limit = len(src)
	parse(t, src, o)
	o.Limit--
	if _, faults := document.Parse(src, o); !slices.Equal(brief(faults), []string{"0:0  too_large"}) {
		t.Errorf("faults: %v", faults)
	}
	if _, faults := document.Parse(make([]byte, document.MaxSize+1), options()); !slices.Equal(brief(faults),
		[]string{"0:0  too_large"}) {
		t.Errorf("faults: %v", faults)
	}
}

// A text within the limit is refused if its canonical form exceeds the limit, because it could not be read again.
func TestTooLargeToBeStored(t *testing.T) {
	t.Parallel()
	src := []byte(head + "jobs: [{key: a, tasks: [" +
		strings.Repeat("{key: t, handler: shell, params: {command: x}}, ", 50)[:48*50-2] + "]}]\n")
	for i := range 50 {
		src = bytes.Replace(src, []byte("{key: t,"), []byte(fmt.Sprintf("{key: t%02d,", i)), 1)
	}
	stored := parse(t, src, options()).Canonical
	if len(stored) <= len(src) {
		t.Fatalf("%d bytes are stored of %d", len(stored), len(src))
	}
	o := options()
	o.Limit = len(stored)
	parse(t, src, o)
	o.Limit--
	if _, faults := document.Parse(src, o); !slices.Equal(brief(faults), []string{"1:1  too_large"}) {
		t.Errorf("faults: %v", faults)
	}
}

// A stored text of any size is readable, because an earlier version may have had another limit.
func TestStoredTextsHaveNoLimit(t *testing.T) {
	t.Parallel()
	src := []byte(head + "description: " + strings.Repeat("x", document.MaxSize) + "\njobs: []\n")
	if _, faults := document.Parse(src, options()); len(faults) != 1 {
		t.Errorf("a new one: %v", faults)
	}
	o := options()
	o.Stored = true
	parse(t, src, o)
}

// A stored text is readable even if new texts with its title are refused.
func TestStoredBadTitles(t *testing.T) {
	t.Parallel()
	src := []byte(head + "title: \"a\\u202Eb\"\njobs: []\n")
	if _, faults := document.Parse(src, options()); len(faults) != 1 || faults[0].Code != "bad_title" {
		t.Errorf("a new one: %v", faults)
	}
	o := options()
	o.Stored = true
	if d := parse(t, src, o); d.Definition.Title != "a\u202Eb" {
		t.Errorf("%q", d.Definition.Title)
	}
	if _, err := new(document.Graphs).Compile(&hive.Revision{Document: string(src)}); err != nil {
		t.Error(err)
	}
}

// A stored text may have any number of bad titles.
func TestManyStoredBadTitles(t *testing.T) {
	t.Parallel()
	src := []byte(head + "jobs:\n- key: j\n  tasks:\n")
	for i := range 1500 {
		src = fmt.Appendf(src, "  - {key: t%d, title: \"a\\u200Fb\", handler: shell}\n", i)
	}
	if _, err := new(document.Graphs).Compile(&hive.Revision{Document: string(src)}); err != nil {
		t.Error(err)
	}
}

// The list of faults is bounded.
func TestTooManyFaults(t *testing.T) {
	t.Parallel()
	_, faults := document.Parse([]byte(head+"jobs:\n"+strings.Repeat("  - {}\n", 5000)), options())
	if n := len(faults); n != 1001 || faults[n-1].Code != "too_many_faults" {
		t.Errorf("%d faults, the last one %v", n, faults[n-1])
	}
}

func TestParseAll(t *testing.T) {
	t.Parallel()
	one, two := head+"jobs: []\n", strings.Replace(head, "name: x", "name: z", 1)+"jobs: [] # two\n"
	docs, faults := document.ParseAll([]byte("---\n"+one+"# of one\n---\n# of two\n\n"+two+"---\n"), options())
	if len(docs) != 2 || len(faults) != 0 {
		t.Fatalf("%d documents, %v", len(docs), faults)
	}
	if got := string(docs[0].Canonical); got != one+"# of one\n" {
		t.Errorf("one:\n%s", got)
	}
	if got := string(docs[1].Canonical); got != "# of two\n\n"+two {
		t.Errorf("two:\n%s", got)
	}
	docs, faults = document.ParseAll([]byte(one+"---\n"+one+"---\n"+two+"titel: x\n"), options())
	if got := brief(faults); docs != nil ||
		!slices.Equal(got, []string{"8:7 name duplicate_name", "15:1 titel unknown_field"}) {
		t.Errorf("faults: %v", got)
	}
}

// A stored document is accepted even if the known time zones and handlers have changed since.
func TestStored(t *testing.T) {
	t.Parallel()
	src := []byte(head + "timezone: Gone/Away\ntriggers: [{cron: 0 0 31 2 *}]\njobs: [{key: a, tasks: [{key: b, " +
		"handler: c, when: nothing}]}]\n")
	if d, _ := document.Parse(src, options()); d != nil {
		t.Error("accepted as a new text")
	}
	parse(t, src, document.Options{Stored: true})
	if d, _ := document.Parse([]byte(head+"jobs: [{key: a, tasks: [{key: b, handler: c, needs: [d]}]}]\n"),
		document.Options{Stored: true}); d != nil {
		t.Error("accepted with a broken graph")
	}
}
