// Package plug tests the examples of executors, and the commands for authors of executors: real programs, each in a
// process of its own.
package plug_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// examples is the folder in which scripts/plug made them ready.
var examples = sync.OnceValues(func() (string, error) { //nolint:gochecknoglobals // once for all tests of the process
	root, err := harness.Root()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(filepath.Join(root, "scripts", "plug"))
	cmd.Stderr = os.Stderr
	return filepath.Join(root, "bin", "plug"), cmd.Run()
})

// program is an executor in a process of its own.
type program struct {
	*harness.Process

	address string
	token   string // file
	start   func() *harness.Process
}

const secret = "a-secret-of-the-test"

// start runs a file of one of the languages; a relative path names one of the examples.
func start(t *testing.T, language, file string) *program {
	t.Helper()
	dir, err := examples()
	if err != nil {
		t.Fatalf("the examples cannot be made ready: %v", err)
	}
	dir = filepath.Join(dir, language)
	x := &program{address: harness.FreeAddress(t), token: harness.File(t, "token", secret+"\n")}
	env := []string{"LISTEN=" + x.address, "HIVEGO_EXECUTOR_TOKEN=" + secret, "PYTHONPATH=" + dir, "NODE_PATH=" + dir}
	argv := append(interpreter(t, dir, language), file)
	if !strings.HasPrefix(file, "bare.") && language != "java" { // these read their address from LISTEN only
		argv = append(argv, "--listen", x.address)
	}
	x.start = func() *harness.Process { return harness.StartProgram(t, file, dir, env, argv...) }
	x.again(t)
	return x
}

// interpreter returns the command that runs a file of one of the languages.
func interpreter(t *testing.T, dir, language string) []string {
	t.Helper()
	switch language {
	case "python":
		return []string{filepath.Join(dir, ".venv", "bin", "python")}
	case "java":
		libraries, err := os.ReadFile(filepath.Join(dir, "target", "classpath"))
		if err != nil {
			t.Fatal(err)
		}
		classes := filepath.Join(dir, "target", "classes")
		return []string{"java", "-cp", classes + ":" + strings.TrimSpace(string(libraries))}
	default:
		return []string{"node"}
	}
}

// again starts the program once more, on the same files.
func (x *program) again(t *testing.T) {
	t.Helper()
	x.Process = x.start()
	harness.EventuallyOr(t, "it answers", func() bool {
		return x.Ended() || x.hivego(t, "describe").Code == 0
	}, x.Output)
}

// hivego runs `hivego executor COMMAND` against the program.
func (x *program) hivego(t *testing.T, command string, args ...string) harness.Result {
	t.Helper()
	return harness.Hivego(t, nil, "",
		append([]string{"executor", command, "--address", x.address, "--token-file", x.token}, args...)...)
}

// forEach runs a test with each language.
func forEach(t *testing.T, test func(t *testing.T, language, suffix string)) {
	t.Helper()
	for language, suffix := range map[string]string{"python": ".py", "node": ".js"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			test(t, language, suffix)
		})
	}
}

// The examples keep every rule that holds for executors that only offer run.
func TestExamplesConform(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, suffix string) {
		for file, failing := range map[string]string{"greet": `{"name": "nobody"}`, "bare": `{"name": ""}`} {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				start(t, language, file+suffix).conforms(t, failing)
			})
		}
	})
	t.Run("java", func(t *testing.T) {
		t.Parallel()
		start(t, "java", "Greet").conforms(t, `{"name": "nobody"}`)
	})
}

