package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/rprp/hivego/server/api/model"
)

// spread is divided among the repetitions: the server dies at another point between two renewals of its lease.
const spread = time.Second

// pair is two servers on one PostgreSQL, and one executor that both reach and that runs all tasks. The first server has
// an executor inside, which stops with it; it dies and comes back. The second one continues its batches.
type pair struct {
	bench       *bench
	first, heir *program
	executor    *exec.Cmd
	db          *pgx.Conn
}

// takeover measures how long a batch waits for another server after a SIGKILL of its own server, and after a SIGTERM.
func (b *bench) takeover(ctx context.Context) error {
	if !b.asked("takeover") {
		return nil
	}
	p := &pair{bench: b}
	err := p.start(ctx)
	if err == nil {
		err = p.measure(ctx)
	}
	return errors.Join(err, p.stop(ctx))
}

func (p *pair) start(ctx context.Context) error {
	url, err := p.bench.pg.database(ctx, "hivego_takeover")
	if err != nil {
		return err
	}
	if p.db, err = pgx.Connect(ctx, url); err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	shared := func(r *program) { r.env = []string{"HIVEGO_DATABASE_URL=" + url} }
	if p.first, err = p.bench.startReal(ctx, "takeover-first", shared); err != nil {
		return err
	}
	known := func(r *program) {
		r.token, r.args = p.first.token, []string{
			"--no-executor", "--secret-key",
			filepath.Join(p.first.data, "secret.key"),
		}
	}
	if p.heir, err = p.bench.startReal(ctx, "takeover-heir", shared, known); err != nil {
		return err
	}
	if err := p.execute(ctx); err != nil {
		return err
	}
	document := strings.ReplaceAll(wide(killedTasks), "handler: noop",
		`handler: shell, executor: bench, params: {command: "sleep 0.05"}`)
	return p.first.save(ctx, "wide", document)
}

// execute starts the executor; the first batch waits until it is registered.
func (p *pair) execute(ctx context.Context) error {
	token, err := p.first.local(ctx, "", "token", "create", "--group", "default")
	if err != nil {
		return err
	}
	file := filepath.Join(p.bench.dir, "takeover-token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		return fmt.Errorf("write the token: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a port: %w", err)
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return fmt.Errorf("find a port: %w", err)
	}
	p.executor = exec.CommandContext(ctx, p.bench.binary, "executor", "--server", "http://"+p.first.addr, "--listen",
		addr,
		"--data", filepath.Join(p.bench.dir,
			"takeover-executor"), "--token-file", file, "--name", "bench", "--slots", "4")
	p.executor.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	p.executor.Cancel = func() error { return p.executor.Process.Signal(syscall.SIGTERM) }
	p.executor.WaitDelay = patience
	return p.executor.Start()
}

func (p *pair) stop(ctx context.Context) error {
	var errs []error
	for _, r := range []*program{p.first, p.heir} {
		if r != nil && r.cmd != nil && r.cmd.Process != nil && r.cmd.ProcessState == nil {
			errs = append(errs, r.stop())
		}
	}
	if p.executor != nil && p.executor.Process != nil {
		errs = append(errs, end(p.executor))
	}
	if p.db != nil {
		errs = append(errs, p.db.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(errs...)
}

func (p *pair) measure(ctx context.Context) error {
	for _, m := range []struct {
		name, floor, goal string
		signal            syscall.Signal
	}{
		{
			"kill -9 of a batch's server to the first commit of another, postgres", "10000 ms", "8000 ms",
			syscall.SIGKILL,
		},
		{"SIGTERM of a batch's server to the first commit of another, postgres", "1000 ms", "500 ms", syscall.SIGTERM},
	} {
		turn := 0
		st, err := repeat(p.bench.reps, func() (float64, error) {
			turn++
			return p.once(ctx, m.signal, spread*time.Duration(turn)/time.Duration(p.bench.reps))
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		p.bench.rep.Measures = append(p.bench.rep.Measures,
			row{Name: m.name, Unit: "ms", Stat: st, Floor: m.floor, Goal: m.goal})
	}
	return nil
}

// once lets the first server die in the middle of a batch, in ms.
func (p *pair) once(ctx context.Context, signal syscall.Signal, pause time.Duration) (float64, error) {
	id, err := p.first.run(ctx, "wide")
	if err != nil {
		return 0, err
	}
	owner := ""
	if _, err := p.await(ctx, id,
		func(now string, ended int) bool { owner = now; return ended >= killedAfter }); err != nil {
		return 0, err
	}
	time.Sleep(pause) // each repetition hits another point between two renewals of the lease
	died := time.Now()
	if err := p.first.cmd.Process.Signal(signal); err != nil {
		return 0, err
	}
	taken := -1
	at, err := p.await(ctx, id, func(now string, ended int) bool {
		if now != owner && now != "nobody" && taken < 0 { // the other server has it; its next commit is the first one
			taken = ended
		}
		return taken >= 0 && ended > taken
	})
	if err != nil {
		return 0, err
	}
	_ = p.first.cmd.Wait() // by a signal
	if _, err := p.heir.api.SetWishWithResponse(ctx, id, nil, model.WishRequest{Wish: model.WishCancel}); err != nil {
		return 0, err
	}
	if _, err := p.heir.end(ctx, id); err != nil {
		return 0, err
	}
	return at.Sub(died).Seconds() * 1000, p.first.start(ctx)
}

// await polls the owner of a batch, and how many of its attempts have ended, in the database until both are as
// wanted.
func (p *pair) await(ctx context.Context, id int64, wanted func(owner string, ended int) bool) (time.Time, error) {
	for began := time.Now(); time.Since(began) < patience && ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
		var owner string
		var ended int
		err := p.db.QueryRow(ctx,
			"SELECT owner, (SELECT count(*) FROM attempts WHERE batch_id = b.id AND state = 'ended')"+
				" FROM batches AS b WHERE id = $1", id).Scan(&owner, &ended)
		if err != nil {
			return time.Time{}, fmt.Errorf("look at the batch: %w", err)
		}
		if wanted(owner, ended) {
			return time.Now(), nil
		}
	}
	return time.Time{}, fmt.Errorf("batch %d does not go on", id)
}
