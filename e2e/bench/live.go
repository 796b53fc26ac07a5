package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rprp/hivego/executor/sdk"
)

// The size of the live measure.
const (
	envBrowsers = "HIVEGO_BENCH_BROWSERS" // how many clients follow the batch
	allBrowsers = 1000
	ofOneUser   = 400 // clients; a server takes 500 of one user
	dialAtOnce  = 20
	liveSlots   = 50
	liveEvery   = 250 * time.Millisecond // a task
	liveUsers   = 1                      // of a system in this process
)

// beat is a handler that works for a while and records when it was done. No task begins before the start.
type beat struct {
	start chan struct{}
	done  []atomic.Int64 // in ns since 1970, by the number of the task
}

// Info describes it.
func (h *beat) Info() sdk.Info { return sdk.Info{Name: "beat", ParamsSchema: `{"type":"object"}`} }

// Run works.
func (h *beat) Run(ctx context.Context, t *sdk.Task) error {
	n, err := strconv.Atoi(strings.TrimPrefix(t.Name, "t"))
	if err != nil || n >= len(h.done) {
		return fmt.Errorf("the task %q is not of the bench", t.Name)
	}
	select {
	case <-h.start:
	case <-ctx.Done():
		return ctx.Err()
	}
	time.Sleep(liveEvery)
	h.done[n].Store(time.Now().UnixNano())
	return nil
}

// audience is a real server with one batch, its executor, and the clients that follow it.
type audience struct {
	bench   *bench
	program *program
	exec    *sdk.Executor
	beat    *beat
	clients int
	tokens  []string
	batch   int64
	shared  *sharedFrames

	// when the tasks began, and the CPU time until then
	started time.Time
	server  float64 // s
	own     time.Duration
}

// live measures the time from the end of a task to the moment at which each client has it: the executor's report, the
// commit, and a frame. In the end each client must have the state that the API returns. The server is a process of its
// own; executor and clients are in the bench's process, and all share the cores of the machine.
func (b *bench) live(ctx context.Context) error {
	if !b.asked("live") {
		return nil
	}
	for name := range strings.SplitSeq(b.on, ",") {
		if err := b.liveOn(ctx, name); err != nil {
			return fmt.Errorf("live, %s: %w", name, err)
		}
	}
	return nil
}

func (b *bench) liveOn(ctx context.Context, database string) (err error) {
	a := &audience{bench: b, clients: allBrowsers, shared: newSharedFrames()}
	if given := os.Getenv(envBrowsers); given != "" {
		if a.clients, err = strconv.Atoi(given); err != nil || a.clients < 1 {
			return fmt.Errorf("%s=%q: how many clients?", envBrowsers, given)
		}
	}
	defer func() {
		if a.exec != nil {
			a.exec.Stop()
		}
		if a.program != nil && a.program.cmd != nil && a.program.cmd.Process != nil {
			err = errors.Join(err, a.program.stop())
		}
	}()
	if err := a.begin(ctx, database); err != nil {
		return err
	}
	pid := strconv.Itoa(a.program.cmd.Process.Pid)
	before := residentMB(pid)
	seen := make([]*browser, a.clients)
	if err := a.watch(ctx, seen); err != nil {
		return err
	}
	peak := statusMB(pid, "VmHWM:")
	took, server, own := time.Since(a.started).Seconds(), cpuOf(pid)-a.server, (cpuTime() - a.own).Seconds()
	a.bench.rep.set("processors, live, "+database, "%.2f for the server, %.2f for executor and browsers, for %.0f s",
		server/took, own/took, took)
	wrong, err := a.compare(ctx, seen)
	if err != nil {
		return err
	}
	a.report(database, seen, wrong, before, peak)
	return nil
}

