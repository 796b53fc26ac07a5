package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

// The sizes of the measures of the real program.
const (
	shellLayers = 100
	killedTasks = 2000
	killedAfter = 20 // tasks have begun
)

// program is the real one, in a process of its own: with its executor, on SQLite, unless args and env say otherwise.
type program struct {
	bench                     *bench
	binary, data, addr, token string
	args, env                 []string
	cmd                       *exec.Cmd
	api                       *client.ClientWithResponses
}

func (b *bench) startReal(ctx context.Context, name string, set ...func(*program)) (*program, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	r := &program{bench: b, binary: b.binary, data: filepath.Join(b.dir, name), addr: l.Addr().String()}
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	for _, f := range set {
		f(r)
	}
	if err := r.start(ctx); err != nil {
		return r, err
	}
	if r.token == "" {
		if _, err := r.local(ctx, "bench-password-1\n", "user", "add", "bench", "--admin",
			"--password-stdin"); err != nil {
			return r, err
		}
		if r.token, err = r.local(ctx, "", "token", "create", "--user", "bench"); err != nil {
			return r, err
		}
	}
	r.api, err = client.NewClientWithResponses("http://"+r.addr, client.WithRequestEditorFn(
		func(_ context.Context, q *http.Request) error {
			q.Header.Set("Authorization", "Bearer "+r.token)
			return nil
		}))
	return r, err
}

// start starts the process and waits until it is ready.
func (r *program) start(ctx context.Context) error {
	r.cmd = r.bench.server(ctx, r.data, r.addr)
	r.cmd.Args, r.cmd.Env = append(r.cmd.Args, r.args...), append(os.Environ(), r.env...)
	if err := r.cmd.Start(); err != nil {
		return err
	}
	for began := time.Now(); !ready(ctx, r.addr); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience || ctx.Err() != nil {
			return errors.New("it does not get ready")
		}
	}
	return nil
}

func (r *program) stop() error {
	return end(r.cmd)
}

// local runs a command on the data folder.
func (r *program) local(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.binary, append(args, "--data", r.data)...)
	cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), r.env...)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

func (r *program) save(ctx context.Context, name, document string) error {
	a, err := r.api.PutScheduleWithBodyWithResponse(ctx, name, nil, "application/yaml",
		bytes.NewReader([]byte(document)))
	if err != nil {
		return err
	}
	if a.StatusCode() >= http.StatusMultipleChoices {
		return fmt.Errorf("save %s: %s", name, a.Body)
	}
	return nil
}

// run begins a batch.
func (r *program) run(ctx context.Context, name string) (int64, error) {
	a, err := r.api.RunScheduleWithResponse(ctx, name, nil, model.RunRequest{})
	if err != nil {
		return 0, err
	}
	if a.JSON201 == nil {
		return 0, fmt.Errorf("run %s: %s", name, a.Body)
	}
	return a.JSON201.ID, nil
}

// end waits for the end of a batch.
func (r *program) end(ctx context.Context, id int64) (*model.Batch, error) {
	without := false
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		a, err := r.api.GetBatchWithResponse(ctx, id, &model.GetBatchParams{Tasks: &without})
		switch {
		case err != nil:
			return nil, err
		case a.JSON200 != nil && !a.JSON200.Live:
			return a.JSON200, nil
		case time.Since(began) > 5*patience || ctx.Err() != nil:
			return nil, fmt.Errorf("batch %d does not end", id)
		}
	}
}

