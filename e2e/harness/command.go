package harness

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Result is what a command printed, and how it ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Hivego runs a command to its end, without a server. Of HiveGo's variables its environment has only env.
func Hivego(t testing.TB, env []string, stdin string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, Binary(t), args...)
	cmd.Env = append(cleanEnv(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r := Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	if err != nil && r.Code < 0 {
		t.Fatalf("hivego %s: %v\n%s", strings.Join(args, " "), err, r.Stderr)
	}
	return r
}

// cleanEnv returns the environment without the variables that configure HiveGo.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HIVEGO_") {
			env = append(env, kv)
		}
	}
	return env
}

// Env gives commands the server's address and a token.
func (s *Server) Env() []string {
	env := []string{"HIVEGO_SERVER=" + s.URL, "HIVEGO_TOKEN=" + s.Token}
	if s.CA != "" {
		env = append(env, "HIVEGO_CA="+s.CA)
	}
	return env
}

// Try runs a command against the server.
func (s *Server) Try(args ...string) Result {
	s.t.Helper()
	return Hivego(s.t, s.Env(), "", args...)
}

// CLI runs a command against the server, requires that it succeeds, and returns its output.
func (s *Server) CLI(args ...string) string {
	s.t.Helper()
	r := s.Try(args...)
	if r.Code != 0 {
		s.t.Fatalf("hivego %s: exit %d\n%s%s", strings.Join(args, " "), r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// Background starts a command against the server and does not wait for it.
func (s *Server) Background(args ...string) *Process {
	s.t.Helper()
	return StartProcess(s.t, args[0], s.Env(), args...)
}

// Local runs a command on the server's data folder, requires that it succeeds, and returns its output.
func (s *Server) Local(stdin string, args ...string) string {
	s.t.Helper()
	r := Hivego(s.t, s.LocalEnv(), stdin, append(args, "--data", s.Data)...)
	if r.Code != 0 {
		s.t.Fatalf("hivego %s: exit %d\n%s", strings.Join(args, " "), r.Code, r.Stderr)
	}
	return r.Stdout
}

// File writes a file for a test and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Wait waits for the end of the process and returns its exit code.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(Patience):
		t.Fatalf("the process does not end:\n%s", p.Output())
		return -1
	}
}
