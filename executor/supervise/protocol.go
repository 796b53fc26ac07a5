// Package supervise runs the processes of an executor in a small separate process, so that they outlive a killed or
// upgraded executor. The supervisor owns their pipes, writes their logs, and enforces output limit, timeout and lease.
// It writes each exit to a journal before it reports the exit. If the supervisor dies, its processes die with it
// (PDEATHSIG). The next supervisor kills the descendants that they left behind.
//
// Executor and supervisor exchange frames over a unix socket: four bytes of length, big endian, then JSON. Messages
// have no direct answers: the executor sends orders, which are idempotent by attempt, and the supervisor reports exits.
package supervise

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// Spec describes a process to be started.
type Spec struct {
	Ref // the attempt; the supervisor starts it at most once

	Path     string   `json:"path"`
	Args     []string `json:"args"` // the first one is the program's name
	Env      []string `json:"env"`
	Dir      string   `json:"dir"`
	Log      string   `json:"log"`                // path of the log
	LogLimit int64    `json:"logLimit,omitempty"` // bytes; 0: the default
	// OutputFile is a file that the process may write. The supervisor syncs it before it reports the exit.
	OutputFile string `json:"keep,omitempty"`
	// Secrets are values that the log and the output file must not show. They are never journaled.
	Secrets  []string      `json:"secrets,omitempty"`
	Opening  string        `json:"opening,omitempty"`  // first line of the log
	Lease    string        `json:"server,omitempty"`   // name of the lease that limits the process
	Deadline time.Duration `json:"deadline,omitempty"` // CLOCK_BOOTTIME at which it times out; 0: never
	Grace    time.Duration `json:"grace,omitempty"`    // between SIGTERM and SIGKILL, for timeout and lease
}

// Why classifies why the supervisor ended a process.
type Why string

// The values of Why.
const (
	WhyNone    Why = ""        // the process ended by itself
	WhyTimeout Why = "timeout" // its deadline passed
	WhyLease   Why = "lease"   // its lease expired
	WhyKill    Why = "kill"    // the executor ordered the kill
	WhyStop    Why = "stop"    // the supervisor was stopped
)

// Exit describes the end of a process. Times are wall clock, in milliseconds since 1970 UTC.
type Exit struct {
	Ref

	Code     int    `json:"code"`             // 128 + signal if a signal ended it
	Signal   int    `json:"signal,omitempty"` // 0: no signal ended it
	Why      Why    `json:"why,omitempty"`
	Reason   string `json:"words,omitempty"`  // why it was killed, as a sentence for users
	Failed   string `json:"failed,omitempty"` // why it could not be started; empty if it was started
	Started  int64  `json:"started"`
	Finished int64  `json:"finished"`
	LogBytes int64  `json:"logBytes"`
	Missing  string `json:"missing,omitempty"` // says which part of the log is missing, if no line of the log does
}

// Lease limits how long the processes under it may run. There is one for each session of a server.
type Lease struct {
	Name     string        `json:"server"`
	Deadline time.Duration `json:"deadline,omitempty"` // CLOCK_BOOTTIME
	Forever  bool          `json:"forever,omitempty"`
}

// leaseMemory is how long a lease is remembered after it has passed. A server begins a new lease with each session.
const leaseMemory = time.Hour

// isOld reports whether a lease has passed so long ago that nothing runs under it any more.
func (l Lease) isOld(now time.Duration) bool { return !l.Forever && now-l.Deadline >= leaseMemory }

// List is the state of a supervisor. An executor receives it when it connects.
type List struct {
	Running []Running `json:"running,omitempty"`
	Exits   []Exit    `json:"exits,omitempty"`
	Leases  []Lease   `json:"leases,omitempty"`
	Keys    bool      `json:"keys,omitempty"`  // the supervisor distinguishes attempts with the same id by their keys
	Masks   bool      `json:"masks,omitempty"` // the supervisor masks the secrets of a Spec
}

// Running is a process that has not ended. Its Identity stays unique when the pid is reused.
type Running struct {
	Ref
	Identity
}

type op string

const (
	opHello   op = "hello"   // to the supervisor: the first message; it replaces any earlier connection
	opWelcome op = "welcome" // from the supervisor: answers hello with a List
	opStart   op = "start"
	opKill    op = "kill"
	opLease   op = "lease"
	opMove    op = "move"
	opForget  op = "forget"
	opExit    op = "exit" // from the supervisor: a process ended; each List repeats the exit until opForget
)

// message is the content of one frame in either direction.
type message struct {
	Ref

	Op     op            `json:"op"`
	Spec   *Spec         `json:"spec,omitempty"`
	Grace  time.Duration `json:"grace,omitempty"`
	Reason string        `json:"words,omitempty"`
	Under  string        `json:"server,omitempty"` // of opMove: the name of the lease that limits the process now
	Lease  *Lease        `json:"lease,omitempty"`
	Exit   *Exit         `json:"exit,omitempty"`
	List   *List         `json:"list,omitempty"`
}

// maxMessage is the limit of a frame, in bytes. A list of 100,000 exits fits.
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
