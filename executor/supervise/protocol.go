// Package supervise runs the processes of an executor in a small process of its own, so that they outlive a killed or
// upgraded executor. The supervisor holds their pipes, writes their logs, and enforces output limit, timeout and lease;
// it keeps each exit in a journal before it tells it. If it dies, its processes die with it (PDEATHSIG), and what they
// left behind is swept by the next one.
//
// Executor and supervisor speak over a unix socket: frames of four bytes of length, big endian, and JSON. Nothing is
// answered directly; the executor sends orders, which are idempotent by attempt, and the supervisor tells exits.
package supervise

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Spec is one process to be run.
type Spec struct {
	Ref // the attempt: it is started at most once

	Path     string        `json:"path"`
	Args     []string      `json:"args"` // with the name of the program first
	Env      []string      `json:"env"`
	Dir      string        `json:"dir"`
	Log      string        `json:"log"`                // where its log is written
	LogLimit int64         `json:"logLimit,omitempty"` // bytes; 0: the default
	Keep     string        `json:"keep,omitempty"`     // a file it may write, made durable before its exit is told
	Opening  string        `json:"opening,omitempty"`  // first line of the log
	Server   string        `json:"server,omitempty"`   // whose lease counts
	Deadline time.Duration `json:"deadline,omitempty"` // CLOCK_BOOTTIME at which its timeout is over; 0: none
	Grace    time.Duration `json:"grace,omitempty"`    // between SIGTERM and SIGKILL, for timeout and lease
}

// Why says why a process was made to end.
type Why string

// The reasons.
const (
	WhyNone    Why = ""        // it ended by itself
	WhyTimeout Why = "timeout" // its deadline passed
	WhyLease   Why = "lease"   // its server fell silent
	WhyKill    Why = "kill"    // somebody asked
	WhyStop    Why = "stop"    // the supervisor itself was told to end
)

// Exit is how a process ended. Times are wall clock, milliseconds since 1970 UTC.
type Exit struct {
	Ref

	Code     int    `json:"code"`             // 128 + signal if a signal ended it
	Signal   int    `json:"signal,omitempty"` // 0: it exited
	Why      Why    `json:"why,omitempty"`
	Words    string `json:"words,omitempty"`  // of who asked for the kill
	Failed   string `json:"failed,omitempty"` // it could not be started, for this reason
	Started  int64  `json:"started"`
	Finished int64  `json:"finished"`
	LogBytes int64  `json:"logBytes"`
	Missing  string `json:"missing,omitempty"` // of the log, in words, if that could not say so itself
}

// Lease is until when the processes of a server may run.
type Lease struct {
	Server   string        `json:"server"`
	Deadline time.Duration `json:"deadline,omitempty"` // CLOCK_BOOTTIME
	Forever  bool          `json:"forever,omitempty"`
}

// List is what a supervisor has when an executor connects.
type List struct {
	Running []Running `json:"running,omitempty"`
	Exits   []Exit    `json:"exits,omitempty"`
	Leases  []Lease   `json:"leases,omitempty"`
	Keys    bool      `json:"keys,omitempty"` // it tells attempts with the same id apart by their keys
}

// Running is a process that runs. Identity names it beyond reuse of its number.
type Running struct {
	Ref
	Identity
}

type op string

const (
	opHello   op = "hello"   // to the supervisor: first, and makes this the only connection that counts
	opWelcome op = "welcome" // from it: the answer, with what it has
	opStart   op = "start"
	opKill    op = "kill"
	opLease   op = "lease"
	opMove    op = "move"
	opForget  op = "forget"
	opExit    op = "exit" // from it: a process ended; repeated at each hello until forgotten
)

// message is one frame, either way.
type message struct {
	Ref

	Op     op            `json:"op"`
	Spec   *Spec         `json:"spec,omitempty"`
	Grace  time.Duration `json:"grace,omitempty"`
	Words  string        `json:"words,omitempty"`
	Server string        `json:"server,omitempty"`
	Lease  *Lease        `json:"lease,omitempty"`
	Exit   *Exit         `json:"exit,omitempty"`
	List   *List         `json:"list,omitempty"`
}

// maxMessage bounds a frame, in bytes. A list of 100,000 exits fits.
const maxMessage = 64 << 20

func encode(m message) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("supervisor message: %w", err)
	}
	if len(body) > maxMessage {
		return nil, errors.New("supervisor message: too long")
	}
	frame := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(frame, uint32(len(body)))
	return append(frame, body...), nil
}

func receive(r io.Reader) (message, error) {
	var m message
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return m, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxMessage {
		return m, errors.New("supervisor message: too long")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("supervisor message: %w", err)
	}
	return m, nil
}
