package sdk

import (
	"context"
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

	"github.com/rprp/hivego/executor/internal/tasklog"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Info describes a handler to servers and people.
type Info struct {
	Name         string
	Title        string
	Description  string
	ParamsSchema string // JSON Schema of the params; a field may carry x-render: shell | sql | plain | url | json
}

// Handler is a kind of work that runs inside this process. It does not outlive it, unless it is a Resumer too: what
// runs when the executor is killed ends LOST at the next start.
type Handler interface {
	Info() Info
	// Run does the work. ctx ends when the task is to stop: by a kill, its timeout, a passed lease, or the end of the
	// executor; context.Cause tells. nil is success; an error is a failure in its words.
	Run(ctx context.Context, t *Task) error
}

// Resumer is what a Handler may be beside, if something else does the work and this process only waits for it: a job
// that was submitted to another system. What it has remembered with Task.Keep is known again after a restart, and it
// goes on.
type Resumer interface {
	Handler
	// Resume does what Run does, for an attempt that a former life began: state is what it kept last. It has all of the
	// task but Env. It is also called when the task is to stop at once, being killed or over its time: then ctx has
	// ended.
	Resume(ctx context.Context, t *Task, state []byte) error
}

// Durable is a kind of work that outlives this process, because something else runs it. All methods but Recover are
// called from one goroutine, in order, and must not block for long.
type Durable interface {
	Info() Info
	// Recover is called once, at the start of the executor and before any call is answered, with the attempts that may
	// still be running. For each it either tells ends what became of it, or lets it go on. It answers the leases that
	// what runs them remembers.
	Recover(ctx context.Context, survivors []Survivor, ends Ends) ([]Lease, error)
	// Start hands the work over. Whatever goes wrong is told as the attempt's end.
	Start(t *Task)
	// Kill asks the work to end: SIGTERM, and SIGKILL after the grace. It may be repeated.
	Kill(k Kill)
	// Lease tells until when the attempts of a server may run, even if this process is gone by then.
	Lease(l Lease)
	// Move says that another server's lease counts for an attempt from now on.
	Move(m Move)
	// Drop says that an attempt is released: nothing about it need be remembered.
	Drop(attempt Ref)
}

// Ends takes what a Durable has to tell. Its methods do not block.
type Ends interface {
	// Ended tells how an attempt ended. kept: the teller will tell it again after any crash, until Drop.
	Ended(attempt Ref, o Outcome, kept bool)
	// Progress tells how far an attempt is, 0 to 1.
	Progress(attempt Ref, fraction float64)
}

// Checker is what a handler may have beside: a check of a task before it is accepted. An error refuses the task for
// good, in its words. It must be quick and must not change anything.
type Checker interface {
	Check(t *Task) error
}

// Stopped is the cause of a context that ends before its work does.
type Stopped struct {
	Words string
	// GivenUp: nobody waits for the task any more, and its work may be going on in another attempt by now.
	GivenUp bool
	// Held: nobody waits for it, and a person is to decide what becomes of its work.
	Held bool
}

func (s *Stopped) Error() string { return s.Words }

// Exit is an error that carries the exit code of a process.
type Exit struct {
	Code  int
	Words string
}

func (e *Exit) Error() string { return e.Words }

// Limits of what a task may give out.
const (
	MaxOutputs     = hivego.MAX_OUTPUT_BYTES // bytes of all names and values together
	progressPeriod = time.Second
)

// Task is one attempt, as its handler sees it.
type Task struct {
	Attempt  Ref
	Handler  string
	Params   json.RawMessage   // by the handler's schema, already rendered
	Env      map[string]string // what the task's environment gets beside a clean one
	Values   map[string]any    // typed parameters of the batch; numbers are json.Number
	Run      int64
	Batch    int64
	Schedule string // empty for an adhoc batch
	Job      string
	Name     string // the task's key
	Number   int    // 1 for the first attempt of this task run
	Round    int
	Shard    int
	Shards   int
	Moment   time.Time     // logical time of the batch; zero: none
	Timeout  time.Duration // from the receipt; 0 is none
	Deadline time.Duration // BootTime at which Timeout is over; 0 is none
	Grace    time.Duration
	LogLimit int64
	Session  string // of the server: whose lease counts

	// of this attempt only; made when first asked for with MakeFolder, goes when the server releases it
	Folder    string
	Workspace string // shared by the tasks of one schedule; made when first asked for with MakeWorkspace

	mu       sync.Mutex
	log      *tasklog.Writer
	opening  func() string // makes the first line of the log; nil: none
	out      *tasklog.Pipe
	outputs  map[string]string
	size     int
	progress func(float64)
	told     time.Time

	origin   *hivego.Assignment // what Keep writes down; nil: nothing is kept
	received time.Time
	keep     func(state []byte) error
	kept     bool // Keep has remembered something
}

// Decode reads the params into v; a field that v does not have is an error.
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

// MakeWorkspace makes the shared folder of the schedule and gives its path.
func (t *Task) MakeWorkspace() (string, error) {
	if err := os.MkdirAll(t.Workspace, 0o700); err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	return t.Workspace, nil
}

// MakeFolder makes the attempt's own folder. That of a Durable is there from the start.
func (t *Task) MakeFolder() error {
	if err := os.MkdirAll(t.Folder, 0o700); err != nil {
		return fmt.Errorf("attempt folder: %w", err)
	}
	return nil
}

// LogPath is where the log of the attempt is written.
func (t *Task) LogPath() string { return filepath.Join(t.Folder, logName) }

const logName = "log"

// Log takes lines for the attempt's log, as its standard output.
func (t *Task) Log() io.Writer {
	w := t.writer()
	if w == nil {
		return io.Discard
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.out == nil {
		t.out = w.Pipe(tasklog.Out)
	}
	return t.out
}

// Printf writes a line to the attempt's log.
func (t *Task) Printf(format string, args ...any) {
	if w := t.writer(); w != nil {
		w.Line(tasklog.Out, fmt.Sprintf(format, args...))
	}
}

// writer opens the log when it is first needed; nil if it cannot be written, which must not stop the work.
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
		if t.opening != nil {
			w.Line(tasklog.Sys, t.opening())
		}
		t.log = w
	}
	return t.log
}

