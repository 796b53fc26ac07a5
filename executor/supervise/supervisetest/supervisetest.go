// Package supervisetest lets a test binary be its own supervisor.
package supervisetest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
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