// conforms checks that an example keeps every rule for executors that only offer run; failing are params that fail.
func (x *program) conforms(t *testing.T, failing string) {
	t.Helper()
	r := x.hivego(t, "conformance", "--handler", "greet", "--params-json", `{"name": "Ada"}`,
		"--fail-params-json", failing, "-o", "json")
	if r.Code != 0 {
		t.Fatalf("exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	var report struct {
		Durable  bool
		Findings []struct{ Rule, Result, Why string }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, f := range report.Findings {
		switch {
		case f.Result == "pass":
			passed++
		case f.Why != "describe does not say that it is durable":
			t.Errorf("%s: %s %s", f.Rule, f.Result, f.Why)
		}
	}
	if passed != 17 || report.Durable {
		t.Errorf("%d rules hold\n%s", passed, r.Stdout)
	}
}

// The commands for authors of executors: their words and exit codes.
func TestCommands(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, suffix string) {
		x := start(t, language, "greet"+suffix)
		r := x.hivego(t, "describe")
		for _, words := range []string{
			`"name": "` + language + `"`, `"x-render": "plain"`, `"slots": 4`,
			`"title": "Greet"`,
		} {
			if !strings.Contains(r.Stdout, words) {
				t.Errorf("describe does not say %s:\n%s", words, r.Stdout)
			}
		}
		r = x.hivego(t, "call", "greet", "--param", "name=Ada")
		if r.Code != 0 || r.Stdout != "greeting Ada\n" || !strings.HasPrefix(r.Stderr, "success, after ") ||
			!strings.HasSuffix(r.Stderr, " ms\n  greeting = Hello Ada\n") {
			t.Errorf("call: exit %d %s%s", r.Code, r.Stdout, r.Stderr)
		}
		r = x.hivego(t, "call", "greet", "--params-json", `{"name": "nobody"}`)
		if r.Code != 1 || !strings.HasSuffix(r.Stderr, " ms: there is nobody to greet\n") {
			t.Errorf("call that fails: exit %d %s%s", r.Code, r.Stdout, r.Stderr)
		}
		r = x.hivego(t, "call", "greet")
		if r.Code != 1 || !strings.HasSuffix(r.Stderr, " ms: params: name is missing\n") {
			t.Errorf("call without params: exit %d %s%s", r.Code, r.Stdout, r.Stderr)
		}
		r = x.hivego(t, "conformance", "--handler", "greet", "--params-json", `{"name": "nobody"}`, "--rule",
			"run.success")
		if r.Code != 1 || !strings.Contains(r.Stdout, "FAIL  run.success") ||
			!strings.Contains(r.Stdout, "why:    the outcome is FAILURE (there is nobody to greet), not SUCCESS") ||
			!strings.HasSuffix(r.Stdout, "\n0 hold, 1 broken, 0 not checked\n") {
			t.Errorf("conformance that fails: exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
	})
}

// A wrong argument gives one line and exit code 2.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	nobody := harness.FreeAddress(t)
	token := harness.File(t, "token", secret)
	for name, c := range map[string]struct {
		args   []string
		stderr string
	}{
		"nobody there": {
			[]string{"describe", "--address", nobody},
			"hivego executor describe: connect to " + nobody + ": ",
		},
		"no address": {
			[]string{"describe", "--address", "here"},
			`hivego executor describe: --address "here": write HOST:PORT`,
		},
		"no handler": {
			[]string{"call", "--address", nobody},
			"hivego executor call: an argument is missing; say `hivego executor call HANDLER",
		},
		"no object": {
			[]string{"call", "greet", "--params-json", "7"},
			"hivego executor call: --params-json: it is not a JSON object",
		},
		"a token in clear": {
			[]string{"describe", "--address", "192.0.2.1:9999", "--token-file", token},
			"hivego executor describe: --address 192.0.2.1:9999: " +
				"beyond this machine a token is sent over TLS only; say --tls",
		},
		"no patience": {
			[]string{"conformance", "--patience", "0s"},
			`hivego executor conformance: --patience "0s": give a second or more`,
		},
		"no such output": {
			[]string{"conformance", "-o", "xml"},
			"hivego executor conformance: --output: it is table, json or junit, not \"xml\"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := harness.Hivego(t, nil, "", append([]string{"executor"}, c.args...)...)
			if r.Code != 2 || !strings.HasPrefix(r.Stderr, c.stderr) || r.Stdout != "" {
				t.Errorf("exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
			}
		})
	}
}

// An example listens beyond this machine only with TLS and a token, and then speaks both.
func TestExamplesAreSafe(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, suffix string) {
		dir, err := examples()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(dir, language)
		argv := []string{"node", "greet" + suffix}
		if language == "python" {
			argv[0] = filepath.Join(dir, ".venv", "bin", "python")
		}
		open := harness.StartProgram(t, "open", dir, nil, append(argv, "--listen", "0.0.0.0:0")...)
		if code := open.Wait(t); code == 0 ||
			!strings.Contains(open.Output(), "beyond this machine give --tls-cert, --tls-key and --token-file") {
			t.Errorf("exit %d %s", code, open.Output())
		}

		data := t.TempDir()
		r := harness.Hivego(t, nil, "", "certs", "--host", "127.0.0.1", "--data", data)
		cert, key, ok := strings.Cut(strings.TrimSpace(r.Stdout), "\n")
		if !ok {
			t.Fatalf("certs: %s%s", r.Stdout, r.Stderr)
		}
		x := &program{address: harness.FreeAddress(t), token: harness.File(t, "token", secret)}
		x.Process = harness.StartProgram(t, "secure", dir, nil, append(argv,
			"--listen", x.address, "--token-file", x.token, "--tls-cert", cert, "--tls-key", key)...)
		ca := filepath.Join(filepath.Dir(cert), "ca.crt")
		harness.EventuallyOr(t, "it answers over TLS", func() bool {
			return x.hivego(t, "call", "greet", "--param", "name=Ada", "--tls", "--ca", ca).Code == 0
		}, x.Output)
		if r := x.hivego(t, "describe"); r.Code != 2 {
			t.Errorf("it answers in the clear: %s", r.Stdout)
		}
	})
}

