package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/doctor"
	"github.com/rprp/hivego/server/logs"
)

func doctorCommand(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with a server: settings, clock, disk, database, executors",
		Long: `Looks at the settings of a server, and at the clock, the disks, the database, the executors and the
versions that it works with. Each line is OK, a warning or a fault; those that are not OK name a remedy. It works while
the server runs and while it does not. Give it the same flags, variables and file as serve, on the server's machine.

It exits with 0 without faults, and with 1 if there is one.`,
		Args: cobra.NoArgs,
	}
	settings := new(cobra.Command).Flags() // apart from -o, which is no setting
	cfg := config.BindServe(settings)
	cmd.Flags().AddFlagSet(settings)
	output := cmd.Flags().StringP("output", "o", "table", "how to print: table or json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *output != "table" && *output != "json" {
			return fmt.Errorf("-o is table or json, not %q", *output)
		}
		facts := &doctor.Facts{Version: version, Now: time.Now(), Unsynchronized: unsynchronized()}
		if err := cfg.Read(settings); err != nil { // anything else would be looked for in wrong places
			facts.Refused = sentences(err)
		} else {
			facts.Refused = sentences(cfg.Check(settings))
			examine(cmd.Context(), cfg, facts)
		}
		findings := doctor.Judge(facts)
		if *output == "json" {
			if err := doctor.PrintJSON(cmd.OutOrStdout(), findings); err != nil {
				return err
			}
		} else {
			doctor.PrintText(cmd.OutOrStdout(), findings)
		}
		if doctor.Worst(findings) == doctor.Fault {
			return cli.ErrFailed
		}
		return nil
	}
	return cmd
}

// examine gathers the facts.
func examine(ctx context.Context, cfg *config.Serve, f *doctor.Facts) {
	f.Warnings = append(config.UnknownVariables(os.Environ()), cfg.Exposed()...)
	database := "SQLite in the data folder"
	switch file := (db.Config{URL: cfg.DatabaseURL, Dir: cfg.Data}).File(); {
	case cfg.Shared():
		database = "PostgreSQL"
	case cfg.DatabaseURL != "":
		database = "SQLite in " + file
	}
	f.Place = fmt.Sprintf("data in %s, API at %s, %s", cfg.Data, cfg.Listen, database)
	if _, err := cfg.MetricsToken(); err != nil {
		f.Refused = append(f.Refused, err.Error())
	}
	f.Certificates = certificates(cfg)
	f.Folders = folders(cfg)
	f.LogStore = lookAtLogStore(ctx, cfg)
	f.Server = lookForServer(ctx, cfg)
	if name, err := probeCollector(ctx, cfg); name != "" {
		f.Collector = &doctor.Collector{URL: name, Err: err}
	}
	(&examination{cfg: cfg, facts: f}).database(ctx)
}

// sentences splits joined errors.
func sentences(err error) []string {
	if err == nil {
		return nil
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range many.Unwrap() {
		out = append(out, sentences(e)...)
	}
	return out
}

// unsynchronized reports whether the kernel says that nothing keeps its clock right.
func unsynchronized() bool {
	const unsync = 0x40 // STA_UNSYNC
	var t syscall.Timex
	_, err := syscall.Adjtimex(&t)
	return err == nil && t.Status&unsync != 0
}

// folders looks at the folders that the server writes to.
func folders(cfg *config.Serve) []doctor.Folder {
	out := []doctor.Folder{folder("the server's data", cfg.Data), folder("the tasks' logs", logFolder(cfg))}
	if file := (db.Config{URL: cfg.DatabaseURL, Dir: cfg.Data}).File(); file != "" &&
		filepath.Clean(filepath.Dir(file)) != filepath.Clean(cfg.Data) {
		out = append(out, folder("the database", filepath.Dir(file)))
	}
	return out
}

// folder writes a file into a folder, removes it, and measures the disk.
func folder(name, path string) doctor.Folder {
	f := doctor.Folder{Name: name, Path: path}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		f.Missing = true
		return f
	}
	f.Free, f.Total, _ = logs.MeasureDisk(path)
	trial, err := os.CreateTemp(path, ".doctor-")
	if err != nil {
		f.Err = err
		return f
	}
	_, err = trial.Write(make([]byte, 4<<10))
	f.Err = cmp.Or(err, trial.Sync(), trial.Close())
	_ = os.Remove(trial.Name())
	return f
}
