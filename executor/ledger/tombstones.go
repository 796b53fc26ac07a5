package ledger

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"time"
)

// tombstones is the set of attempts that may never start here. It has two halves. New tombstones go into the recent
// half. At each turn, every TombstoneAge, the recent half becomes the old one, and the previous old one is dropped.
// So each tombstone lives between one and two TombstoneAge.
type tombstones struct {
	recent, old generation
	began       int64         // wall clock, ms, at which the recent half was begun
	due         time.Duration // monotonic moment of the next turn; 0: not set in this life
	lsn         uint64        // the latest record of a tombstone
}

// generation is one half of the tombstones. An attempt without a key takes one bit. An attempt with a key takes a
// mark of eight bytes, because full keys would take several times as much: a hundred released attempts a second make
// about 70 MB a day. Two attempts have the same mark only if they have the same id and their keys collide, with a
// probability of one in 2^52. Then the second one is refused, and offered again under another id.
type generation struct {
	plain map[int64]*block   // by id / blockIDs
	keyed map[int64][]uint64 // marks, by id / blockIDs
}

const blockIDs = 4096

type block [blockIDs / 8]byte

func newGeneration() generation {
	return generation{plain: map[int64]*block{}, keyed: map[int64][]uint64{}}
}

func newTombstones() tombstones { return tombstones{recent: newGeneration(), old: newGeneration()} }

// place finds the block of an id, and where in the block it is.
func place(id int64) (part, rest int64) {
	part, rest = id/blockIDs, id%blockIDs
	if rest < 0 {
		part, rest = part-1, rest+blockIDs
	}
	return part, rest
}

// mark identifies an attempt within its block: twelve bits of its id, and 52 of its key. Journals contain marks.
func mark(rest int64, key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // never fails
	return uint64(rest)<<52 | h.Sum64()>>12
}

func (g generation) add(r Ref) {
	part, rest := place(r.ID)
	if r.Key == "" {
		g.block(part)[rest/8] |= 1 << (rest % 8)
		return
	}
	g.addMark(part, mark(rest, r.Key))
}

func (g generation) addMark(part int64, m uint64) {
	if !slices.Contains(g.keyed[part], m) {
		g.keyed[part] = append(g.keyed[part], m)
	}
}

func (g generation) block(part int64) *block {
	b := g.plain[part]
	if b == nil {
		b = &block{}
		g.plain[part] = b
	}
	return b
}

func (g generation) has(r Ref) bool {
	part, rest := place(r.ID)
	if r.Key != "" {
		return slices.Contains(g.keyed[part], mark(rest, r.Key))
	}
	b := g.plain[part]
	return b != nil && b[rest/8]&(1<<(rest%8)) != 0
}

func (t *tombstones) add(r Ref) { t.recent.add(r) }

func (t *tombstones) has(r Ref) bool { return t.recent.has(r) || t.old.has(r) }

func (t *tombstones) half(old bool) generation {
	if old {
		return t.old
	}
	return t.recent
}

// addBlock takes a block of a compacted journal; first is its first id. Short or long blocks are cut to what fits.
func (t *tombstones) addBlock(first int64, bits []byte, old bool) {
	part, _ := place(first)
	b := t.half(old).block(part)
	for i := range min(len(bits), len(b)) {
		b[i] |= bits[i]
	}
}

// addMarks adds the marks of a block of a compacted journal.
func (t *tombstones) addMarks(first int64, marks []byte, old bool) {
	part, _ := place(first)
	g := t.half(old)
	fresh := len(g.keyed[part]) == 0 // a snapshot has no mark twice, and is read at every start
	for ; len(marks) >= 8; marks = marks[8:] {
		if m := binary.BigEndian.Uint64(marks); fresh {
			g.keyed[part] = append(g.keyed[part], m)
		} else {
			g.addMark(part, m)
		}
	}
}

// begin stores when the recent half was begun, at its first call.
func (t *tombstones) begin(wall int64) {
	if t.began == 0 {
		t.began = wall
	}
}

// turnAtBoot reports whether a turn is due by the wall clock. It does so only once for a process, so that a wall clock
// that jumps cannot drop both halves.
func (t *tombstones) turnAtBoot(now Now) bool {
	t.due = now.Mono + TombstoneAge
	return t.began != 0 && now.Millis()-t.began >= TombstoneAge.Milliseconds()
}

func (t *tombstones) turn(now Now, wall int64) {
	t.old, t.recent = t.recent, newGeneration()
	t.began = wall
	t.due = now.Mono + TombstoneAge
}

func (t *tombstones) snapshot(out []Record) []Record {
	for _, old := range []bool{true, false} {
		g := t.half(old)
		for _, part := range slices.Sorted(maps.Keys(g.plain)) {
			out = append(out, Record{
				Kind: recordTombs, Attempt: part * blockIDs, Block: slices.Clone(g.plain[part][:]),
				Old: old,
			})
		}
		for _, part := range slices.Sorted(maps.Keys(g.keyed)) {
			var marks []byte
			for _, m := range g.keyed[part] {
				marks = binary.BigEndian.AppendUint64(marks, m)
			}
			out = append(out, Record{Kind: recordMarks, Attempt: part * blockIDs, Block: marks, Old: old})
		}
	}
	return out
}
