package config

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rprp/hivego/server/hive"
)

// given holds the sources of settings in a test.
type given struct {
	flags []string
	env   map[string]string
	file  string // content; none when empty
}

// resolve parses the flags and resolves the rest. It returns the file's name, for messages.
func (g given) resolve(t *testing.T, f *pflag.FlagSet) (string, error) {
	t.Helper()
	args, path := g.flags, ""
	if g.file != "" {
		path = filepath.Join(t.TempDir(), "hivego.yaml")
		if err := os.WriteFile(path, []byte(g.file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(slices.Clone(args), "--config", path)
	}
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	return path, resolve(f, func(name string) (string, bool) {
		v, ok := g.env[name]
		return v, ok
	})
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		given given
		want  string // slots
	}{
		"default":     {given{}, "0"},
		"file":        {given{file: "slots: 3"}, "3"},
		"environment": {given{env: map[string]string{"HIVEGO_SLOTS": "4"}, file: "slots: 3"}, "4"},
		"flag": {given{
			flags: []string{"--slots=5"}, env: map[string]string{"HIVEGO_SLOTS": "4"},
			file: "slots: 3",
		}, "5"},
		"flag at its default": {given{flags: []string{"--slots=0"}, env: map[string]string{"HIVEGO_SLOTS": "4"}}, "0"},
		"empty file":          {given{file: "# nothing yet\n"}, "0"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := pflag.NewFlagSet(name, pflag.ContinueOnError)
			BindServe(f)
			if _, err := c.given.resolve(t, f); err != nil {
				t.Fatal(err)
			}
			if got := f.Lookup("slots").Value.String(); got != c.want {
				t.Errorf("slots = %s, want %s", got, c.want)
			}
		})
	}
}

