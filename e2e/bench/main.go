// Command bench prints the costs of HiveGo as ratios to the limits of the machine, measured in the same run. It
// asserts nothing: docs/operations.md explains how to read it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	reps      int    // of each measure
	tasks     int    // of the wide and the layered batch
	slots     int    // of the executor
	schedules int    // that are due in one second
	on        string // databases
	pruneRuns int    // old runs that are pruned
	only      string // names of measures; empty: all
	binary    string // to start and weigh
	json      bool
	cpu       string // file for a CPU profile of the batches
}

func main() {
	var o options
	flag.IntVar(&o.reps, "reps", 5, "repetitions of each measure")
	flag.IntVar(&o.tasks, "tasks", 10_000, "tasks of the wide and of the layered batch")
	flag.IntVar(&o.slots, "slots", 4000, "slots of the executor")
	flag.IntVar(&o.schedules, "schedules", 10_000, "schedules that are due in one second")
	flag.IntVar(&o.pruneRuns, "prune-runs", 1_000_000, "old runs that are pruned")
	flag.StringVar(&o.on, "on", "sqlite,postgres", "databases to measure")
	flag.StringVar(&o.only, "only", "chain,batch,live,due,memory,shell,kill,schedules,far,takeover,process,log,prune",
		"what to measure")
	flag.StringVar(&o.binary, "binary", "bin/hivego", "program to start and weigh")
	flag.BoolVar(&o.json, "json", false, "print JSON")
	flag.StringVar(&o.cpu, "cpuprofile", "", "write a CPU profile of the batches to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run: its folders, and its results.
type bench struct {
	options
	dir string
	rep report
	pg  *postgres
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "hivego-bench-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	b := &bench{options: o, dir: dir}
	if b.pg, err = startPostgres(ctx); err != nil {
		return err
	}
	b.settings(ctx)
	if err := b.denominators(ctx); err != nil {
		return err
	}
	if err := b.batches(ctx); err != nil {
		return err
	}
	if err := b.memory(ctx); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := b.real(ctx); err != nil {
		return err
	}
	if err := b.live(ctx); err != nil {
		return err
	}
	if err := b.far(ctx); err != nil {
		return fmt.Errorf("far: %w", err)
	}
	if err := b.takeover(ctx); err != nil {
		return fmt.Errorf("takeover: %w", err)
	}
	if err := b.manyOf(ctx); err != nil {
		return err
	}
	if err := b.process(ctx); err != nil {
		return err
	}
	if err := b.log(ctx); err != nil {
		return err
	}
	if err := b.prune(ctx); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	if o.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(b.rep)
	}
	return b.rep.print(os.Stdout)
}

// batches runs the measures with a server, on each database.
func (b *bench) batches(ctx context.Context) (err error) {
	if b.cpu != "" {
		f, err := os.Create(b.cpu)
		if err != nil {
			return fmt.Errorf("write the profile: %w", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return errors.Join(err, f.Close())
		}
		defer func() {
			pprof.StopCPUProfile()
			err = errors.Join(err, f.Close())
		}()
	}
	for name := range strings.SplitSeq(b.on, ",") {
		if err := b.database(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) asked(measure string) bool {
	return slices.Contains(strings.Split(b.only, ","), measure)
}

func (b *bench) database(ctx context.Context, name string) error {
	url := ""
	switch name {
	case "sqlite":
	case "postgres":
		var err error
		if url, err = b.pg.database(ctx, "hivego_bench"); err != nil {
			return err
		}
	default:
		return errors.New("-on takes sqlite and postgres")
	}
	s, err := startSystem(ctx, filepath.Join(b.dir, name), url, b.slots)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, m := range []struct {
		name    string
		measure func(context.Context, *system, string) error
	}{{"chain", b.chain}, {"batch", b.throughput}, {"due", b.due}} {
		if !b.asked(m.name) {
			continue
		}
		runtime.GC() // garbage of earlier measures must not count here
		if err := m.measure(ctx, s, name); err != nil {
			return err
		}
	}
	return nil
}
