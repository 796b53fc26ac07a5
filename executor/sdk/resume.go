package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/internal/plainfile"
	"github.com/rprp/hivego/executor/internal/tasklog"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// MaxState is how much a task may keep, in bytes.
const MaxState = 4 << 20

// keptName is the file in the folder of an attempt that has what it keeps.
const keptName = "kept"

// keptTask is all that is needed to go on with an attempt after a restart.
type keptTask struct {
	Assignment []byte            `json:"assignment"` // as the contract has it, in Thrift's binary protocol
	State      []byte            `json:"state"`
	Outputs    map[string]string `json:"outputs,omitempty"`
	Received   time.Time         `json:"received"`
	Deadline   time.Duration     `json:"deadline,omitempty"` // BootTime of Machine; 0: none
	Machine    string            `json:"machine"`            // this start of the machine, since which BootTime counts
	Orphan     time.Duration     `json:"orphan"`             // as the server had named it by then
}

// Keep remembers state, in place of what was kept before: it is on disk when Keep returns. From then on the task is
// taken up again after a restart of the executor, if its handler is a Resumer. Parameters, values and outputs are
// remembered with it; Env is not, as it may have secrets. An error means that nothing new was remembered; the work may
// go on. It is not to be called twice at once.
func (t *Task) Keep(state []byte) error {
	if t.origin == nil || t.keep == nil { // a call of run: whoever waits for it is gone after a restart
		return nil
	}
	if len(state) > MaxState {
		return fmt.Errorf("%d bytes are too much to be kept; at most %d", len(state), MaxState)
	}
	if err := t.keep(state); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = true
	return nil
}

// Forget undoes Keep. A handler calls it before it ends the work itself: stopped or killed from then on, the task is
// lost, and nobody asks about what was ended.
func (t *Task) Forget() error {
	t.mu.Lock()
	was := t.kept
	t.kept = false
	t.mu.Unlock()
	if !was {
		return nil
	}
	if err := os.Remove(filepath.Join(t.Folder, keptName)); err != nil {
		return err
	}
	return syncFolder(t.Folder)
}

// GoesOn says that ctx ended because the executor stops, and that the task is taken up again at its next start: a
// handler then leaves the work alone, and returns.
func (t *Task) GoesOn(ctx context.Context) bool {
	stopped, ok := errors.AsType[*Stopped](context.Cause(ctx))
	return ok && stopped.Words == stopWords && t.keeps()
}

// keeps says that the task has kept something, in this life or in a former one.
func (t *Task) keeps() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// pause closes the log of a task that goes on with the next life.
func (t *Task) pause() {
	if w := t.writer(); w != nil {
		w.Line(tasklog.Sys, "the executor stops; it takes this up again when it starts")
		_ = w.Close("")
	}
}

// keep writes down what is needed to go on with t.
func (e *Executor) keep(t *Task, state []byte) error {
	if _, ok := e.handlers[t.Handler].(Resumer); !ok {
		return fmt.Errorf("handler %s keeps something, but cannot be resumed", t.Handler)
	}
	origin := *t.origin
	origin.Env = nil
	assignment, err := thrift.NewTSerializer().Write(context.Background(), &origin)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	e.mu.Lock()
	orphan := e.ledger.Orphan(t.Attempt)
	e.mu.Unlock()
	data, err := json.Marshal(keptTask{
		Assignment: assignment, State: state, Outputs: t.Outputs(), Received: t.received, Deadline: t.Deadline, Machine: machine(),
		Orphan: orphan,
	})
	if err == nil {
		err = t.MakeFolder()
	}
	if err == nil {
		err = writeDurably(filepath.Join(t.Folder, keptName), string(data))
	}
	if err == nil {
		err = syncFolder(filepath.Dir(t.Folder)) // the folder may be new
	}
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	return nil
}

// machine names this start of the machine.
func machine() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// outlives says that attempts of a handler may go on after a restart.
func (e *Executor) outlives(handler string) bool {
	_, resumes := e.handlers[handler].(Resumer)
	return resumes || e.durables[handler] != nil
}

// revive finds out which attempts have kept something; the others are lost. What it answers goes on with them.
func (e *Executor) revive(survivors []Survivor) (resume func()) {
	type revived struct {
		t     *Task
		state []byte
		kill  *ledger.KillOrder
	}
	var list []revived
	var leases []ledger.Resumed
	for _, s := range survivors {
		t, k, err := e.readKept(s)
		if err != nil {
			words := ledger.LostAtRestart
			if !errors.Is(err, os.ErrNotExist) {
				words = fmt.Sprintf("the executor was restarted, and what it had kept to go on with cannot be read: %v",
					err)
			}
			e.Ended(s.Attempt, lostOutcome(words), false)
			continue
		}
		list = append(list, revived{t, k.State, s.Kill})
		leases = append(leases, ledger.Resumed{Attempt: s.Attempt, Orphan: k.Orphan})
	}
	if len(list) == 0 {
		return func() {}
	}
	e.log.Info("executor: goes on with what it waited for", "attempts", len(list))
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range list {
		e.tasks[r.t.Attempt] = r.t
	}
	e.commit(e.ledger.Resume(clock(), leases), nil)
	return func() {
		for _, r := range list {
			h, _ := e.handlers[r.t.Handler].(Resumer)
			e.launch(r.t, r.kill, "is taken up again", func(ctx context.Context) error {
				_ = r.t.writer() // there is a log already: it goes on too
				return h.Resume(ctx, r.t, r.state)
			})
		}
	}
}

// readKept makes the task of a survivor anew.
func (e *Executor) readKept(s Survivor) (*Task, *keptTask, error) {
	f, err := plainfile.Open(filepath.Join(e.folder(s.Attempt), keptName), os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	var k keptTask
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, nil, err
	}
	a := hivego.NewAssignment()
	if err := thrift.NewTDeserializer().Read(context.Background(), a, k.Assignment); err != nil {
		return nil, nil, err
	}
	if kept := refOf(a); kept != s.Attempt || a.GetHandler() != s.Handler {
		return nil, nil, fmt.Errorf("it is that of attempt %s, %s", kept, a.GetHandler())
	}
	now := clock()
	t, err := e.task(now, s.Session, a)
	if err != nil {
		return nil, nil, err
	}
	t.origin, t.received, t.kept, t.outputs = a, k.Received, true, k.Outputs
	for name, value := range k.Outputs {
		t.size += len(name) + len(value)
	}
	if t.Timeout > 0 {
		t.Deadline = now.Mono + t.Timeout - min(max(now.Wall.Sub(k.Received), 0), t.Timeout)
		if k.Machine != "" && k.Machine == machine() { // a clock that never jumps is better, if it still counts
			t.Deadline = k.Deadline
		}
	}
	return t, &k, nil
}
