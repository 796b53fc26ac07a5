package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// hostile has every fault that the docs promise to name, each on a line of its own. A comment in each line has the
// expected words and place.
const hostile = `apiVersion: hivego/v1
kind: Schedule
name: Not A Name            # 7 lower-case letters
timezone: Mars/Phobos       # 11 IANA name
triggers:
  - cron: "61 * * * *"      # 11 write 0 to 59
  - cron: "0 0 31 2 *"      # 11 never fires
  - cron: "TZ=0"            # 11 field timezone
  - cron: "@every"          # 11 @every 10m
  - cron: "* * *"           # 11 field
  - {cron: "1 1 1 1 1 1 1"} # 12 field
polcy: {overlap: skip}      # 1 did you mean policy?
params: {list: [1]}         # 16 single value
jobs:
  - key: first
    tasks:
      - {key: a, handler: shell, params: {command: "true"}, timeout: soon}    # 70 write one such as
      - {key: A, handler: shell, params: {command: "true"}}                   # 15 differs only in case
      - {key: b, handler: shell, needs: [a], params: {command: "true"}}       # 42 parallel
      - {key: c, handler: shell, needs: [z], params: {command: "true"}}       # 42 there is no task "z"
      - {key: "d e", handler: shell, params: {command: "true"}}               # 15 key
      - {key: f, handler: shell, params: {command: "true"}, colour: red}      # 61 colour
      - {key: g, handler: shell, params: {comand: "true"}}                    # 51 did you mean command?
      - {key: h, handler: shell, params: {command: "${{ params.list }}"}}     # 52 pasted
      - {key: i, handler: shell, needs: [later], params: {command: "true"}}   # 42 later
  - key: first                                                                # 10 already used
    tasks:
      - {key: later, handler: shell, params: {command: "true"}}
`

// All faults of a hostile file are reported at once, each with line, column and remedy; nothing of it is stored.
func TestHostileFile(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	file := harness.File(t, "hostile.yaml", hostile)
	for _, command := range []string{"validate", "apply"} {
		r := s.Try(command, "-f", file)
		if r.Code != 2 || r.Stdout != "" {
			t.Errorf("%s: exit %d\n%s", command, r.Code, r.Stdout)
		}
		number := 0
		for line := range strings.Lines(hostile) {
			number++
			_, remark, ok := strings.Cut(line, "# ")
			if !ok {
				continue
			}
			column, words, _ := strings.Cut(strings.TrimSpace(remark), " ")
			place := fmt.Sprintf("%s:%d:%s: error: ", file, number, column)
			if !reported(r.Stderr, place, words) {
				t.Errorf("%s does not tell at %d:%s of %q", command, number, column, words)
			}
		}
		if t.Failed() {
			t.Log(r.Stderr)
		}
	}
	if list := s.CLI("schedules"); strings.Count(list, "\n") != 3 {
		t.Errorf("something was stored:\n%s", list)
	}
}

// Faults that only the server can find are reported together with the others, each once.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	file := harness.File(t, "odd.yaml", "# a line more than the canonical form has\n\n"+document("odd", "",
		[]string{shell("a", "true"), "key: odd, handler: odd"}, []string{shell("b", "true", "needs: [a]")},
		[]string{shell("c", "true", "needs: [a, b]")}))
	want(t, s.Try("apply", "-f", file), printed{
		0, `odd: saved as revision 1\n`, file + `:16:\d+: warning: .+ the need a changes nothing: .+\n` +
			file + `:10:\d+: warning: jobs\[0\].tasks\[1\].handler: no executor offers the handler "odd" now; .+\n`,
	})
	file = harness.File(t, "wrong.yaml",
		"\n\n"+document("wrong", "", []string{"key: a, handler: shell, params: {comand: x}"}))
	want(t, s.Try("apply", "-f", file), printed{
		2, "", file + `:9:\d+: error: .+command is missing.+\n` + file +
			`:9:\d+: error: .+did you mean command\?\nhivego apply: wrong was not saved\n`,
	})
}

// reported reports whether a line begins with the place and contains the words.
func reported(text, place, words string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, place) && strings.Contains(line, words) {
			return true
		}
	}
	return false
}

// Texts that are no schedules at all.
func TestHostileText(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{NoExecutor: true})
	bomb := "a: &a [x, x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c]\n", c, c, c-1, c-1)
	}
	for name, c := range map[string]struct{ text, stderr string }{
		"empty":    {"", `-:1:1: error: there is no schedule in the text; .+\n`},
		"no YAML":  {"a: [\n", `-:\d+:\d+: error: this is not YAML: .+\n`},
		"a list":   {"- a\n", `-:1:1: error: a schedule is a map of fields, .+\n`},
		"zeros":    {strings.Repeat("\x00", 100), `-:1:1: error: .+\n`},
		"no UTF-8": {"name: \xff\xfe\n", `-:1:\d+: error: .+\n`},
		"a bomb":   {bomb, `(-:\d+:\d+: error: .+\n)+`},
		"deep":     {strings.Repeat("[", 100_000), `-:\d+:\d+: error: .+\n`},
		"huge": {
			"name: " + strings.Repeat("x", 5<<20),
			`-: error: the text has \d+ bytes, more than 4194304; .+\n`,
		},
		"another kind": {"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n", `(-:\d+:\d+: error: .+\n)+`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want(t, harness.Hivego(t, nil, c.text, "validate", "-f", "-"),
				printed{2, "", c.stderr + `hivego validate: 1 file is refused\n`})
			want(t, harness.Hivego(t, s.Env(), c.text, "apply", "-f", "-"),
				printed{2, "", c.stderr + `hivego apply: nothing was saved\n`})
		})
	}
}

// Values that people enter reach scripts as data, whatever characters they contain.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(document("echo", "params: {word: none}\n", []string{shell("echo", `printf '<%s>\n' "$word"`)}))
	for i, word := range []string{
		`$(touch /tmp/hivego-owned)`, "`id`", `"; exit 7; "`, `'; exit 7; '`,
		`${{ params.word }}`, "中文 🐝", "a=b", "",
	} {
		want(t, s.Try("run", "echo", "--wait", "--param", "word="+word), printed{stdout: fmt.Sprintf(`%d\n`, i+1)})
		if log := s.CLI("logs", fmt.Sprint(i+1), "echo"); !strings.Contains(log, " out <"+word+">\n") {
			t.Errorf("%q became\n%s", word, log)
		}
	}
}
