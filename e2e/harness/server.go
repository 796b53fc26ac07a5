package harness

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rprp/hivego/db/dbtest"
)

// Patience is the longest wait for an event on a busy machine.
const Patience = 3 * time.Minute

// Options of a server.
type Options struct {
	DatabaseURL string   // empty: SQLite in the data folder
	NoExecutor  bool     // without the embedded executor
	TLS         bool     // listen on all addresses, with a certificate for 127.0.0.1 of an authority of its own
	Token       string   // of an administrator that the database has already; empty: the harness makes one
	Empty       bool     // without any user
	Args        []string // more flags of serve
}

// Each runs a test on both databases.
func Each(t *testing.T, f func(t *testing.T, opts Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, Options{})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, Options{DatabaseURL: dbtest.Postgres(t)})
	})
}

// Server is one `hivego serve` that tests start, kill and start again on the same data.
type Server struct {
	Data  string
	URL   string
	Token string
	CA    string // file of the authority's certificate; empty without TLS

	t      testing.TB
	opts   Options
	listen string
	proc   *Process
}

// NewServer prepares a data folder, starts a server on it, and makes an administrator with a token.
func NewServer(t testing.TB, opts Options) *Server {
	t.Helper()
	s := &Server{Data: t.TempDir(), t: t, opts: opts, listen: FreeAddress(t)}
	s.URL = "http://" + s.listen
	if opts.TLS {
		s.secure()
	}
	t.Cleanup(func() {
		s.Kill()
		KillSupervisors(s.Data)
	})
	s.Start()
	if s.Token = opts.Token; s.Token != "" || opts.Empty {
		return s
	}
	s.Local("secret-password-1\n", "user", "add", "admin", "--admin", "--password-stdin")
	s.Token = strings.TrimSpace(s.Local("", "token", "create", "--user", "admin"))
	return s
}

// secure makes the server's certificate and lets the server listen on all addresses.
func (s *Server) secure() {
	s.t.Helper()
	_, port, _ := net.SplitHostPort(s.listen)
	s.URL, s.listen = "https://"+s.listen, net.JoinHostPort("0.0.0.0", port)
	cert, key := s.Certificate("127.0.0.1")
	s.CA = filepath.Join(filepath.Dir(cert), "ca.crt")
	s.opts.Args = append(s.opts.Args, "--tls-cert", cert, "--tls-key", key, "--ca", s.CA)
}

// Certificate makes a certificate for a host, signed by the authority in the server's data folder.
func (s *Server) Certificate(host string) (cert, key string) {
	s.t.Helper()
	cert, key, ok := strings.Cut(strings.TrimSpace(s.Local("", "certs", "--host", host)), "\n")
	if !ok {
		s.t.Fatal("certs does not print the names of two files")
	}
	return cert, key
}

// Start starts the server and waits until it is ready.
func (s *Server) Start() {
	s.t.Helper()
	args := []string{"serve", "--data", s.Data, "--listen", s.listen}
	if s.opts.NoExecutor {
		args = append(args, "--no-executor")
	}
	if s.opts.DatabaseURL != "" {
		args = append(args, "--secret-key", s.sharedKey())
	}
	s.proc = StartProcess(s.t, "serve", s.LocalEnv(), append(args, s.opts.Args...)...)
	s.WaitReady()
}

