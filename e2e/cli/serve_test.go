package cli_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// get reads a URL without a token.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw)
}

// serving waits until a process prints that it is ready, at this address.
func serving(t *testing.T, p *harness.Process, address string) {
	t.Helper()
	harness.EventuallyOr(t, "it serves at "+address, func() bool {
		return strings.Contains(p.Output(), " is ready at http://"+address+", ") || p.Ended()
	}, p.Output)
	if status, body := get(t, "http://"+address+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz: %d %s\n%s", status, body, p.Output())
	}
	if status, body := get(t, "http://"+address+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d %s", status, body)
	}
	if status, _ := get(t, "http://"+address+"/api/v1/schedules"); status != http.StatusUnauthorized {
		t.Errorf("the API without a token: %d", status)
	}
}

// Every flag of serve is also an environment variable and a key of a YAML file; flags win over variables, these over
// it.
func TestServeIsConfigured(t *testing.T) {
	t.Parallel()
	t.Run("by the environment", func(t *testing.T) {
		t.Parallel()
		data, address := filepath.Join(t.TempDir(), "new"), harness.FreeAddress(t)
		p := harness.StartProcess(t, "serve",
			[]string{"HIVEGO_DATA=" + data, "HIVEGO_LISTEN=" + address, "HIVEGO_NO_EXECUTOR=true"}, "serve")
		serving(t, p, address)
		if strings.Contains(p.Output(), "executor started") {
			t.Errorf("there is an executor:\n%s", p.Output())
		}
		p.Terminate()
	})
	t.Run("by a file", func(t *testing.T) {
		t.Parallel()
		data, address := t.TempDir(), harness.FreeAddress(t)
		file := harness.File(t, "hivego.yaml",
			"data: "+data+"\nlisten: "+address+"\nslots: 3\nexecutor-name: filed\nlog-format: json\n")
		p := harness.StartProcess(t, "serve", nil, "serve", "--config", file)
		serving(t, p, address)
		harness.Eventually(t, "the executor of the file has started", func() bool {
			return strings.Contains(p.Output(), `"name":"filed"`) && strings.Contains(p.Output(), `"slots":3`)
		})
		p.Terminate()
	})
	t.Run("by flags above all", func(t *testing.T) {
		t.Parallel()
		data, address := t.TempDir(), harness.FreeAddress(t)
		file := harness.File(t, "hivego.yaml", "data: /nowhere/in/the/file\nlisten: 127.0.0.1:1\nno-executor: true\n")
		p := harness.StartProcess(t, "serve",
			[]string{"HIVEGO_CONFIG=" + file, "HIVEGO_LISTEN=" + address, "HIVEGO_DATA=/nowhere/in/the/environment"},
			"serve", "--data", data)
		serving(t, p, address)
		p.Terminate()
	})
}

// A wrong configuration is reported at once, with the remedy, and exits with 2.
func TestServeRefuses(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	busy := strings.TrimPrefix(s.URL, "http://")
	for name, c := range map[string]struct {
		args   []string
		stderr string
	}{
		"an open port": {
			[]string{"--listen", "0.0.0.0:0"},
			"hivego serve: --listen 0.0.0.0:0: beyond this machine HiveGo speaks TLS only; make a certificate with " +
				"`hivego certs` and " +
				"give --tls-cert and --tls-key, or say --behind-proxy if a proxy in front speaks TLS\n",
		},
		"the same folder": {
			[]string{"--data", s.Data, "--listen", "127.0.0.1:0"},
			`(?s).*hivego serve: .*another hivego server uses the data folder .+; stop it, .+\n`,
		},
		"the same address": {
			[]string{"--listen", busy},
			`(?s).*hivego serve: listen on ` + busy +
				`: .*address already in use; give another address with --listen\n`,
		},
		"no database": {[]string{"--database-url", "mysql://x"}, `(?s).*hivego serve: .*mysql.*\n`},
		"an unknown key": {
			[]string{"--config", harness.File(t, "hivego.yaml", "slot: 3\n")},
			`hivego serve: .+, line 1: there is no setting "slot".*\n`,
		},
		"no certificate": {
			[]string{"--listen", "0.0.0.0:0", "--tls-cert", "/no/file", "--tls-key", "/no/file"},
			`(?s).*hivego serve: .*/no/file.*\n`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"serve", "--data", t.TempDir(), "--no-executor"}, c.args...)
			want(t, harness.Hivego(t, nil, "", args...), printed{2, "", c.stderr})
		})
	}
}

