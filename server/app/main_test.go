package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rprp/hivego/executor/supervise"
)

// TestMain checks for leaked goroutines. The embedded executor starts this program as its supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		err := supervise.Run(context.Background(), supervise.Config{
			Data: os.Args[slices.Index(os.Args,
				"--data")+1], IdleExit: 300 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		if err := executorOfServer(context.Background(), os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, // fasthttp's own look up every 10 s, and now and then, whether they are needed still
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}
