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
var version = "dev"

func main() {
	os.Exit(run())
}

// run runs the program and returns its exit code.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	commands := slices.Concat(app.Commands(version), cli.LocalCommands(app.OpenLocal),
		cli.BackupCommands(app.Backups{Version: version}))
	root := cli.Root(cli.Config{
		Commands: commands,
		Handlers: app.Handlers(),
	})
	root.Version = version
	return cli.Main(ctx, root, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
