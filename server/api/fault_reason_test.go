package api

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	documents "github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// faultTexts are the texts of the pages about faults, by reason.
type faultTexts struct{ Fault, Remedy map[string]string }

// textsOfFaults reads them in both languages.
func textsOfFaults(t *testing.T) map[string]faultTexts {
	t.Helper()
	all := map[string]faultTexts{}
	for _, language := range []string{"en", "zh"} {
		var texts faultTexts
		readTexts(t, language, "document.json", &texts)
		require.Greater(t, len(texts.Fault), 100)
		all[language] = texts
	}
	return all
}

// Every reason of a fault has a text in each language, and some code gives it.
func TestFaultReasonsAreTheOnesOfThePages(t *testing.T) {
	t.Parallel()
	texts := textsOfFaults(t)
	var code strings.Builder
	for _, folder := range []string{
		"alert", "calendar", "calendar/reader", "catalog", "connection", "document", "expression", "graph",
		"hive", "schedule",
	} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, "/fault_reason.go") ||
				strings.HasSuffix(file, "/schedule/reasons.go") {
				continue
			}
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			code.Write(source)
		}
	}
	constant := regexp.MustCompile(`(?m)^\t(\w+) +(?:Fault)?Reason = "(\w+)"`)
	for file, least := range map[string]int{"../hive/fault_reason.go": 120, "../schedule/reasons.go": 30} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		found := constant.FindAllStringSubmatch(string(source), -1)
		require.GreaterOrEqual(t, len(found), least, file)
		for _, m := range found {
			assert.Regexp(t, `\b`+m[1]+`\b`, code.String(), "nobody gives %s", m[1])
			for language, of := range texts {
				assert.NotEmpty(t, of.Fault[m[2]], "%s: what is wrong by %s", language, m[2])
				assert.NotEmpty(t, of.Remedy[m[2]], "%s: the remedy of %s", language, m[2])
			}
		}
	}
}

// For every mistake in a schedule, the pages have a text, and the fault has the params of that text.
func TestFaultsHaveReasons(t *testing.T) {
	t.Parallel()
	texts := textsOfFaults(t)
	for name, text := range faultyTexts() {
		_, found := documents.Parse([]byte(text), documents.Options{Handlers: shellHandler()})
		require.NotEmpty(t, found, name)
		for i := range found {
			f := &found[i]
			require.NotEmpty(t, f.Reason, "%s: %s", name, *f)
			for language, of := range texts {
				for _, words := range []string{of.Fault[string(f.Reason)], of.Remedy[string(f.Reason)]} {
					require.NotEmpty(t, words, "%s: %s", language, f.Reason)
					assertFilled(t, words, f)
				}
			}
		}
	}
}

// assertFilled checks that a fault has every param that a text names.
func assertFilled(t *testing.T, words string, f *hive.Fault) {
	t.Helper()
	for _, m := range regexp.MustCompile(`\{\{(\w+)`).FindAllStringSubmatch(words, -1) {
		if m[1] != "open" && m[1] != "close" { // of ${{ }}, which the pages know
			assert.NotEmpty(t, f.Params[m[1]], "%s lacks %s: %s", f.Reason, m[1], *f)
		}
	}
}

func shellHandler() []hive.Handler {
	return []hive.Handler{{
		Name: "shell",
		Schema: `{"type":"object","properties":` +
			`{"command":{"type":"string","x-render":"shell"},"n":{"type":"integer"}},` +
			`"required":["command"],"additionalProperties":false}`,
	}}
}

const faultyHead = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"

// faultyTask returns a text with one task, which has more fields.
func faultyTask(more string) string {
	return faultyHead + "params: {region: east}\njobs:\n  - key: a\n    tasks:\n" +
		"      - {key: t, handler: shell, params: {command: x}" + more + "}\n"
}

// faultyTexts returns texts with one or more faults, by mistake.
func faultyTexts() map[string]string {
	all := map[string]string{}
	for _, texts := range []map[string]string{
		unreadTexts(), misshapenTexts(), invalidTexts(), invalidConditions(), invalidParams(),
	} {
		maps.Copy(all, texts)
	}
	return all
}

func unreadTexts() map[string]string {
	return map[string]string{
		"empty": "", "text": "hello", "several": faultyHead + "jobs: []\n---\n" + faultyHead + "jobs: []\n",
		"json": `{"apiVersion": }`, "control": "a: \x01", "byte": "a: \xff", "tabs": "jobs:\n\t- a", "syntax": "a: [",
		"alias": "a: &x 1", "merge": faultyHead + "<<: {a: b}\njobs: []", "tag": faultyHead + "title: !x y\njobs: []",
		"key tag": faultyHead + "!x title: y\njobs: []", "key map": faultyHead + "params: {[a]: b}\njobs: []",
		"twice": faultyHead + "name: y\njobs: []", "unknown near": faultyHead + "job: []\njobs: []",
		"unknown": faultyHead + "zzzzzzzzz: 1\njobs: []", "missing": "name: x",
		"deep": faultyHead + "params: {a: " + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "}\njobs: []",
	}
}

