package cli_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

const ugly = `kind: Schedule
apiVersion: hivego/v1
# the night
name: "nightly"
jobs:
- key: load
  tasks:
  - key: a
    handler: shell
    params: {command: "true"}
`

const broken = `apiVersion: hivego/v1
kind: Schedule
name: nightly
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, needs: [z], params: {command: "true"}}
      - {key: A, handler: shell, colour: red, params: {command: "true"}}
triggers:
  - cron: "61 * * * *"
`

func TestValidate(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	fine, bad := write(t, "fine.yaml", good), write(t, "bad.yaml", broken)
	w.want(run(t.Context(), nil, "", "validate", "-f", fine), 0, fine+": valid\n", "")
	w.want(run(t.Context(), nil, good, "validate", "-f", "-"), 0, "-: valid\n", "")
	o := run(t.Context(), nil, "", "validate", "-f", fine, bad)
	w.want(o, 2, fine+": valid\n", "1 file is refused")
	for _, words := range []string{bad + ":7:", bad + ":8:", bad + ":10:", "colour", "error: "} {
		if !strings.Contains(o.stderr, words) {
			t.Errorf("the faults do not name %q:\n%s", words, o.stderr)
		}
	}
	o = run(t.Context(), nil, broken, "validate", "-f", "-", "-o", "json")
	w.want(o, 2, `"valid": false`, "refused")
	w.want(o, 2, `"line": 10`, "")
	w.want(run(t.Context(), nil, "", "validate"), 2, "", "-f FILE")
	w.want(run(t.Context(), nil, "", "validate", "-f", "/nowhere"), 2, "", "/nowhere")
}

// Params are checked only if the handler is known without a server.
func TestParamsWithoutServer(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	wrong := strings.NewReplacer("command:", "comand:").Replace(good)
	w.want(run(t.Context(), nil, wrong, "validate", "-f", "-"), 2, "", "did you mean command?")
	w.want(run(t.Context(), nil, strings.Replace(good, "handler: shell", "handler: own", 1), "validate", "-f", "-"), 0,
		"valid", "")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	w.want(run(t.Context(), nil, "", "run"), 2, "",
		"hivego run: an argument is missing; say `hivego run NAME [flags]`\n")
	w.want(run(t.Context(), nil, "", "run", "a", "b"), 2, "", "2 arguments do not fit; say `hivego run NAME [flags]`\n")
	w.want(run(t.Context(), nil, "", "run", ""), 2, "", "an argument is empty")
	w.want(run(t.Context(), nil, "", "mark", "1"), 2, "", "an argument is missing; say `hivego mark ID TASK... --as")
	w.want(run(t.Context(), nil, "", "run", "a", "--colour"), 2, "",
		"unknown flag: --colour; `hivego run --help` lists the flags\n")
	w.want(run(t.Context(), nil, "", "ticks", "a", "--limit", "x"), 2, "",
		`"x" for "--limit" flag: it is not a whole number; `)
	w.want(run(t.Context(), nil, "", "executors", "extra"), 2, "", "extra")
	w.want(run(t.Context(), nil, "", "batches", "7"), 2, "", "1 argument does not fit; say `hivego batches")
	w.want(run(t.Context(), nil, "", "fly"), 2, "", "unknown command \"fly\"; `hivego --help` lists the commands\n")
	w.want(run(t.Context(), nil, "", "runn"), 2, "", "unknown command \"runn\"; did you mean run?\n")
	w.want(run(t.Context(), nil, "", "runn", "x", "--wait"), 2, "", "unknown command \"runn\"; did you mean run?\n")
	w.want(run(t.Context(), nil, "", "user", "ad", "ada", "--password-stdin"), 2, "",
		"hivego user: unknown command \"ad\"; did you mean add?\n")
	w.want(run(t.Context(), nil, "", "help", "runn"), 2, "", "unknown command \"runn\"; did you mean run?\n")
	w.want(run(t.Context(), nil, "", "help", "run"), 0, "hivego run NAME", "")
	w.want(run(t.Context(), nil, "", "batches", "--limit", "99999999999999999999"), 2, "", "it is too large a number")
	if o := run(t.Context(), nil, "", "user", "add", "--help"); o.code != 0 || strings.Contains(o.stdout, "--server") {
		t.Errorf("a command that calls no server speaks of one: %s", o.stdout)
	}
	w.want(run(t.Context(), nil, "", "run", "--help"), 0, "--server", "")
	for _, group := range []string{"user", "token", "executors"} { // their subcommands must not hide a mistyped one
		o := run(t.Context(), nil, "", group, "fly")
		w.want(o, 2, "", "hivego "+group+": unknown command \"fly\"; `hivego "+group+" --help` lists the commands\n")
		if o.stdout != "" {
			t.Errorf("%s: %q", group, o.stdout)
		}
	}
	w.want(run(t.Context(), nil, "", "user"), 0, "Available Commands", "")
}

