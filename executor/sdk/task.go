package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/executor/internal/mask"
	"github.com/rprp/hivego/executor/internal/tasklog"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// MaxOutputs limits the outputs of a task: bytes of all names and values together.
const MaxOutputs = hivego.MAX_OUTPUT_BYTES

// progressPeriod is the shortest time between two reports of a task's progress.
const progressPeriod = time.Second

// Task is one attempt, for its handler. Its methods are safe for concurrent use.
type Task struct {
	Attempt  Ref
	Handler  string
	Params   json.RawMessage   // they fit the handler's schema; values are already rendered
	Env      map[string]string // added to a clean environment
	Values   map[string]any    // typed parameters of the batch; numbers are json.Number
	Run      int64             // id of the task run
	Batch    int64             // id of the batch
	Schedule string            // empty for an adhoc batch
	Job      string
	Name     string // the task's key
	Number   int    // 1 for the first attempt of this task run
	Round    int
	Shard    int           // from 0
	Shards   int           // 0: the task is not sharded
	Moment   time.Time     // logical time of the batch; zero: none
	Timeout  time.Duration // from the receipt; 0 is none
	Deadline time.Duration // BootTime at which Timeout is over; 0 is none
	Grace    time.Duration // between SIGTERM and SIGKILL
	LogLimit int64         // bytes
	Lease    string        // name of the lease under which the attempt starts

	// Secrets are the values in Params that must not be written anywhere. The task's log, errors and outputs mask them.
	Secrets []string

	// Folder belongs to this attempt alone. MakeFolder makes it. It is removed when the server releases the attempt.
	Folder string
	// Workspace is shared by the tasks of one schedule. MakeWorkspace makes it.
	Workspace string

	connections []Connection // of the server
	masks       *mask.Set    // of Secrets
	mu          sync.Mutex
	log         *tasklog.Writer
	firstLine   func() string // of the log; nil: none
	stdout      *tasklog.Pipe
	outputs     map[string]string
	outputSize  int
	progress    func(float64)
	reported    time.Time // when progress was reported last

	assignment      *hivego.Assignment // what a checkpoint stores; nil: nothing is stored
	received        time.Time
	storeCheckpoint func(state []byte) error
	resumable       bool // there is a checkpoint
}

// ref converts the reference for the ledger.
func (t *Task) ref() ledger.Ref { return ledger.Ref(t.Attempt) }

// Decode reads the params into v. A field that v does not have is an error.
func (t *Task) Decode(v any) error {
	if len(t.Params) == 0 {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(string(t.Params)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("params: %w", err)
	}
	return nil
}

// TraceParent returns the trace context of the attempt, by the W3C recommendation: the value of the header traceparent,
// for a handler that makes requests or spans of its own. It is empty if the server gave none.
func (t *Task) TraceParent() string { return t.Env["TRACEPARENT"] }

// MakeWorkspace makes the shared folder of the schedule and returns its path.
func (t *Task) MakeWorkspace() (string, error) {
	if err := os.MkdirAll(t.Workspace, 0o700); err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	return t.Workspace, nil
}

// MakeFolder makes the attempt's own folder. For a Durable it exists before Start.
func (t *Task) MakeFolder() error {
	if err := os.MkdirAll(t.Folder, 0o700); err != nil {
		return fmt.Errorf("attempt folder: %w", err)
	}
	return nil
}

// LogPath returns the path of the attempt's log.
func (t *Task) LogPath() string { return filepath.Join(t.Folder, logName) }

const logName = "log"

// Log returns a writer for the attempt's standard output in its log.
func (t *Task) Log() io.Writer {
	w := t.writer()
	if w == nil {
		return io.Discard
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stdout == nil {
		t.stdout = w.Pipe(tasklog.Out)
	}
	return t.stdout
}

// Printf writes a line to the attempt's log.
func (t *Task) Printf(format string, args ...any) {
	if w := t.writer(); w != nil {
		w.Line(tasklog.Out, fmt.Sprintf(format, args...))
	}
}

// writer opens the log at its first use. It returns nil if the log cannot be written, which must not stop the work.
func (t *Task) writer() *tasklog.Writer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log == nil {
		if t.MakeFolder() != nil {
			return nil
		}
		w, err := tasklog.Open(t.LogPath(), t.LogLimit, time.Now)
		if err != nil {
			return nil
		}
		w.Mask(t.masks)
		if t.firstLine != nil {
			w.Line(tasklog.Sys, t.firstLine())
		}
		t.log = w
	}
	return t.log
}

// hasLog reports whether anything was written to the log.
func (t *Task) hasLog() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log != nil
}

// Progress reports the progress of the work, 0 to 1. It may be called at any rate; at most one report a second is sent.
func (t *Task) Progress(fraction float64) {
	t.mu.Lock()
	report := t.progress
	if now := time.Now(); report != nil && now.Sub(t.reported) >= progressPeriod {
		t.reported = now
	} else {
		report = nil
	}
	t.mu.Unlock()
	if report != nil {
		report(fraction)
	}
}

// validOutput reports whether name is a valid name of an output: a letter or _, then letters, digits, _ and -, at
// most 63.
func validOutput(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= 63
}

// ErrOutputs means that the outputs are too large.
var ErrOutputs = errors.New("outputs of more than 64 KiB")

// Output sets an output, which later tasks may read if this one succeeds.
func (t *Task) Output(name, value string) error {
	if !validOutput(name) {
		return fmt.Errorf("output %q: a name has letters, digits, _ and -, and begins with a letter or _", name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := t.outputSize + len(name) + len(value)
	if old, ok := t.outputs[name]; ok {
		size -= len(name) + len(old)
	}
	if size > MaxOutputs {
		return ErrOutputs
	}
	if t.outputs == nil {
		t.outputs = map[string]string{}
	}
	t.outputs[name], t.outputSize = strings.ToValidUTF8(value, "\ufffd"), size
	return nil
}

// Outputs returns the outputs that are set so far.
func (t *Task) Outputs() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.outputs)
}

// LogStartFailure writes into the log why the task could not be started, and closes the log. A Durable calls it
// before its own log writer opens the log.
func (t *Task) LogStartFailure(err error) {
	if w := t.writer(); w != nil {
		_ = w.Close("not started: " + err.Error())
	}
}