func (t *Task) hasLog() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log != nil
}

// Progress tells how far the work is, 0 to 1. It may be called as often as one likes.
func (t *Task) Progress(fraction float64) {
	t.mu.Lock()
	tell := t.progress
	if now := time.Now(); tell != nil && now.Sub(t.told) >= progressPeriod {
		t.told = now
	} else {
		tell = nil
	}
	t.mu.Unlock()
	if tell != nil {
		tell(fraction)
	}
}

// validOutput says that name may name an output: a letter or _, then letters, digits, _ and -, at most 63.
func validOutput(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= 63
}

// ErrOutputs says that outputs are too large.
var ErrOutputs = errors.New("outputs of more than 64 KiB")

// Output sets a named result, which later tasks may read if this one succeeds.
func (t *Task) Output(name, value string) error {
	if !validOutput(name) {
		return fmt.Errorf("output %q: a name has letters, digits, _ and -, and begins with a letter or _", name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	size := t.size + len(name) + len(value)
	if old, ok := t.outputs[name]; ok {
		size -= len(name) + len(old)
	}
	if size > MaxOutputs {
		return ErrOutputs
	}
	if t.outputs == nil {
		t.outputs = map[string]string{}
	}
	t.outputs[name], t.size = strings.ToValidUTF8(value, "\ufffd"), size
	return nil
}

// Outputs are those set so far.
func (t *Task) Outputs() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.outputs)
}

// Fail writes why a task could not be begun into its log, and closes it. It is for a Durable whose own log writer has
// not taken over yet.
func (t *Task) Fail(err error) {
	if w := t.writer(); w != nil {
		_ = w.Close("not started: " + err.Error())
	}
}