// real measures parts that need the program itself: its processes, its end, its memory.
func (b *bench) real(ctx context.Context) error {
	for _, m := range []struct {
		name    string
		measure func(context.Context, *program) error
	}{{"shell", b.shell}, {"kill", b.killed}} {
		if !b.asked(m.name) {
			continue
		}
		r, err := b.startReal(ctx, m.name)
		if err == nil {
			err = m.measure(ctx, r)
		}
		if r != nil && r.cmd.Process != nil {
			err = errors.Join(err, r.stop())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// shell measures a layered batch of processes that do nothing, against ninja with the same graph and as many at once.
func (b *bench) shell(ctx context.Context, r *program) error {
	if _, err := exec.LookPath("ninja"); err != nil {
		b.rep.set("shell tasks", "not measured: there is no ninja to compare them with")
		return nil //nolint:nilerr // the other measures need none
	}
	slots := max(4, 2*runtime.NumCPU())
	ninja, err := b.ninja(ctx, slots)
	if err != nil {
		return err
	}
	b.rep.Denominators = append(b.rep.Denominators, row{
		Name: fmt.Sprintf("N  ninja, %d × `true` in %d layers, %d at once", b.tasks, shellLayers,
			slots), Unit: "ms", Stat: ninja,
	})
	document := strings.ReplaceAll(layered(b.tasks, shellLayers), "handler: noop",
		`handler: shell, params: {command: "true"}`)
	if err := r.save(ctx, "layered", document); err != nil {
		return err
	}
	var took []float64
	for range min(b.reps, 3) { // it takes long
		id, err := r.run(ctx, "layered")
		if err != nil {
			return err
		}
		batch, err := r.end(ctx, id)
		if err != nil {
			return err
		}
		if batch.State != model.BatchStateSucceeded {
			return fmt.Errorf("batch %d: %s", id, batch.State)
		}
		took = append(took, batch.FinishedAt.Sub(batch.StartedAt.Time).Seconds()*1000)
	}
	st := statOf(took)
	b.rep.Measures = append(b.rep.Measures, row{
		Name: fmt.Sprintf("%d shell tasks in %d layers, %d slots, sqlite", b.tasks, shellLayers,
			slots), Unit: "ms", Stat: st,
		Ratio: st.Median / ninja.Median, By: "N", Floor: "3.00 N", Goal: "1.30 N",
	})
	return nil
}

// ninja measures the same graph in ninja, in ms.
func (b *bench) ninja(ctx context.Context, slots int) (stat, error) {
	var w strings.Builder
	w.WriteString("rule t\n  command = true\n")
	width := b.tasks / shellLayers
	for j := range shellLayers {
		for i := range width {
			fmt.Fprintf(&w, "build t%d_%d: t", j, i)
			if j > 0 {
				for _, k := range []int{i, (i + 1) % width} {
					fmt.Fprintf(&w, " t%d_%d", j-1, k)
				}
			}
			w.WriteString("\n")
		}
	}
	dir := filepath.Join(b.dir, "ninja")
	if err := errors.Join(os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, "build.ninja"), []byte(w.String()), 0o600)); err != nil {
		return stat{}, err
	}
	return repeat(min(b.reps, 3), func() (float64, error) {
		began := time.Now()
		cmd := exec.CommandContext(ctx, "ninja", "--quiet", "-j", strconv.Itoa(slots))
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("ninja: %w: %.300s", err, out)
		}
		return micros(time.Since(began)) / 1000, os.RemoveAll(filepath.Join(dir, ".ninja_log"))
	})
}

// killed measures the time from a kill -9 of the server, which is started again at once, to the start of the next task.
func (b *bench) killed(ctx context.Context, r *program) error {
	file := filepath.Join(b.dir, "began")
	document := strings.ReplaceAll(wide(killedTasks), "handler: noop",
		fmt.Sprintf(`handler: shell, params: {command: "date +%%s%%N >> %s; sleep 0.05"}`, file))
	if err := r.save(ctx, "wide", document); err != nil {
		return err
	}
	st, err := repeat(b.reps, func() (float64, error) {
		_ = os.Remove(file)
		id, err := r.run(ctx, "wide")
		if err != nil {
			return 0, err
		}
		if _, err := lineAfter(ctx, file, time.Time{}, killedAfter); err != nil {
			return 0, err
		}
		killed := time.Now()
		if err := r.cmd.Process.Kill(); err != nil {
			return 0, err
		}
		_ = r.cmd.Wait() // by a signal
		again := time.Now()
		if err := r.start(ctx); err != nil {
			return 0, err
		}
		at, err := lineAfter(ctx, file, again, 1)
		if err != nil {
			return 0, err
		}
		if _, err := r.api.SetWishWithResponse(ctx, id, nil, model.WishRequest{Wish: model.WishCancel}); err != nil {
			return 0, err
		}
		_, err = r.end(ctx, id)
		return at.Sub(killed).Seconds() * 1000, err
	})
	b.rep.Measures = append(b.rep.Measures, row{
		Name: "kill -9 of the server to the next task, started again at once, sqlite", Unit: "ms", Stat: st,
		Floor: "3000 ms", Goal: "500 ms",
	})
	return err
}

// lineAfter waits for n lines of a file that are later than a moment, and returns the first of them.
func lineAfter(ctx context.Context, file string, after time.Time, n int) (time.Time, error) {
	for began := time.Now(); time.Since(began) < patience && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		raw, _ := os.ReadFile(file) // the file is created with its first line
		var first time.Time
		found := 0
		for line := range strings.Lines(string(raw)) {
			ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			if err != nil || !strings.HasSuffix(line, "\n") {
				continue
			}
			if at := time.Unix(0, ns); at.After(after) {
				if found++; first.IsZero() || at.Before(first) {
					first = at
				}
			}
		}
		if found >= n {
			return first, nil
		}
	}
	return time.Time{}, errors.New("no task begins")
}