func TestFmt(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	file := write(t, "ugly.yaml", ugly)
	o := run(t.Context(), nil, "", "fmt", "-f", file)
	w.want(o, 0, "# the night", "")
	canonical := o.stdout
	w.want(run(t.Context(), nil, canonical, "fmt", "-f", "-"), 0, canonical, "")
	w.want(run(t.Context(), nil, "", "fmt", "-f", file, "--check"), 1, file+"\n", "")
	w.want(run(t.Context(), nil, "", "fmt", "-f", file, "-w"), 0, "", "")
	if text, err := os.ReadFile(file); err != nil || string(text) != canonical {
		t.Errorf("written back: %v\n%s", err, text)
	}
	if left, _ := filepath.Glob(file + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	w.want(run(t.Context(), nil, "", "fmt", "-f", file, "--check"), 0, "", "")
	w.want(run(t.Context(), nil, "", "fmt", "-f", file, "-w", "--check"), 2, "", "check")
	w.want(run(t.Context(), nil, "jobs: [", "fmt", "-f", "-"), 2, "", "-:1:")
	chain := strings.Replace(good, "      - {key: a", "      - {key: z, handler: shell, params: {command: x}}\n"+
		"  - {key: mid, tasks: [{key: m, needs: [z], handler: shell, params: {command: x}}]}\n"+
		"  - key: end\n    tasks:\n      - {key: a, needs: [z, m]", 1)
	o = run(t.Context(), nil, chain, "fmt", "-f", "-", "--remove-redundant")
	if o.code != 0 || strings.Count(o.stdout, "z") != 2 ||
		strings.Count(run(t.Context(), nil, chain, "fmt", "-f", "-").stdout, "z") != 3 {
		t.Errorf("redundant needs: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// fakeLocal is a fake database on the server's machine.
type fakeLocal struct {
	place        cli.Place
	user, secret string
	admin        bool
	token        []string
	expires      time.Time
	closed       int
	err          error
	removed      string
	revoked      int64
	key          string
	lost         bool
}

func (f *fakeLocal) open(_ context.Context, p cli.Place) (*cli.Local, error) {
	f.place = p
	return &cli.Local{Users: f, Tokens: f, Key: f, Closer: f}, f.err
}

func (f *fakeLocal) AddUser(_ context.Context, name, password string, admin bool) error {
	f.user, f.secret, f.admin = name, password, admin
	return nil
}

func (f *fakeLocal) CreateToken(_ context.Context, user, group, name string, expires time.Time) (string, error) {
	f.token, f.expires = []string{user, group, name}, expires
	return "hgo_x", nil
}

func (f *fakeLocal) Users(context.Context) ([]hive.User, error) {
	at := time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC)
	return []hive.User{{Name: "ada", Admin: true, PasswordHash: "hash", CreatedAt: at}, {Name: "bob", CreatedAt: at}},
		nil
}

func (f *fakeLocal) SetPassword(_ context.Context, name, password string) error {
	f.user, f.secret = name, password
	return nil
}

func (f *fakeLocal) RemoveUser(_ context.Context, name string) error { f.removed = name; return nil }

func (f *fakeLocal) Tokens(_ context.Context, user string) ([]hive.Token, error) {
	if f.user = user; user == "" {
		return []hive.Token{{
			ID: 2, Group: "etl", Hash: "hash",
			ExpiresAt: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		}}, nil
	}
	return []hive.Token{{ID: 1, Name: "ci", Hash: "hash"}}, nil
}

func (f *fakeLocal) RevokeToken(_ context.Context, id int64) error { f.revoked = id; return nil }

func (f *fakeLocal) ChangeKey(_ context.Context, from cli.KeyPlace, lost bool) error {
	f.key, f.lost = from.SecretKey, lost
	return nil
}

func (f *fakeLocal) Close() error { f.closed++; return nil }

func TestLocalCommands(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	f := &fakeLocal{}
	o := run(t.Context(), f.open, "a long secret\nmore", "user", "add", "ada", "--admin", "--password-stdin", "--data",
		"d", "--database-url", "u")
	w.want(o, 0, "", "")
	if f.user != "ada" || f.secret != "a long secret" || !f.admin ||
		f.place != (cli.Place{Data: "d", DatabaseURL: "u", Create: true}) || f.closed != 1 {
		t.Errorf("%+v", f)
	}
	w.want(run(t.Context(), f.open, "", "user", "add", "ada", "--password-stdin"), 2, "", "no password")
	w.want(run(t.Context(), f.open, "x", "user", "add", "ada"), 2, "", "--password-stdin")
	o = run(t.Context(), f.open, "", "token", "create", "--user", "ada", "--data", "d", "--expires-in", "1d")
	if o.stdout != "hgo_x\n" || o.code != 0 || f.token[0] != "ada" || f.place.Create ||
		time.Until(f.expires) < 23*time.Hour {
		t.Errorf("%+v %+v", o, f)
	}
	o = run(t.Context(), f.open, "", "token", "create", "--group", "etl", "--name", "rack 1")
	if o.stdout != "hgo_x\n" || !f.place.Create || f.token[1] != "etl" || f.token[2] != "rack 1" ||
		!f.expires.IsZero() {
		t.Errorf("%+v %+v", o, f)
	}
	w.want(run(t.Context(), f.open, "", "token", "create"), 2, "", "--user")
	w.want(run(t.Context(), f.open, "", "token", "create", "--user", "a", "--group", "b"), 2, "", "either")
	w.want(run(t.Context(), f.open, "", "token", "create", "--user", "a", "--expires-in", "0s"), 2, "", "--expires-in")
	f.err = errors.New("it is locked")
	w.want(run(t.Context(), f.open, "", "token", "create", "--user", "a"), 2, "", "it is locked")
}

func TestSecretKey(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	f := &fakeLocal{}
	w.want(run(t.Context(), f.open, "", "secret-key", "new", "--data", "d", "--secret-key", "k"), 0, "a new key", "")
	if f.place != (cli.Place{Data: "d", Alone: true}) || f.key != "k" || f.lost {
		t.Errorf("%+v", f)
	}
	w.want(run(t.Context(), f.open, "", "secret-key", "new", "--lost"), 0, "a new key", "")
	if !f.lost {
		t.Errorf("%+v", f)
	}
	two := []string{"secret-key", "new", "--secret-key", "k", "--secret-key-command", "true"}
	w.want(run(t.Context(), f.open, "", two...), 2, "", "give only one of them")
	w.want(run(t.Context(), f.open, "", "secret-key", "fly"), 2, "", "unknown command")
}

func TestPeople(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	f := &fakeLocal{}
	w.want(run(t.Context(), f.open, "", "user", "list"), 0,
		"NAME  ADMIN  CREATED\nada   yes    2026-05-01 03:20:00Z\nbob   no     2026-05-01 03:20:00Z\n", "")
	w.want(run(t.Context(), f.open, "a new secret\n", "user", "password", "ada", "--password-stdin", "--data", "d"), 0,
		"", "")
	if f.user != "ada" || f.secret != "a new secret" || f.place != (cli.Place{Data: "d"}) || f.closed != 2 {
		t.Errorf("%+v", f)
	}
	w.want(run(t.Context(), f.open, "x", "user", "password", "ada"), 2, "", "--password-stdin")
	w.want(run(t.Context(), f.open, "", "user", "password", "ada", "--password-stdin"), 2, "", "no password")
	w.want(run(t.Context(), f.open, "", "user", "password", "--password-stdin"), 2, "", "NAME")
	w.want(run(t.Context(), f.open, "", "user", "remove", "bob"), 0, "", "")
	w.want(run(t.Context(), f.open, "", "token", "list", "--user", "ada"), 0,
		"ID  NAME  GROUP  CREATED  EXPIRES  USED\n1   ci    -      -        -        -\n", "")
	w.want(run(t.Context(), f.open, "", "token", "list"), 0,
		"ID  NAME  GROUP  CREATED  EXPIRES               USED\n2   -     etl    -        2027-01-01 00:00:00Z  -\n", "")
	w.want(run(t.Context(), f.open, "", "token", "revoke", "7"), 0, "", "")
	if f.removed != "bob" || f.revoked != 7 {
		t.Errorf("%+v", f)
	}
	for _, id := range []string{"x", "0", "-1"} {
		w.want(run(t.Context(), f.open, "", "token", "revoke", "--", id), 2, "", "no id of a token")
	}
}

func TestCerts(t *testing.T) {
	t.Parallel()
	w := &world{T: t}
	data := t.TempDir()
	dir := filepath.Join(data, "certs")
	o := run(t.Context(), nil, "", "certs", "--data", data, "--host", "localhost", "--host", "127.0.0.1", "--host",
		"ca")
	w.want(o, 0, filepath.Join(dir, "127.0.0.1.crt")+"\n", "")
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	w.want(run(t.Context(), nil, "", "certs", "--data", data, "--host", "::1"), 0, "__1.key", "")
	if again, _ := os.ReadFile(filepath.Join(dir, "ca.crt")); !bytes.Equal(again, authority) {
		t.Error("the authority was made anew")
	}
	keys, _ := filepath.Glob(filepath.Join(dir, "*.key"))
	if len(keys) != 5 {
		t.Errorf("keys: %v", keys)
	}
	for _, k := range keys {
		if info, err := os.Stat(k); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", k, info.Mode(), err)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1"} {
		handshake(t, dir, host)
	}
	w.want(run(t.Context(), nil, "", "certs", "--data", data, "--host", "b.example,127.0.0.1"), 0,
		filepath.Join(dir, "b.example.key")+"\n", "")
	for _, host := range []string{
		"../x", "a b", "", "x/y", strings.Repeat("a", 64) + ".b", "b.example,", ",b.example",
	} {
		w.want(run(t.Context(), nil, "", "certs", "--data", data, "--host", host), 2, "", "neither")
	}
	w.want(run(t.Context(), nil, "", "certs", "--data", data), 2, "", "--host")
	if err := os.WriteFile(filepath.Join(dir, "ca.key"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.want(run(t.Context(), nil, "", "certs", "--data", data, "--host", "h"), 2, "", "PEM")
}

// handshake proves that both sides trust the authority, as server and as client.
func handshake(t *testing.T, dir, host string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, host+".crt"), filepath.Join(dir, host+".key"))
	if err != nil {
		t.Fatal(err)
	}
	pem, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	a, b := net.Pipe()
	server := tls.Server(a, &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		MinVersion: tls.VersionTLS12,
	})
	client := tls.Client(b, &tls.Config{
		Certificates: []tls.Certificate{pair}, RootCAs: pool, ServerName: host, MinVersion: tls.VersionTLS12,
	})
	done := make(chan error, 1)
	go func() {
		_, err := io.WriteString(server, "hi")
		done <- errors.Join(err, server.Close())
	}()
	if text, err := io.ReadAll(client); err != nil || string(text) != "hi" {
		t.Errorf("%s: %q %v", host, text, err)
	}
	if err := <-done; err != nil {
		t.Errorf("%s: %v", host, err)
	}
}
