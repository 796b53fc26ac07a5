// Package supervisetest lets a test binary run as its own supervisor, and observes that supervisor's processes.
package supervisetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rprp/hivego/executor/supervise"
)

// subcommand is the argument that makes the test binary run as a supervisor.
const subcommand = "hivego-test-supervise"

// Main runs the tests and checks for leaked goroutines; call it from TestMain. If the binary was started by Command,
// Main runs a supervisor instead.
func Main(m *testing.M) {
	Supervise()
	goleak.VerifyTestMain(m)
}

// Supervise runs a supervisor and then exits, if the binary was started by Command. Otherwise it does nothing.
func Supervise() {
	if len(os.Args) < 4 || os.Args[1] != subcommand {
		return
	}
	err := supervise.Run(context.Background(), supervise.Config{
		Data: os.Args[3], IdleExit: 300 * time.Millisecond,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command returns the command that starts this test binary as a supervisor.
func Command() []string { return []string{os.Args[0], subcommand} }

// patience limits each wait.
const patience = 2 * time.Minute

// PIDIn waits until a script has written a pid, as a line, into a file.
func PIDIn(t testing.TB, path string) int {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		data, _ := os.ReadFile(path) // fails until the script has made the file
		if pid, _ := strconv.Atoi(strings.TrimSpace(string(data))); pid > 0 && strings.HasSuffix(string(data), "\n") {
			return pid
		}
	}
	t.Fatalf("no pid was written into %s", path)
	return 0
}

// Dead returns a function that reports whether a process has ended. A zombie counts as ended.
func Dead(pid int) func() bool {
	return func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return true
		}
		_, rest, _ := strings.Cut(string(data), ") ")
		return strings.HasPrefix(rest, "Z")
	}
}
