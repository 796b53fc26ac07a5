package sim

import (
	"encoding/json"
	"time"

	"github.com/rprp/hivego/executor/ledger"
)

// journal is an executor's journal. A crash keeps all synced records, and perhaps the first ones of the rest.
type journal struct {
	disk   [][]byte
	synced int // of disk

	queue    []entry
	flushing bool
	written  uint64 // records of this life on the disk
	durable  uint64 // number of synced records among them
}

// entry is one call of add: its records, and the callback that waits for record number after.
type entry struct {
	lines [][]byte
	after uint64
	then  func()
}

// open begins a life with the records on the disk.
func (j *journal) open() [][]byte {
	j.queue, j.flushing, j.written, j.durable = nil, false, 0, 0
	return j.disk
}

// tear applies a crash: some or all of the unsynced records are lost.
func (j *journal) tear(h *host) {
	for _, x := range j.queue { // the next group to be written
		j.disk = append(j.disk, x.lines...)
	}
	j.queue = nil
	keep := j.synced
	if loose := len(j.disk) - j.synced; loose > 0 {
		keep += h.w.rng.IntN(loose + 1)
	}
	j.disk = j.disk[:keep:keep]
	j.synced = keep
}

// add queues records. It calls then once record number after and all earlier records are durable.
func (j *journal) add(h *host, records []ledger.Record, after uint64, then func()) {
	x := entry{after: after, then: then}
	for i := range records {
		line, err := json.Marshal(records[i])
		if err != nil {
			h.w.failf("journal", "%s: %v", h.name, err)
		}
		x.lines = append(x.lines, line)
	}
	j.queue = append(j.queue, x)
	j.flush(h)
}

// flush writes the queue, one group after another.
func (j *journal) flush(h *host) {
	if j.flushing || len(j.queue) == 0 {
		return
	}
	j.flushing = true
	wait := h.w.between(20*time.Microsecond, 4*time.Millisecond)
	if !h.w.calm && h.w.chance(h.w.cfg.rates.laggard/4) {
		wait = h.w.between(10*time.Millisecond, 2*time.Second)
	}
	h.after(wait, func() { j.group(h) })
}

func (j *journal) group(h *host) {
	group := j.queue
	j.queue = nil
	var need uint64
	for _, x := range group {
		j.disk = append(j.disk, x.lines...)
		j.written += uint64(len(x.lines))
		need = max(need, x.after)
	}
	if need > j.durable {
		j.synced, j.durable = len(j.disk), j.written
	}
	if len(j.queue) == 0 && h.w.chance(0.01) {
		j.compact(h)
	}
	j.flushing = false
	for _, x := range group {
		x.then()
	}
	j.flush(h)
}

// compact replaces all records by the shortest equivalent list.
func (j *journal) compact(h *host) {
	j.disk = nil
	for _, r := range h.ledger.Snapshot() {
		line, err := json.Marshal(r)
		if err != nil {
			h.w.failf("journal", "%s: %v", h.name, err)
		}
		j.disk = append(j.disk, line)
	}
	j.synced, j.durable = len(j.disk), j.written
}
