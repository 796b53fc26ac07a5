package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/app"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// system is a whole HiveGo in this process: a server, and an executor that registers with it as any other does.
type system struct {
	app  *app.App
	exec *sdk.Executor
	api  *client.ClientWithResponses
	noop *noop
	due  *due
	gate *gate
	logs *os.File

	tokens []string // of people who follow batches

	data, database string // folder, and URL if that is not SQLite
}

// noop is the handler that does nothing but record when it was called.
type noop struct {
	calls  atomic.Int64
	first  atomic.Int64 // of the present batch, on the clock of since
	last   atomic.Int64
	spent  atomic.Int64 // CPU time of this process at the first call
	origin time.Time
}

// Info describes it.
func (n *noop) Info() sdk.Info { return sdk.Info{Name: "noop", ParamsSchema: `{"type":"object"}`} }

// Run does nothing.
func (n *noop) Run(context.Context, *sdk.Task) error {
	at := int64(time.Since(n.origin))
	if n.calls.Add(1) == 1 {
		n.first.Store(at)
		n.spent.Store(int64(cpuTime()))
	}
	n.last.Store(at)
	return nil
}

func (n *noop) reset() { n.calls.Store(0) }

// cost returns the CPU time of this process since the first call.
func (n *noop) cost() time.Duration { return cpuTime() - time.Duration(n.spent.Load()) }

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the own process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// between returns the time from the first call to the last.
func (n *noop) between() time.Duration { return time.Duration(n.last.Load() - n.first.Load()) }

// startSystem starts both on an empty data folder and waits until the server has the executor. They log to a file, as
// `hivego serve` does by default.
func startSystem(ctx context.Context, dir, databaseURL string, slots int) (s *system, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s = &system{
		noop: &noop{origin: time.Now()}, due: &due{}, gate: &gate{}, database: databaseURL,
		data: filepath.Join(dir, "server"),
	}
	defer func() {
		if err != nil {
			s.stop()
		}
	}()
	if s.logs, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	cfg := &config.Serve{
		Data: s.data, Listen: "127.0.0.1:0", DatabaseURL: databaseURL, NoExecutor: true,
		OrphanTimeout: hive.Duration(3 * time.Minute),
	}
	if s.app, err = app.New(ctx, cfg, "bench", log); err != nil {
		return nil, err
	}
	if err := s.app.Start(ctx); err != nil {
		return nil, err
	}
	join, err := s.login(ctx, cfg)
	if err != nil {
		return nil, err
	}
	s.exec, err = sdk.New(sdk.Config{
		Data: filepath.Join(dir,
			"executor"), Name: "bench", Slots: slots, ServerURL: s.app.URL(), Token: join, Log: log,
	}, s.noop, s.due, s.gate)
	if err != nil {
		return nil, err
	}
	if err := s.exec.Start(ctx); err != nil {
		return nil, err
	}
	err = s.await(ctx, func() (bool, error) {
		r, err := s.api.ListExecutorsWithResponse(ctx)
		return err == nil && r.JSON200 != nil && strings.Contains(string(r.Body), `"online"`), err
	})
	return s, err
}

// login makes a user with a token for the API, and a token for the executor.
func (s *system) login(ctx context.Context, cfg *config.Serve) (join string, err error) {
	l, err := app.OpenLocal(ctx, cli.Place{Data: cfg.Data, DatabaseURL: cfg.DatabaseURL, Create: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := l.Users.AddUser(ctx, "bench", "bench-password-1", true); err != nil {
		return "", err
	}
	token, err := l.Tokens.CreateToken(ctx, "bench", "", "", time.Time{})
	if err != nil {
		return "", err
	}
	s.api, err = client.NewClientWithResponses(s.app.URL(), client.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		return "", err
	}
	for i := range liveUsers {
		name := fmt.Sprintf("follower%d", i)
		if err := l.Users.AddUser(ctx, name, "bench-password-1", false); err != nil {
			return "", err
		}
		text, err := l.Tokens.CreateToken(ctx, name, "", "", time.Time{})
		if err != nil {
			return "", err
		}
		s.tokens = append(s.tokens, text)
	}
	return l.Tokens.CreateToken(ctx, "", hive.DefaultGroup, "", time.Time{})
}

func (s *system) stop() {
	if s.exec != nil {
		s.exec.Stop()
	}
	if s.app != nil {
		s.app.Stop()
	}
	if s.logs != nil {
		_ = s.logs.Close()
	}
}

// patience bounds a wait before the bench gives up.
const patience = 2 * time.Minute

// await polls until done.
func (s *system) await(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("HiveGo did not get there in time")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// save stores a schedule.
func (s *system) save(ctx context.Context, name, document string) error {
	r, err := s.api.PutScheduleWithBodyWithResponse(ctx, name, nil, "application/yaml",
		bytes.NewReader([]byte(document)))
	if err != nil {
		return err
	}
	if r.StatusCode() >= http.StatusMultipleChoices {
		return fmt.Errorf("save %s: %s", name, r.Body)
	}
	return nil
}

// run runs a batch of n tasks to its end and returns it.
func (s *system) run(ctx context.Context, name string, n int) (*model.Batch, time.Time, error) {
	s.noop.reset()
	r, err := s.api.RunScheduleWithResponse(ctx, name, nil, model.RunRequest{})
	if err != nil {
		return nil, time.Time{}, err
	}
	if r.JSON201 == nil {
		return nil, time.Time{}, fmt.Errorf("run %s: %s", name, r.Body)
	}
	for began := time.Now(); s.noop.calls.Load() < int64(n) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if time.Since(began) > patience { // the server is left alone until then
			return nil, time.Time{}, fmt.Errorf("%d of %d tasks of %s were called", s.noop.calls.Load(), n, name)
		}
	}
	var b *model.Batch
	without := false
	err = s.await(ctx, func() (bool, error) {
		g, err := s.api.GetBatchWithResponse(ctx, r.JSON201.ID, &model.GetBatchParams{Tasks: &without})
		if err != nil || g.JSON200 == nil {
			return false, err
		}
		b = g.JSON200
		return !b.Live, nil
	})
	seen := time.Now()
	if err == nil && b.State != model.BatchStateSucceeded {
		err = fmt.Errorf("batch %d of %s: %s", b.ID, name, b.State)
	}
	return b, seen, err
}