func TestEverySettingOfAFile(t *testing.T) {
	t.Parallel()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	c := BindServe(f)
	_, err := given{file: `
data: /var/lib/hivego
logs: /nfs/hivego/logs
listen: 0.0.0.0:443
database-url: postgres://hivego@db/hivego
database-schema: batch
secret-key: /etc/hivego/secret.key
no-executor: true
tls-cert: cert.pem
tls-key: key.pem
ca: ca.pem
behind-proxy: false
orphan-timeout: 5m
live-look: 5s
log-limit: 200MiB
slots: 8
executor-name: here
executor-data: /var/lib/hivego-batch
log-level: debug
log-format: json
`}.resolve(t, f)
	if err != nil {
		t.Fatal(err)
	}
	want := Serve{
		Files: c.Files, Data: "/var/lib/hivego", Logs: "/nfs/hivego/logs", Listen: "0.0.0.0:443",
		DatabaseURL: "postgres://hivego@db/hivego", DatabaseSchema: "batch", NoExecutor: true,
		SecretKey: "/etc/hivego/secret.key",
		TLSCert:   "cert.pem", TLSKey: "key.pem", CA: "ca.pem", OrphanTimeout: c.OrphanTimeout, LogLimit: 200 << 20,
		Slots: 8, Name: "here", LiveLook: hive.Duration(5 * time.Second),
		ExecutorData: "/var/lib/hivego-batch",
		LogsS3:       LogsS3{Region: "us-east-1", Style: "auto", MoveAfter: hive.Duration(24 * time.Hour)},
		Log:          Log{Level: "debug", Format: "json"},
	}
	if !reflect.DeepEqual(*c, want) || c.OrphanTimeout.Std() != 5*time.Minute {
		t.Errorf("config = %+v", c)
	}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

func TestFileNamedByTheEnvironment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hivego.yaml")
	if err := os.WriteFile(path, []byte("label: [zone=a, disk=ssd]\ntoken-file: t"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := pflag.NewFlagSet("executor", pflag.ContinueOnError)
	c := BindExecutor(f)
	if _, err := (given{env: map[string]string{"HIVEGO_CONFIG": path}}).resolve(t, f); err != nil {
		t.Fatal(err)
	}
	labels, err := c.LabelMap()
	if err != nil || len(labels) != 2 || labels["zone"] != "a" || labels["disk"] != "ssd" || c.TokenFile != "t" {
		t.Errorf("labels = %v, %v; token file %q", labels, err, c.TokenFile)
	}
}

// refusal is a wrong setting, and what the message about it holds.
type refusal struct {
	given given
	want  []string
}

// fileRefusals returns wrong settings of a file or the environment.
func fileRefusals() map[string]refusal {
	return map[string]refusal{
		"unknown key": {
			given{file: "data: x\nslot: 3"},
			[]string{`FILE, line 2: there is no setting "slot"`},
		},
		"two at once": {
			given{file: "slot: 3\ndatas: x"},
			[]string{`line 1: there is no setting "slot"`, `line 2: there is no setting "datas"`},
		},
		"nested": {
			given{file: "log:\n  level: info"},
			[]string{`FILE, line 1: there is no setting "log"`},
		},
		"map as value":   {given{file: "data: {a: b}"}, []string{"FILE, line 1: data takes a single value"}},
		"twice":          {given{file: "slots: 1\nslots: 2"}, []string{"slots"}},
		"a list":         {given{file: "- slots"}, []string{"FILE, line 1: write settings as `name: value`"}},
		"not YAML":       {given{file: "a: [b"}, []string{"FILE: yaml: line 1"}},
		"file in a file": {given{file: "config: other.yaml"}, []string{`there is no setting "config"`}},
		"no number": {
			given{file: "data: x\nslots: many"},
			[]string{`FILE, line 2, slots: "many" cannot be read as a whole number`},
		},
		"environment": {
			given{env: map[string]string{"HIVEGO_NO_EXECUTOR": "perhaps"}},
			[]string{`HIVEGO_NO_EXECUTOR: "perhaps" cannot be read as true or false`},
		},
		"duration": {
			given{env: map[string]string{"HIVEGO_ORPHAN_TIMEOUT": "3"}},
			[]string{`HIVEGO_ORPHAN_TIMEOUT: "3" cannot be read as a duration; write one such`},
		},
	}
}

// flagRefusals returns wrong flags, except for the public address.
func flagRefusals() map[string]refusal {
	return map[string]refusal{
		"no such file": {
			given{flags: []string{"--config=/no/such/file"}},
			[]string{"read the configuration", "/no/such/file"},
		},
		"no data": {given{flags: []string{"--data="}}, []string{"--data: name a folder"}},
		"open port": {
			given{flags: []string{"--listen=0.0.0.0:3000"}},
			[]string{"--listen 0.0.0.0:3000", "hivego certs", "--tls-cert", "--behind-proxy"},
		},
		"all addresses": {
			given{flags: []string{"--listen=:3000"}},
			[]string{"--listen :3000", "--behind-proxy"},
		},
		"a name": {given{flags: []string{"--listen=example.org:3000"}}, []string{"--behind-proxy"}},
		"no port": {
			given{flags: []string{"--listen=127.0.0.1"}},
			[]string{"--listen", "write host:port"},
		},
		"half a pair": {
			given{flags: []string{"--tls-cert=c.pem"}},
			[]string{"--tls-cert and --tls-key go together"},
		},
		"too short": {
			given{flags: []string{"--live-look=500ms"}},
			[]string{"--live-look 500ms: at least 1s"},
		},
		"too long": {
			given{flags: []string{"--live-look=36500d"}},
			[]string{"--live-look", "at most 24h"},
		},
		"an executor's patience": {
			given{flags: []string{"--orphan-timeout=500ms"}},
			[]string{"--orphan-timeout 500ms: at least 1s, or 0"},
		},
		"less than nothing": {
			given{flags: []string{"--keep-days=-1"}}, []string{"--keep-days -1: between 1 and 36500, or 0"},
		},
		"executor's name": {
			given{flags: []string{"--executor-name=a b"}},
			[]string{`--executor-name "a b"`, "without spaces"},
		},
		"nobody's executor": {
			given{flags: []string{"--no-executor", "--executor-user=batch"}},
			[]string{"--executor-user", "--no-executor", "hivego executor"},
		},
		"too many slots": {
			given{flags: []string{"--slots=100000"}},
			[]string{"--slots 100000: between 1 and 10000"},
		},
		"log level": {
			given{flags: []string{"--log-level=loud"}},
			[]string{`--log-level "loud": debug, info, warn or error`},
		},
		"log format": {
			given{flags: []string{"--log-format=xml"}},
			[]string{`--log-format "xml": text or json`},
		},
	}
}

// publicRefusals returns wrong public addresses.
func publicRefusals() map[string]refusal {
	return map[string]refusal{
		"public, no address": {
			given{flags: []string{"--public-url=hivego.example"}},
			[]string{"--public-url", "https://hivego.example"},
		},
		"public, another scheme": {
			given{flags: []string{"--public-url=ftp://hivego.example"}},
			[]string{"--public-url"},
		},
		"public, with a path": {
			given{flags: []string{"--public-url=https://example.org/hivego"}},
			[]string{"--public-url", "root of its name"},
		},
		"public, with a user": {
			given{flags: []string{"--public-url=https://ada@example.org"}},
			[]string{"--public-url"},
		},
		"public, not in ASCII": {
			given{flags: []string{"--public-url=https://蜂巢.example"}},
			[]string{"--public-url", "xn--"},
		},
	}
}

// TestRefusals gives wrong settings. Each message names the place (FILE stands for the file's name) and the remedy.
func TestRefusals(t *testing.T) {
	t.Parallel()
	cases := map[string]refusal{}
	for _, topic := range []map[string]refusal{
		fileRefusals(), flagRefusals(), publicRefusals(), metricsRefusals(), tracesRefusals(), s3Refusals(),
	} {
		maps.Copy(cases, topic)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := pflag.NewFlagSet(name, pflag.ContinueOnError)
			serve := BindServe(f)
			path, err := c.given.resolve(t, f)
			if err == nil {
				err = serve.check()
			}
			if err == nil {
				err = serve.Log.check()
			}
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range c.want {
				if want = strings.ReplaceAll(want, "FILE", path); !strings.Contains(err.Error(), want) {
					t.Errorf("error = %q, want %q", err, want)
				}
			}
		})
	}
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	for _, flags := range [][]string{
		{},
		{"--listen=localhost:0"},
		{"--executor-user=batch", "--executor-data=/var/lib/batch"},
		{"--listen=[::1]:3000"},
		{"--listen=127.8.9.1:3000"},
		{"--listen=0.0.0.0:3000", "--behind-proxy"},
		{"--listen=0.0.0.0:3000", "--tls-cert=c.pem", "--tls-key=k.pem"},
		{"--orphan-timeout=0s"},
		{"--orphan-timeout=1d"},
	} {
		f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		c := BindServe(f)
		_, err := given{flags: flags}.resolve(t, f)
		if err == nil {
			err = c.check()
		}
		if err != nil {
			t.Errorf("%v: %v", flags, err)
		}
	}
}