// sharedKey makes the key file that all servers of the database share.
func (s *Server) sharedKey() string {
	s.t.Helper()
	u, err := url.Parse(s.opts.DatabaseURL)
	if err != nil {
		s.t.Fatal("the database's URL cannot be read")
	}
	path := filepath.Join(s.Data, "shared.key")
	key := sha256.Sum256([]byte(u.Path)) // the name of the test's own database
	if err := os.WriteFile(path, []byte(hex.EncodeToString(key[:])+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// Move gives the server another database, from its next start on.
func (s *Server) Move(databaseURL string) { s.opts.DatabaseURL = databaseURL }

// LocalEnv returns how commands on the server's machine find its database.
func (s *Server) LocalEnv() []string {
	if s.opts.DatabaseURL == "" {
		return nil
	}
	return []string{"HIVEGO_DATABASE_URL=" + s.opts.DatabaseURL}
}

// WaitReady waits until /readyz reports that the server is ready.
func (s *Server) WaitReady() {
	s.t.Helper()
	Eventually(s.t, "the server is ready", func() bool {
		if s.proc.Ended() {
			s.t.Fatalf("the server ended:\n%s", s.proc.Output())
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/readyz", http.NoBody)
		resp, err := s.Client().Do(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// Client trusts the server's authority.
func (s *Server) Client() *http.Client {
	if s.CA == "" {
		return http.DefaultClient
	}
	pool := x509.NewCertPool()
	raw, err := os.ReadFile(s.CA)
	if err != nil || !pool.AppendCertsFromPEM(raw) {
		s.t.Fatalf("the authority's certificate: %v", err)
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() { s.proc.Kill() }

// Terminate asks the server to end, and waits for it.
func (s *Server) Terminate() { s.proc.Terminate() }

// Output is what the server has printed since its last start.
func (s *Server) Output() string { return s.proc.Output() }

// ExecutorToken makes a token by which executors join a group, and returns the file that holds it.
func (s *Server) ExecutorToken(group string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "token")
	token := s.Local("", "token", "create", "--group", group)
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return file
}

// Apply saves a schedule from its text.
func (s *Server) Apply(document string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "schedule.yaml")
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.CLI("apply", "-f", file)
}

// Run starts a batch and returns its id.
func (s *Server) Run(args ...string) int64 {
	s.t.Helper()
	out := strings.TrimSpace(s.CLI(append([]string{"run"}, args...)...))
	id, err := strconv.ParseInt(out, 10, 64)
	if err != nil {
		s.t.Fatalf("run printed %q, not a batch id", out)
	}
	return id
}

// Batch is `hivego batch ID -o json`.
type Batch struct {
	ID         int64   `json:"id"`
	Schedule   string  `json:"schedule"`
	Revision   int64   `json:"revision"`
	Kind       string  `json:"kind"`
	State      string  `json:"state"`
	Round      int     `json:"round"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	Tasks      []Task  `json:"tasks"`
}

// Task is one task of a Batch.
type Task struct {
	Key        string  `json:"key"`
	Job        string  `json:"job"`
	State      string  `json:"state"`
	Reason     string  `json:"reason"`
	Attempts   int     `json:"attempts"`
	Executor   string  `json:"executor"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	ExitCode   *int    `json:"exitCode"`
	Error      string  `json:"error"`
	Shards     []Shard `json:"shards"` // by index; nil for a task that is not sharded
}

// Shard is one shard of a Task.
type Shard struct {
	Index    int    `json:"index"`
	State    string `json:"state"`
	Reason   string `json:"reason"`
	Attempts int    `json:"attempts"`
	Executor string `json:"executor"`
}

// Task returns the task with this key.
func (b *Batch) Task(key string) Task {
	for _, t := range b.Tasks {
		if t.Key == key {
			return t
		}
	}
	return Task{}
}

// States returns the states of all tasks by their keys.
func (b *Batch) States() map[string]string {
	m := map[string]string{}
	for _, t := range b.Tasks {
		m[t.Key] = t.State
	}
	return m
}

// Batch reads a batch.
func (s *Server) Batch(id int64) Batch {
	s.t.Helper()
	var b Batch
	out := s.CLI("batch", strconv.FormatInt(id, 10), "-o", "json")
	if err := json.Unmarshal([]byte(out), &b); err != nil {
		s.t.Fatalf("batch %d: %v\n%s", id, err, out)
	}
	return b
}

// WaitBatch waits until ok accepts the batch.
func (s *Server) WaitBatch(id int64, what string, ok func(Batch) bool) Batch {
	s.t.Helper()
	var b Batch
	EventuallyOr(s.t, fmt.Sprintf("batch %d: %s", id, what), func() bool {
		b = s.Batch(id)
		return ok(b)
	}, func() string {
		text, _ := json.MarshalIndent(b, "", " ")
		return string(text) + "\n" + s.Output()
	})
	return b
}

// WaitEnd waits until a batch has ended.
func (s *Server) WaitEnd(id int64) Batch {
	s.t.Helper()
	return s.WaitBatch(id, "it has ended", func(b Batch) bool { return b.FinishedAt != nil && *b.FinishedAt != "" })
}

// FreeAddress returns a loopback address on which no process listens. It is reserved until the end of the test, even
// while the test's server is dead: the port is below the range from which the kernel takes ports for connections, and a
// socket with the port in its name reserves it against other tests.
func FreeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		port := 20_000 + rand.IntN(12_000)
		claim, err := net.Listen("unix", fmt.Sprintf("@hivego-test-port-%d", port))
		if err != nil {
			continue
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		l, err := net.Listen("tcp", address)
		if err != nil {
			_ = claim.Close()
			continue
		}
		_ = l.Close()
		t.Cleanup(func() { _ = claim.Close() })
		return address
	}
	t.Fatal("no port from 20000 to 32000 is free")
	return ""
}

// Eventually waits until ok.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	EventuallyOr(t, what, ok, func() string { return "" })
}

// EventuallyOr waits until ok, and adds more to the message of a failure.
func EventuallyOr(t testing.TB, what string, ok func() bool, more func() string) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("did not come: %s\n%s", what, more())
}

// KillSupervisors ends the supervisors of all executors below a data folder, and with them their tasks.
func KillSupervisors(data string) {
	for _, pid := range Supervisors(data) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Supervisors lists the processes that run `hivego supervise` below a data folder.
func Supervisors(data string) []int {
	var pids []int
	dirs, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range dirs {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if args := strings.Split(string(raw), "\x00"); len(args) > 1 && args[1] == "supervise" &&
			strings.Contains(string(raw), data) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
