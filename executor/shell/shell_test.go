package shell

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/supervise"
)

func TestSchemaIsJSON(t *testing.T) {
	t.Parallel()
	if !json.Valid([]byte(New(Config{}).Info().ParamsSchema)) {
		t.Fatal("the schema is not JSON")
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	task := &sdk.Task{
		Attempt: sdk.Ref{ID: 7, Key: "k3V"}, Batch: 3, Name: "a", Folder: "/f", Workspace: "/w",
		Moment: time.Date(2026, 11, 21, 3, 20, 0, 0, time.UTC),
		Values: map[string]any{
			"region": "east", "n": json.Number("1e3"), "on": true, "none": nil, "PATH": "/evil", "list": []any{"a"},
		},
		Env: map[string]string{"FROM": "server", "HIVEGO_OUTPUT": "/elsewhere", "BAD=": "x", "NUL": "\x00"},
	}
	env := environment(task, params{Env: map[string]string{"FROM": "params"}})
	want := map[string]string{
		"region": "east", "n": "1e3", "on": "true", "none": "", "list": `["a"]`,
		"FROM": "params", "HIVEGO_OUTPUT": "/f/output",
		"HIVEGO_ATTEMPT": "7-k3V", "HIVEGO_MOMENT": "2026-11-21T03:20:00Z", "HIVEGO_WORKSPACE": "/w", "LANG": "C.UTF-8",
	}
	for name, value := range want {
		if env[name] != value {
			t.Errorf("%s is %q, want %q", name, env[name], value)
		}
	}
	if env["PATH"] == "/evil" {
		t.Error("a parameter hides PATH")
	}
	for _, name := range []string{"BAD=", "NUL"} {
		if _, has := env[name]; has {
			t.Errorf("%q is in the environment", name)
		}
	}
	if got := entries(env); !slices.IsSorted(got) || !slices.Contains(got, "region=east") {
		t.Errorf("entries %v", got)
	}
}

func TestOutcome(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		end    supervise.End
		output string
		kind   sdk.OutcomeKind
		err    string
	}{
		{"success", supervise.End{}, "a=1", sdk.Success, ""},
		{
			"a success before the kill",
			supervise.End{Exit: supervise.Exit{Why: supervise.WhyKill}},
			"", sdk.Success,
			"",
		},
		{"exit", supervise.End{Exit: supervise.Exit{Code: 2}}, "", sdk.Failure, "exit code 2: the reason"},
		{
			"signal",
			supervise.End{Exit: supervise.Exit{Code: 139, Signal: 11}},
			"", sdk.Failure,
			"ended by signal 11 (segmentation fault): the reason",
		},
		{
			"timeout",
			supervise.End{Exit: supervise.Exit{Code: 143, Why: supervise.WhyTimeout, Reason: "late"}},
			"",
			sdk.Timeout, "its timeout is over",
		},
		{
			"timeout, exit 0",
			supervise.End{Exit: supervise.Exit{Why: supervise.WhyTimeout, Reason: "late"}},
			"",
			sdk.Timeout, "its timeout is over",
		},
		{
			"kill",
			supervise.End{Exit: supervise.Exit{Code: 143, Why: supervise.WhyKill, Reason: "bob"}},
			"", sdk.Killed,
			"killed: bob",
		},
		{
			"lease",
			supervise.End{Exit: supervise.Exit{Code: 143, Why: supervise.WhyLease, Reason: "silent"}},
			"",
			sdk.Lost, "killed: its server was silent for longer than the orphan timeout",
		},
		{
			"supervisor stopped",
			supervise.End{Exit: supervise.Exit{Code: 137, Why: supervise.WhyStop, Reason: "stop"}},
			"", sdk.Lost, "killed: stop",
		},
		{
			"not started",
			supervise.End{Exit: supervise.Exit{Code: -1, Failed: "no file"}},
			"", sdk.Failure,
			"not started: no file",
		},
		{"lost", supervise.End{Lost: message.Plain("dead")}, "", sdk.Lost, "dead"},
		{"a log that ends early", supervise.End{Exit: supervise.Exit{Missing: "no room"}}, "", sdk.Success, "no room"},
		{
			"a failure, too",
			supervise.End{Exit: supervise.Exit{Code: 2, Missing: "no room"}},
			"", sdk.Failure,
			"the reason; no room",
		},
		{"bad name", supervise.End{}, "ok=1\n\n1bad=2", sdk.Failure, "line 3"},
		{"too much", supervise.End{}, strings.Repeat("x", sdk.MaxOutputs+1), sdk.Failure, "64 KiB"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			log := "2026-11-21T03:22:58.114Z out hello\n" +
				"2026-11-21T03:22:58.114Z err the reason\n2026-11-21T03:22:58.114Z sys bye\n"
			for name, text := range map[string]string{"log": log, outputName: c.output} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := outcome(folder, c.end)
			if o.Kind != c.kind || !strings.Contains(o.Error, c.err) || (c.err == "") != (o.Error == "") {
				t.Fatalf("%v %q", o.Kind, o.Error)
			}
		})
	}
}

func TestProgressFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "progress")
	for text, want := range map[string]bool{
		"0.5\n": true, "1": true, "\t0": true, "1.1": false, "-1": false,
		"half": false, "": false, "NaN": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := readProgress(path); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}

// A task may replace its files by something else. The handler must not block on it, nor read it without end.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for _, file := range []string{outputName, progressName, "log"} {
				if err := replace(filepath.Join(folder, file)); err != nil {
					t.Fatal(err)
				}
			}
			if o := outcome(folder, supervise.End{}); o.Kind != sdk.Failure ||
				!strings.Contains(o.Error, "no plain file") {
				t.Errorf("a success: %v %q", o.Kind, o.Error)
			}
			if o := outcome(folder, supervise.End{Exit: supervise.Exit{Code: 4}}); o.Error != "exit code 4" {
				t.Errorf("a failure: %q", o.Error)
			}
			if f, ok := readProgress(filepath.Join(folder, progressName)); ok {
				t.Errorf("progress %v", f)
			}
		})
	}
}

func TestLastLineHasNoEscapes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	line := "2026-11-21T03:22:58.114Z err \x1b[2J\x1b[1;31mno\x1b[0m " +
		"\x1b]0;title\uFFFDdisk\x1b]8;;http://x\x1b\\ left\x1b\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := lastLine(path); got != "no disk left" {
		t.Errorf("%q", got)
	}
}