func TestExecutorRefusals(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		flags []string
		want  string
	}{
		"no token":    {nil, "`hivego token create --group default` makes one"},
		"bad label":   {[]string{"--token-file=t", "--label=ssd"}, `--label "ssd": write name=value`},
		"bad listen":  {[]string{"--token-file=t", "--listen=here"}, "write host:port"},
		"half a pair": {[]string{"--token-file=t", "--tls-key=k"}, "go together"},
		"no data":     {[]string{"--token-file=t", "--data="}, "--data: name a folder"},
		"bad name":    {[]string{"--token-file=t", "--name=rack 1"}, `--name "rack 1": at most`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := pflag.NewFlagSet(name, pflag.ContinueOnError)
			e := BindExecutor(f)
			if err := f.Parse(c.flags); err != nil {
				t.Fatal(err)
			}
			if err := e.Resolve(f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want %q", err, c.want)
			}
		})
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	e := Executor{TokenFile: path}
	if _, err := e.Token(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	for content, want := range map[string]string{"secret\r\n": "secret", "\n": ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := e.Token(); got != want || (err == nil) != (want != "") {
			t.Errorf("Token() of %q = %q, %v", content, got, err)
		}
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"": false, "sqlite:hivego.db": false, "sqlite:///var/lib/x.db": false, "postgres://h@db/x": true,
		"postgresql://h@db/x": true,
	} {
		if got := (&Serve{DatabaseURL: url}).Shared(); got != want {
			t.Errorf("%q: %v", url, got)
		}
	}
}