// A signal ends an example in order: it answers the running calls and takes nothing new. A second one ends it at once.
func TestExamplesStop(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, _ string) {
		x, file := waiting(t, language)
		result := make(chan harness.Result, 1)
		go func() { result <- x.hivego(t, "call", "wait", "--param", "file="+file) }()
		harness.EventuallyOr(t, "the task has begun", func() bool { return exists(file + ".began") }, x.Output)
		ended := make(chan struct{})
		go func() {
			x.Terminate()
			close(ended)
		}()
		harness.EventuallyOr(t, "it has heard it",
			func() bool { return strings.Contains(x.Output(), "stopping; 1 running") }, x.Output)
		if r := x.hivego(t, "describe"); r.Code != 2 {
			t.Errorf("it still takes connections: %s", r.Stdout)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := <-result; r.Code != 0 || !strings.Contains(r.Stderr, "waited = true") {
			t.Errorf("exit %d %s\n%s", r.Code, r.Stderr, x.Output())
		}
		<-ended
		if code := x.Wait(t); code != 0 {
			t.Errorf("exit %d\n%s", code, x.Output())
		}

		x, file = waiting(t, language)
		go func() { result <- x.hivego(t, "call", "wait", "--param", "file="+file) }()
		harness.EventuallyOr(t, "the task has begun", func() bool { return exists(file + ".began") }, x.Output)
		go x.Terminate()
		harness.EventuallyOr(t, "it has heard it",
			func() bool { return strings.Contains(x.Output(), "stopping; 1 running") }, x.Output)
		x.Terminate()
		if code := x.Wait(t); code != 1 || !strings.Contains(x.Output(), "stopped; 1 tasks are lost") {
			t.Errorf("exit %d\n%s", code, x.Output())
		}
		if r := <-result; r.Code != 2 || !strings.Contains(r.Stderr, "run: the connection broke") {
			t.Errorf("exit %d %s", r.Code, r.Stderr)
		}
	})
}

// waiting starts an executor whose tasks go on until a file is there.
func waiting(t *testing.T, language string) (x *program, file string) {
	t.Helper()
	source, err := filepath.Abs("testdata/wait" + map[string]string{"python": ".py", "node": ".cjs"}[language])
	if err != nil {
		t.Fatal(err)
	}
	return start(t, language, source), filepath.Join(t.TempDir(), "go")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// The stock executor passes the same test: it keeps every rule except the rules for which the check would have to start
// it, and its log arrives while the task runs.
func TestStockExecutor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	x := &program{address: harness.FreeAddress(t), token: filepath.Join(data, "secret")}
	t.Cleanup(func() {
		x.Kill()
		harness.KillSupervisors(data)
	})
	x.Process = harness.StartProcess(t, "executor", nil, "executor", "--data", data, "--listen", x.address,
		"--server", "http://"+harness.FreeAddress(t), "--token-file", harness.File(t, "token", secret))
	harness.EventuallyOr(t, "it answers",
		func() bool { return exists(x.token) && x.hivego(t, "describe").Code == 0 }, x.Output)

	r := x.hivego(t, "call", "shell", "--params-json", `{"command": "echo some words; exit 3"}`)
	if r.Code != 1 || !strings.Contains(r.Stdout, " out some words\n") ||
		!strings.HasPrefix(r.Stderr, "failure, exit code 3, after ") {
		t.Errorf("call: exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	r = x.hivego(t, "call", "shell", "--param", "command=sleep 60", "--timeout", "100ms")
	if r.Code != 1 || !strings.HasPrefix(r.Stderr, "timeout, ") {
		t.Errorf("call with a timeout: exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	r = x.hivego(t, "conformance")
	if r.Code != 0 || !strings.Contains(r.Stdout, " durable, by its handler shell\n") ||
		!strings.HasSuffix(r.Stdout, " hold, 0 broken, 9 not checked\n") {
		t.Errorf("conformance: exit %d\n%s%s\n%s", r.Code, r.Stdout, r.Stderr, x.Output())
	}
}
