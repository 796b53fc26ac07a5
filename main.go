// HiveGo: a batch scheduler. See README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/rprp/hivego/server/app"
	"github.com/rprp/hivego/server/cli"
)

// version is stamped by the build.
var version string

// commit is stamped by the build.
var commit string //nolint:gochecknoglobals // the linker can only write to a global

func main() {
	os.Exit(run())
}

// run runs the program and returns its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	build := app.Build(version, commit)
	commands := slices.Concat(app.Commands(build.Version), cli.LocalCommands(app.OpenLocal),
		cli.BackupCommands(app.Backups{Version: build.Version}))
	root := cli.Root(cli.Config{
		Commands: commands,
		Handlers: app.Handlers(),
		Build:    build,
	})
	return cli.Main(ctx, root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
