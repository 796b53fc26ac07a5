package supervise

import (
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/internal/journal"
)

// record is one line of the supervisor's journal.
type record struct {
	Kind       string    `json:"k"`
	Supervisor *Identity `json:"l,omitempty"` // of kindSupervisor
	ID         int64     `json:"i,omitempty"` // ID and Key: of kindStart and kindForget
	Key        string    `json:"y,omitempty"`
	Token      string    `json:"t,omitempty"` // of kindStart
	Exit       *Exit     `json:"x,omitempty"` // of kindExit
}

const (
	kindSupervisor = "life"
	kindStart      = "start"
	kindExit       = "exit"
	kindForget     = "forget"
)

func (r *record) ref() Ref { return Ref{ID: r.ID, Key: r.Key} }

// store is the durable state of a supervisor: the exits that no executor has forgotten yet, and the processes that the
// next supervisor must sweep.
type store struct {
	journal    *journal.Journal
	added      uint64
	compacted  int64          // size of the journal after the last compaction, in bytes
	supervisor *Identity      // the one that wrote the journal
	open       map[Ref]record // started, not ended
	exits      map[Ref]Exit
}

// openStore reads the journal of the previous supervisor.
func openStore(path string, log *slog.Logger) (*store, error) {
	s := &store{open: map[Ref]record{}, exits: map[Ref]Exit{}}
	j, err := journal.Open(path, log, func(payload []byte) error {
		var r record
		if err := json.Unmarshal(payload, &r); err != nil {
			return err
		}
		s.apply(r)
		return nil
	})
	s.journal = j
	return s, err
}

func (s *store) apply(r record) {
	switch r.Kind {
	case kindSupervisor:
		s.supervisor = r.Supervisor
	case kindStart:
		s.open[r.ref()] = r
	case kindExit:
		delete(s.open, r.Exit.Ref)
		s.exits[r.Exit.Ref] = *r.Exit
	case kindForget:
		delete(s.exits, r.ref())
	}
}

// begin records the new supervisor. The sweep has killed all processes that were open.
func (s *store) begin(supervisor Identity) {
	clear(s.open)
	s.supervisor = &supervisor
	s.compact()
}

// add stores a record. It calls then once the record is durable. If then is nil, nothing waits for the disk, and a
// crash of the machine may lose the record. The caller holds the supervisor's lock.
func (s *store) add(r record, then func()) {
	s.apply(r)
	s.added++
	after := uint64(0)
	if then != nil {
		after = s.added
	}
	s.journal.Add([][]byte{mustEncode(r)}, after, then)
	if s.journal.Size() > max(8<<20, 4*s.compacted) {
		s.compact()
	}
}

func (s *store) compact() {
	out := make([][]byte, 0, 1+len(s.open)+len(s.exits))
	out = append(out, mustEncode(record{Kind: kindSupervisor, Supervisor: s.supervisor}))
	for _, id := range slices.SortedFunc(maps.Keys(s.open), compareRefs) {
		out = append(out, mustEncode(s.open[id]))
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.exits), compareRefs) {
		x := s.exits[id]
		out = append(out, mustEncode(record{Kind: kindExit, Exit: &x}))
	}
	s.journal.Rewrite(out)
	s.compacted = s.journal.Size()
}

func mustEncode(r record) []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("a record cannot be written as JSON: " + err.Error()) // cannot happen: all fields are plain
	}
	return data
}

// sweep kills the descendants of the previous supervisor's processes, and waits until they have ended. The supervisor's
// own children died with it, but the children of those did not.
func (s *store) sweep(local Identity, log *slog.Logger) {
	if s.supervisor == nil || s.supervisor.Boot != local.Boot || s.supervisor.Space != local.Space {
		return
	}
	tokens := map[string]bool{}
	for _, r := range s.open {
		tokens[r.Token] = true
	}
	session := s.supervisor.PID
	if st, err := readStat(session); err == nil && st.ticks != s.supervisor.Ticks {
		session = -1 // another process has this pid now, so the session is empty
	}
	if len(tokens) == 0 && session < 0 {
		return
	}
	n := killAll(5*time.Second,
		func(pid int, st stat) bool { return st.session == session || len(tokens) > 0 && hasToken(pid, tokens) })
	if n > 0 || len(s.open) > 0 {
		log.Warn("supervisor: killed processes of an earlier supervisor", "attempts", len(s.open), "processes", n)
	}
}
