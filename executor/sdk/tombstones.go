package sdk

import (
	"maps"
	"slices"
	"time"
)

// tombstones is the set of ids that may never start here. Ids come from one sequence, so they are dense, and a bit
// each is enough: a hundred released attempts a second cost about 1 MB a day. There are two halves: a tombstone goes
// into the young one; at each turn, TombstoneAge apart, the young becomes the old one and the old one is dropped. So
// each tombstone lives between one and two TombstoneAge.
type tombstones struct {
	young, old map[int64]*block // by id / blockIDs
	began      int64            // wall clock, ms, at which the young half was begun
	due        time.Duration    // monotonic moment of the next turn; 0: not set in this life
	lsn        uint64           // the latest record of a tombstone
}

const blockIDs = 4096

type block [blockIDs / 8]byte

func newTombstones() tombstones {
	return tombstones{young: map[int64]*block{}, old: map[int64]*block{}}
}

func place(id int64) (key int64, index int, bit byte) {
	key, rest := id/blockIDs, id%blockIDs
	if rest < 0 {
		key, rest = key-1, rest+blockIDs
	}
	return key, int(rest / 8), 1 << (rest % 8)
}

func (t *tombstones) add(id int64) {
	key, index, bit := place(id)
	b := t.young[key]
	if b == nil {
		b = &block{}
		t.young[key] = b
	}
	b[index] |= bit
}

func (t *tombstones) has(id int64) bool {
	key, index, bit := place(id)
	for _, half := range []map[int64]*block{t.young, t.old} {
		if b := half[key]; b != nil && b[index]&bit != 0 {
			return true
		}
	}
	return false
}

// addBlock takes a block of a compacted journal; first is its first id. Short or long blocks are cut to what fits.
func (t *tombstones) addBlock(first int64, bits []byte, old bool) {
	half := t.young
	if old {
		half = t.old
	}
	key, _, _ := place(first)
	b := half[key]
	if b == nil {
		b = &block{}
		half[key] = b
	}
	for i := range min(len(bits), len(b)) {
		b[i] |= bits[i]
	}
}

// begin remembers when the young half was begun, the first time it is told.
func (t *tombstones) begin(wall int64) {
	if t.began == 0 {
		t.began = wall
	}
}

// turnAtBoot says that a turn is due by the wall clock. It is asked once in a life only, so that a wall clock that
// jumps cannot drop both halves.
func (t *tombstones) turnAtBoot(now Now) bool {
	t.due = now.Mono + TombstoneAge
	return t.began != 0 && now.millis()-t.began >= TombstoneAge.Milliseconds()
}

func (t *tombstones) turn(now Now, wall int64) {
	t.old, t.young = t.young, map[int64]*block{}
	t.began = wall
	t.due = now.Mono + TombstoneAge
}

func (t *tombstones) snapshot(out []Record) []Record {
	for _, old := range []bool{true, false} {
		half := t.young
		if old {
			half = t.old
		}
		for _, key := range slices.Sorted(maps.Keys(half)) {
			out = append(out, Record{Kind: recordTombs, Attempt: key * blockIDs, Block: slices.Clone(half[key][:]), Old: old})
		}
	}
	return out
}