// begin starts the server and the batch, whose tasks wait for the start.
func (a *audience) begin(ctx context.Context, database string) (err error) {
	b := a.bench
	a.program, err = b.startReal(ctx, "live-"+database, func(r *program) {
		r.args = []string{"--no-executor"}
		if database == "postgres" {
			var url string
			if url, err = b.pg.database(ctx, "hivego_live"); err == nil {
				r.env = []string{"HIVEGO_DATABASE_URL=" + url}
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range (a.clients + ofOneUser - 1) / ofOneUser {
		name := fmt.Sprintf("follower%d", i)
		if _, err := a.program.local(ctx, "bench-password-1\n", "user", "add", name, "--password-stdin"); err != nil {
			return err
		}
		token, err := a.program.local(ctx, "", "token", "create", "--user", name)
		if err != nil {
			return err
		}
		a.tokens = append(a.tokens, token)
	}
	join, err := a.program.local(ctx, "", "token", "create", "--group", "default")
	if err != nil {
		return err
	}
	a.beat = &beat{start: make(chan struct{}), done: make([]atomic.Int64, b.tasks)}
	a.exec, err = sdk.New(sdk.Config{
		Data: filepath.Join(b.dir, "live-executor-"+database), Name: "bench", Slots: liveSlots,
		ServerURL: "http://" + a.program.addr, Token: join, Log: slog.New(slog.DiscardHandler),
	}, a.beat)
	if err != nil {
		return err
	}
	if err := a.exec.Start(ctx); err != nil {
		return err
	}
	document := strings.ReplaceAll(wide(b.tasks), "handler: noop", "handler: beat")
	if err := a.program.save(ctx, "wide", document); err != nil {
		return err
	}
	a.batch, err = a.program.run(ctx, "wide")
	return err
}

// watch connects the clients, lets the tasks begin once all have the batch, and returns when all have seen its end.
func (a *audience) watch(ctx context.Context, seen []*browser) error {
	all, ctx := errgroup.WithContext(ctx)
	places := make(chan struct{}, dialAtOnce)
	var connected atomic.Int64
	for i := range seen {
		all.Go(func() error {
			places <- struct{}{}
			c, err := a.open(ctx, a.tokens[i%len(a.tokens)])
			<-places
			if err != nil {
				return err
			}
			seen[i] = c
			defer c.ws.Close() //nolint:errcheck // it has seen what it came for
			if connected.Add(1) == int64(len(seen)) {
				a.started, a.own = time.Now(), cpuTime()
				a.server = cpuOf(strconv.Itoa(a.program.cmd.Process.Pid))
				close(a.beat.start)
			}
			return c.untilEnd()
		})
	}
	return all.Wait()
}

// compare counts the clients whose copy of the batch differs from the API's answer.
func (a *audience) compare(ctx context.Context, seen []*browser) (wrong int, err error) {
	answer, err := a.program.api.GetBatchWithResponse(ctx, a.batch, nil)
	if err != nil {
		return 0, err
	}
	if answer.JSON200 == nil {
		return 0, fmt.Errorf("read batch %d: %s", a.batch, answer.Body)
	}
	want, err := readContent(answer.Body, true)
	if err != nil {
		return 0, err
	}
	for _, c := range seen {
		same := c.state == want.state && slices.EqualFunc(c.runs, want.runs, func(x, y *seenRun) bool {
			return x != nil && y != nil && x.text == y.text
		})
		if !same {
			wrong++
		}
	}
	return wrong, nil
}

func (a *audience) report(database string, seen []*browser, wrong int, before, peak float64) {
	var all delays
	for _, c := range seen {
		all.merge(&c.delays)
	}
	at := func(p float64) stat {
		v := all.at(p)
		return stat{Median: v, Min: v, Max: v, N: 1}
	}
	one := func(v float64) stat { return stat{Median: v, Min: v, Max: v, N: 1} }
	r := &a.bench.rep
	r.Measures = append(r.Measures,
		row{
			Name: fmt.Sprintf("%d browsers on one batch of %d tasks, end of a task → seen, %s, p50", len(seen),
				len(a.beat.done), database), Unit: "ms", Stat: at(0.5),
		},
		row{Name: "  p99", Unit: "ms", Stat: at(0.99), Floor: "300 ms", Goal: "150 ms"},
		row{Name: "  browsers whose last state is not that of the API", Stat: one(float64(wrong)), Goal: "0"},
		row{Name: "  memory of the server (RSS) before they came", Unit: "MB", Stat: one(before)},
		row{Name: "  its highest", Unit: "MB", Stat: one(peak)})
	r.set("live, "+database, "%d changes seen, %d frames with %d different contents, load %s", all.n,
		a.shared.frames.Load(), a.shared.contents.Load(), loadAverage())
}

func loadAverage() string {
	raw, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(raw), " ")
	return first
}
