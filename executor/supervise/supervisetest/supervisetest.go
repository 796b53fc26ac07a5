// Package supervisetest lets a test binary be its own supervisor, and looks at the processes that it holds.
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

const mark = "hivego-test-supervise"

// Main is to be called from TestMain. It runs the tests and checks for leaked goroutines, or is the supervisor, if the
// binary was started by Command.
func Main(m *testing.M) {
	Supervise()
	goleak.VerifyTestMain(m)
}

// Supervise is the supervisor, and does not return, if the binary was started by Command.
func Supervise() {
	if len(os.Args) < 4 || os.Args[1] != mark {
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

// Command starts this test binary as a supervisor.
func Command() []string { return []string{os.Args[0], mark} }

// patience is how long anything here is waited for.
const patience = 2 * time.Minute

// PIDIn waits for the process number that a script writes, as a line, into a file.
func PIDIn(t testing.TB, path string) int {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(5 * time.Millisecond) {
		data, _ := os.ReadFile(path) // it comes with the line
		if pid, _ := strconv.Atoi(strings.TrimSpace(string(data))); pid > 0 && strings.HasSuffix(string(data), "\n") {
			return pid
		}
	}
	t.Fatalf("waited in vain for a process number in %s", path)
	return 0
}

// Dead says that a process is gone, or only waits to be reaped.
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