func misshapenTexts() map[string]string {
	return map[string]string{
		"list": faultyHead + "jobs: a", "list of maps": faultyHead + "jobs: {a: b}", "triggers": faultyHead +
			"triggers: daily\njobs: []",
		"map": faultyHead + "jobs: [a]", "names": faultyHead + "params: a\njobs: []",
		"item": faultyHead + "jobs:\n  -\n",
		"bool": faultyTask(", allowFailure: maybe"), "whole": faultyTask(", priority: high"),
		"number": faultyTask(", retry: {backoff: x}"), "text quoted": faultyTask(", title: 3"),
		"text single": faultyTask(", title: [3]"), "duration": faultyTask(", timeout: [3]"),
		"bad duration": faultyTask(", timeout: soon"), "negative": faultyTask(", timeout: -3s"),
		"number kept": faultyHead + "params: {a: 123456789012345678901234567890}\njobs: []",
		"nul":         faultyHead + "title: \"\\0\"\nparams: {\"\\0\": 1}\njobs: []",
	}
}

func invalidTexts() map[string]string {
	return map[string]string{
		"version":  "apiVersion: v7\nkind: Schedule\nname: x\njobs: []",
		"kind":     "apiVersion: hivego/v1\nkind: Pod\nname: x\njobs: []",
		"name":     "apiVersion: hivego/v1\nkind: Schedule\nname: X Y\njobs: []",
		"priority": faultyTask(", priority: 11"), "zeros": faultyTask(", priority: 0, killGrace: 0s, retry: " +
			"{backoff: 0}"),
		"rule": faultyTask(", rule: all_succes"), "rule far": faultyTask(", rule: zzzzzz"),
		"need": faultyTask(", needs: [u]"), "self": faultyTask(", needs: [t]"),
		"key":      faultyHead + "jobs:\n  - key: a b\n",
		"key case": faultyHead + "jobs:\n  - {key: a, tasks: [{key: t, handler: x}, {key: T, handler: x}]}\n",
		"key used": faultyHead + "jobs:\n  - {key: a}\n  - {key: a}\n",
		"needs": faultyHead + "jobs: [{key: a, tasks: [{key: t, handler: x, needs: [w]}, {key: u, handler: x, " +
			"needs: [t]}]}," +
			" {key: b, tasks: [{key: w, handler: x, needs: [t, t, T, ta]}]}]",
		"no key": faultyHead + "jobs:\n  - {key: ''}\n", "bad param": faultyHead + "params: {Region: x}\njobs: []",
		"defaults": faultyHead + "params: {a: , b: [c]}\njobs: []", "labels": faultyTask(", labels: {'': a, 'b c': d}"),
		"group": faultyTask(", group: 'a b'"), "delay": faultyTask(", retry: {delay: 10s, maxDelay: 1s}"),
		"jitter": faultyTask(", retry: {jitter: 2}"),
		"retry on": faultyTask(", retry: {on: '300'}, onEnd: [{handler: x, retry: {on: lost}}, " +
			"{handler: x, retry: {on: 2-1}}, {handler: x, retry: {on: never}}, " +
			"{handler: x, retry: {on: '" + strings.Repeat("1, ", 400) + "'}}]"),
		"backoff": faultyTask(", retry: {backoff: 0.5}"), "flow": faultyHead + "flow: strange\njobs: []",
		"title":   faultyHead + "title: " + strings.Repeat("x", 300) + "\njobs: []",
		"bidi":    faultyHead + "title: \"a\\u202eb\"\njobs: []",
		"batches": faultyHead + "policy: {maxBatches: -1}\njobs: []",
		"cron":    faultyHead + "triggers: [{cron: ''}]\njobs: []", "handler none": faultyHead +
			"jobs: [{key: a, tasks: [{key: t, handler: ''}]}]",
	}
}

func invalidConditions() map[string]string {
	return map[string]string{
		"when empty": faultyTask(", when: ' '"), "when name": faultyTask(", when: regin == 'x'"),
		"when field": faultyTask(", when: tick.foo == 1"), "when bool": faultyTask(", when: '1 + 1'"),
		"when call": faultyTask(", when: now() == 1"), "when range": faultyTask(", when: 'any(1..3, # > 1)'"),
		"when let": faultyTask(", when: 'let x = 1; x == 1'"), "when types": faultyTask(", when: tick.day == 'x'"),
		"when odd": faultyTask(", when: '1 =='"), "when param": faultyTask(", when: params.regio == 'x'"),
		"when other param": faultyTask(", when: params.zzzzzz == 'x'"),
		"when task":        faultyTask(", when: outputs.zzzzz.x == 'x'"),
		"when later":       faultyTask(", when: outputs.t.x == 'x'"), "when env": faultyTask(", when: $env == 'x'"),
		"when long": faultyTask(", when: \"" + strings.Repeat("1 == 1 and ", 500) + "true\""),
		"when loop": faultyTask(", when: 'any([1], any([1], # > 1))'"),
		"outcome":   faultyTask(", when: outcome.failures > 1, retry: {when: outcome.foo}"),
		"when size": faultyTask(", when: '" + strings.Repeat("1 + ", 300) + "1 > 2'"),
	}
}

func invalidParams() map[string]string {
	params := func(with string) string {
		return strings.Replace(faultyTask(""), "{command: x}", with, 1)
	}
	return map[string]string{
		"handler near": strings.Replace(faultyTask(""), "handler: shell", "handler: shel", 1),
		"handler":      strings.Replace(faultyTask(""), "handler: shell", "handler: zzzzzz", 1),
		"parameter":    params("{command: x, zzzzz: 1}"), "parameter near": params("{command: x, comand: 1}"),
		"parameter missing": params("{}"), "parameter kind": params("{command: x, n: many}"),
		"template": params(`{command: "${{ params.region }}"}`),
	}
}