// SIGTERM ends a server in order: it names the tasks that continue without it, and the next server takes them over.
func TestServeStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(document("long", "", []string{shell("long", "touch "+dir+"/began; "+until(dir+"/go"))}))
	s.Run("long")
	// The state is running from the receipt on. The process starts a moment later, and only a process can be adopted.
	harness.Eventually(t, "its process runs", func() bool { return exists(dir + "/began") })
	s.Terminate()
	if words := "Stopping. 1 task goes on; start the server again to follow it.\n"; !strings.Contains(s.Output(),
		words) {
		t.Errorf("it does not say %q:\n%s", words, s.Output())
	}
	s.Start()
	touch(t, dir, "go")
	if b := s.WaitEnd(1); b.State != "succeeded" || b.Task("long").Attempts != 1 {
		t.Errorf("%s: %+v\n%s", b.State, b.Tasks, s.Output())
	}
}

// An orderly stop of an executor, and then of the server with the one in it, logs no warning. Warnings about a slow
// machine do not count here.
func TestStopsAreQuiet(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	x := harness.NewExecutor(t, s, "second", "etl")
	harness.Eventually(t, "the server has called it",
		func() bool { return strings.Contains(x.Output(), "a server attached") })
	x.Terminate()
	harness.EventuallyOr(t, "the server knows of the stop", func() bool {
		return strings.Contains(s.Output(), `msg="an executor stops" executor=second`)
	}, s.Output)
	harness.Eventually(t, "the server has found out that it is gone", func() bool {
		return strings.Contains(s.CLI("executors"), "second    etl      silent")
	})
	s.Terminate()
	complaint := regexp.MustCompile(`does not answer|is silent|could not be told|EOF`)
	for name, out := range map[string]string{"server": s.Output(), "executor": x.Output()} {
		if complaint.MatchString(out) {
			t.Errorf("the %s complains:\n%s", name, out)
		}
	}
}

// An executor whose address is taken prints what to do.
func TestExecutorOnABusyPort(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{NoExecutor: true})
	args := []string{
		"executor", "--server", s.URL, "--listen", strings.TrimPrefix(s.URL, "http://"), "--data", t.TempDir(),
		"--token-file", s.ExecutorToken("default"),
	}
	want(t, harness.Hivego(t, nil, "", args...),
		printed{2, "", `hivego executor: .+ address already in use; does another executor run here\? ` +
			`Give another address with --listen, and a --data folder of its own\n`})
}

// An executor is accepted only with the token of its group.
func TestExecutorIsRefused(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{NoExecutor: true})
	start := func(t *testing.T, token string, more ...string) *harness.Process {
		t.Helper()
		args := append([]string{
			"executor", "--server", s.URL, "--listen", harness.FreeAddress(t), "--data", t.TempDir(), "--name",
			"stranger",
			"--group", "etl", "--token-file", token,
		}, more...)
		return harness.StartProcess(t, "executor", nil, args...)
	}
	for name, c := range map[string]struct{ token, words string }{
		"a wrong token":            {harness.File(t, "token", "hgo_wrong"), "token"},
		"a user's token":           {harness.File(t, "token", s.Token), "token"},
		"a token of another group": {s.ExecutorToken("other"), "the token does not open group"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.token)
			harness.EventuallyOr(t, "it is told", func() bool {
				return strings.Contains(p.Output(), "level=ERROR") || strings.Contains(p.Output(), "level=WARN")
			}, p.Output)
			if !strings.Contains(p.Output(), c.words) {
				t.Errorf("it does not say %q:\n%s", c.words, p.Output())
			}
		})
	}
	t.Run("an open port", func(t *testing.T) {
		t.Parallel()
		p := start(t, s.ExecutorToken("etl"), "--listen", "0.0.0.0:0")
		if code := p.Wait(t); code != 2 || !strings.Contains(p.Output(), "hivego certs") ||
			!strings.Contains(p.Output(), "--tls-cert") {
			t.Errorf("exit %d\n%s", code, p.Output())
		}
	})
	t.Cleanup(func() {
		if list := s.CLI("executors"); strings.Contains(list, "stranger") {
			t.Errorf("it was let in:\n%s", list)
		}
	})
}

// Server and executor listen on all addresses, over TLS, with certificates that `hivego certs` made.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{TLS: true, NoExecutor: true})
	cert, key := s.Certificate("127.0.0.1")
	_, port, err := net.SplitHostPort(harness.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	harness.NewExecutor(t, s, "outside", "etl", "--listen", "0.0.0.0:"+port, "--advertise", "127.0.0.1:"+port,
		"--tls-cert", cert, "--tls-key", key, "--ca", s.CA)
	s.Apply(document("away", "", []string{shell("away", "echo from outside", "group: etl")}))
	want(t, s.Try("run", "away", "--wait"), printed{stdout: `1\n`})
	if log := s.CLI("logs", "1", "away"); !strings.Contains(log, " out from outside\n") {
		t.Errorf("the log:\n%s", log)
	}
	env := []string{"HIVEGO_SERVER=" + s.URL, "HIVEGO_TOKEN=" + s.Token}
	want(t, harness.Hivego(t, env, "", "schedules"), printed{
		2, "", `hivego schedules: the server's certificate is not trusted: .+; ` +
			`give its authority's certificate with --ca or HIVEGO_CA\n`,
	})
}
