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
	Kind  string    `json:"k"`
	Life  *Identity `json:"l,omitempty"` // "life": the supervisor itself
	ID    int64     `json:"i,omitempty"` // this and Key: "start", "forget"
	Key   string    `json:"y,omitempty"`
	Token string    `json:"t,omitempty"`
	Exit  *Exit     `json:"x,omitempty"` // "exit"
}

const (
	kindLife   = "life"
	kindStart  = "start"
	kindExit   = "exit"
	kindForget = "forget"
)

func (r *record) ref() Ref { return Ref{ID: r.ID, Key: r.Key} }

// store is what a supervisor keeps on disk: exits that nobody has taken yet, and what the next one must sweep.
type store struct {
	journal *journal.Journal
	added   uint64
	fresh   int64
	life    *Identity
	open    map[Ref]record // started, not ended
	exits   map[Ref]Exit
}

// openStore reads the journal of the former supervisor.
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
	case kindLife:
		s.life = r.Life
	case kindStart:
		s.open[r.ref()] = r
	case kindExit:
		delete(s.open, r.Exit.Ref)
		s.exits[r.Exit.Ref] = *r.Exit
	case kindForget:
		delete(s.exits, r.ref())
	}
}

// begin notes the new supervisor, after the sweep: what was open is gone.
func (s *store) begin(life Identity) {
	clear(s.open)
	s.life = &life
	s.compact()
}

// add keeps a record. then is called, if any, once it is durable; without it, the record may be lost with the machine.
// The caller holds the supervisor's lock.
func (s *store) add(r record, then func()) {
	s.apply(r)
	s.added++
	after := uint64(0)
	if then != nil {
		after = s.added
	}
	s.journal.Add([][]byte{mustEncode(r)}, after, then)
	if s.journal.Size() > max(8<<20, 4*s.fresh) {
		s.compact()
	}
}

func (s *store) compact() {
	out := make([][]byte, 0, 1+len(s.open)+len(s.exits))
	out = append(out, mustEncode(record{Kind: kindLife, Life: s.life}))
	for _, id := range slices.SortedFunc(maps.Keys(s.open), compareRefs) {
		out = append(out, mustEncode(s.open[id]))
	}
	for _, id := range slices.SortedFunc(maps.Keys(s.exits), compareRefs) {
		x := s.exits[id]
		out = append(out, mustEncode(record{Kind: kindExit, Exit: &x}))
	}
	s.fresh = 0
	for _, p := range out {
		s.fresh += int64(len(p))
	}
	s.journal.Rewrite(out)
}

func mustEncode(r record) []byte {
	data, err := json.Marshal(r)
	if err != nil {
		panic("a record cannot be written as JSON: " + err.Error()) // plain fields: it cannot happen
	}
	return data
}

// sweep kills what the former supervisor's processes left behind, and waits until it is gone. Its own children died
// with it; their children did not.
func (s *store) sweep(here Identity, log *slog.Logger) {
	if s.life == nil || s.life.Boot != here.Boot || s.life.Space != here.Space {
		return
	}
	tokens := map[string]bool{}
	for _, r := range s.open {
		tokens[r.Token] = true
	}
	session := s.life.PID
	if st, err := readStat(session); err == nil && st.ticks != s.life.Ticks {
		session = -1 // the number is another's now, so the session is empty
	}
	if len(tokens) == 0 && session < 0 {
		return
	}
	n := killAll(5*time.Second,
		func(pid int, st stat) bool { return st.session == session || len(tokens) > 0 && marked(pid, tokens) })
	if n > 0 || len(s.open) > 0 {
		log.Warn("supervisor: swept what a former one left", "attempts", len(s.open), "processes", n)
	}
}
