// Package harness runs HiveGo as users do: the real binary, in processes of its own, on a database of its own.
package harness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binary is built once per test process.
type binary struct {
	once sync.Once
	path string
	err  error
}

var built binary

// Binary builds hivego and returns its path.
func Binary(t testing.TB) string {
	t.Helper()
	built.once.Do(func() { built.path, built.err = build() })
	if built.err != nil {
		t.Fatalf("build hivego: %v", built.err)
	}
	return built.path
}

func build() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("hivego-e2e-%d", os.Getuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	// The name has the process id: test packages run side by side and must not replace a binary that another executes.
	path := filepath.Join(dir, fmt.Sprintf("hivego-%d", os.Getpid()))
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
}

// Main is for TestMain: it runs the tests, removes the built binary, and exits.
func Main(m *testing.M) {
	code := m.Run()
	if built.path != "" {
		_ = os.Remove(built.path)
	}
	os.Exit(code)
}

// Root returns the folder of go.mod.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find go.mod: %w", err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out))), nil
}
