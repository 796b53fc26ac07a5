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

// MaxCheckpoint is the size of the largest checkpoint of a task, in bytes.
const MaxCheckpoint = 4 << 20

// checkpointName is the file in the folder of an attempt that has its checkpoint.
const checkpointName = "kept"

// checkpoint has everything that a restarted executor needs to continue an attempt. It is stored on disk, so its JSON
// must not change.
type checkpoint struct {
	Assignment []byte            `json:"assignment"` // as the contract has it, in Thrift's binary protocol
	State      []byte            `json:"state"`      // what the handler stored
	Outputs    map[string]string `json:"outputs,omitempty"`
	Received   time.Time         `json:"received"`
	Deadline   time.Duration     `json:"deadline,omitempty"` // BootTime of Machine; 0: none
	Machine    string            `json:"machine"`            // boot of the machine; Deadline counts from it
	Orphan     time.Duration     `json:"orphan"`             // the orphan timeout that its server had asked for
}

// Checkpoint stores state in place of the previous checkpoint. The state is on disk when Checkpoint returns. If the
// handler is a Resumer, the task is then resumed after a restart of the executor. Parameters, values and outputs are
// stored with the state; Env is not, because it may have secrets. For a task with Secrets, or with connections of the
// server, nothing is stored, so that it is lost at a restart. If Checkpoint fails, the previous checkpoint remains,
// and the work may go on. Checkpoint must not be called concurrently.
func (t *Task) Checkpoint(state []byte) error {
	if t.assignment == nil || t.storeCheckpoint == nil { // a call of run: its caller is gone after a restart
		return nil
	}
	if len(t.Secrets)+len(t.connections) > 0 { // they are not stored, so the work could not go on
		return nil
	}
	if len(state) > MaxCheckpoint {
		return fmt.Errorf("a checkpoint of %d bytes; at most %d", len(state), MaxCheckpoint)
	}
	if err := t.storeCheckpoint(state); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resumable = true
	return nil
}

// ClearCheckpoint removes the checkpoint. A handler calls it before it ends the work itself. If the task is stopped or
// killed after that, it is lost, and no later process resumes work that was ended.
func (t *Task) ClearCheckpoint() error {
	t.mu.Lock()
	was := t.resumable
	t.resumable = false
	t.mu.Unlock()
	if !was {
		return nil
	}
	if err := os.Remove(filepath.Join(t.Folder, checkpointName)); err != nil {
		return err
	}
	return syncFolder(t.Folder)
}

// WillResume reports whether ctx ended because the executor stops, and the task will be resumed at the next start. The
// handler then leaves the work alone and returns.
func (t *Task) WillResume(ctx context.Context) bool {
	stopped, ok := errors.AsType[*Stopped](context.Cause(ctx))
	return ok && stopped.shutdown && t.hasCheckpoint()
}

// hasCheckpoint reports whether there is a checkpoint, of this process or of an earlier one.
func (t *Task) hasCheckpoint() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.resumable
}

// closeForResume closes the log of a task that the next process resumes.
func (t *Task) closeForResume() {
	if w := t.writer(); w != nil {
		w.Line(tasklog.Sys, "the executor stops; it takes this up again when it starts")
		_ = w.Close("")
	}
}

// storeCheckpoint writes the file from which readCheckpoint makes t again, with the state of its handler.
func (e *Executor) storeCheckpoint(t *Task, state []byte) error {
	if _, ok := e.handlers[t.Handler].(Resumer); !ok {
		return fmt.Errorf("handler %s stores a checkpoint, but cannot be resumed", t.Handler)
	}
	assignment := *t.assignment
	assignment.Env, assignment.Secrets, assignment.Connections = nil, nil, nil
	data, err := thrift.NewTSerializer().Write(context.Background(), &assignment)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	e.mu.Lock()
	orphan := e.ledger.Orphan(t.ref())
	e.mu.Unlock()
	data, err = json.Marshal(checkpoint{
		Assignment: data, State: state, Outputs: t.Outputs(), Received: t.received, Deadline: t.Deadline,
		Machine: machineStart(), Orphan: orphan,
	})
	if err == nil {
		err = t.MakeFolder()
	}
	if err == nil {
		err = writeDurably(filepath.Join(t.Folder, checkpointName), string(data))
	}
	if err == nil {
		err = syncFolder(filepath.Dir(t.Folder)) // the folder may be new
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// machineStart identifies the current boot of the machine; it is empty if the kernel does not report it.
func machineStart() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// readCheckpoint makes the task of a survivor from its file.
func (e *Executor) readCheckpoint(s ledger.Survivor) (*Task, *checkpoint, error) {
	f, err := plainfile.Open(filepath.Join(e.folder(s.Attempt), checkpointName), os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, nil, err
	}
	var k checkpoint
	if err := json.Unmarshal(data, &k); err != nil {
		return nil, nil, err
	}
	a := hivego.NewAssignment()
	if err := thrift.NewTDeserializer().Read(context.Background(), a, k.Assignment); err != nil {
		return nil, nil, err
	}
	if stored := refOf(a); stored != s.Attempt || a.GetHandler() != s.Handler {
		return nil, nil, fmt.Errorf("it is that of attempt %s, %s", stored, a.GetHandler())
	}
	now := clock()
	t, err := e.task(now, s.Lease, a)
	if err != nil {
		return nil, nil, err
	}
	t.assignment, t.received, t.resumable, t.outputs = a, k.Received, true, k.Outputs
	for name, value := range k.Outputs {
		t.outputSize += len(name) + len(value)
	}
	if t.Timeout > 0 {
		t.Deadline = now.Mono + t.Timeout - min(max(now.Wall.Sub(k.Received), 0), t.Timeout)
		if k.Machine != "" && k.Machine == machineStart() { // the machine was not rebooted, so BootTime is exact
			t.Deadline = k.Deadline
		}
	}
	return t, &k, nil
}
