package live

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// batchProjection is one batch with its task runs.
type batchProjection struct {
	row     hive.Batch
	stuck   hive.Sentence
	version int64 // of the two above
	runs    []shownRun
	mine    bool // this server observes its changes

	next      map[int]*hive.RunView // staged, by number
	nextRow   *hive.Batch           // staged
	nextStuck *hive.Sentence

	buffered    map[int]hive.Delta // changes observed during a read, by run number
	bufferedRow *hive.Batch
}

// shownRun is a row with the version that brought it. The row is shared, and never changes.
type shownRun struct {
	*hive.RunView

	version int64
}

func newBatchProjection() *batchProjection {
	return &batchProjection{next: map[int]*hive.RunView{}}
}

func (p *batchProjection) begin() { p.buffered, p.bufferedRow = map[int]hive.Delta{}, nil }

func (p *batchProjection) floor() int64 { return 0 }

func (p *batchProjection) observe(d *hive.Delta, reading bool) (staged, reread bool) {
	if reading {
		p.buffer(d)
	}
	if p.runs == nil {
		return false, false // the read under way brings it
	}
	staged = p.stageRow(d.BatchRow)
	switch {
	case d.Run < 0:
		return staged, false
	case d.Run >= len(p.runs):
		return staged, true // a repair added tasks, or a task was split
	case !samePart(p.now(d.Run), d.Now):
		return staged, true
	}
	p.next[d.Run] = merge(p.now(d.Run), d)
	return true, d.Partial
}

// buffer keeps a change that is observed while the batch is being read.
func (p *batchProjection) buffer(d *hive.Delta) {
	p.bufferedRow = d.BatchRow
	if d.Run < 0 {
		return
	}
	later := *d
	if before, ok := p.buffered[d.Run]; ok && d.Partial && !before.Partial && sameAttempt(before.Now, d.Now) {
		known := *d.Now
		known.Executor = before.Now.Executor
		later.Now, later.Partial = &known, false
	}
	p.buffered[d.Run] = later
}

// stageRow stages the batch's own row if a visible field differs. Counts do not matter: clients count the runs.
func (p *batchProjection) stageRow(b *hive.Batch) bool {
	now := &p.row
	if p.nextRow != nil {
		now = p.nextRow
	}
	if b == nil || sameBatch(now, b) {
		return false
	}
	p.nextRow = b
	return true
}

// now returns a run, including its staged changes.
func (p *batchProjection) now(n int) *hive.RunView {
	if v, ok := p.next[n]; ok {
		return v
	}
	return p.runs[n].RunView
}

// merge returns a run after a change: the row of the change itself, with values of the old row that are still valid.
// Values that are never stored stay as long as the run keeps its attempt and state.
func merge(old *hive.RunView, d *hive.Delta) *hive.RunView {
	v := *d.Now
	if sameAttempt(old, d.Now) {
		if d.Partial {
			v.Executor = old.Executor
		}
		if v.State == old.State {
			v.Progress, v.WaitReason = old.Progress, old.WaitReason
		}
	}
	if v.Executor == d.Now.Executor && v.Progress == d.Now.Progress && v.WaitReason == d.Now.WaitReason {
		return d.Now
	}
	return &v
}

// samePart reports whether a run is the same part of its task in two states of it. Changes do not carry the part, so
// clients begin anew when it is another one.
func samePart(a, b *hive.RunView) bool {
	return a.Part == b.Part || a.Part != nil && b.Part != nil && *a.Part == *b.Part
}

func sameAttempt(a, b *hive.RunView) bool { return a.Attempts == b.Attempts && a.Round == b.Round }

// read applies the result of a read, and merges the changes that were buffered since the read began. ok is false if a
// buffered change belongs to a run that the read did not return; the batch must then be read again.
func (p *batchProjection) read(v *View) (staged, restart, ok bool) {
	buffered, row := p.buffered, p.bufferedRow
	p.buffered, p.bufferedRow = nil, nil
	for n := range buffered {
		if n >= len(v.Runs) {
			return false, false, false
		}
	}
	fresh := make([]*hive.RunView, len(v.Runs))
	for i := range v.Runs {
		r := new(hive.RunView) // its own allocation, so that it is freed when it is replaced
		*r = v.Runs[i]
		n := r.Number
		if v.Published != nil && n < len(v.Published.States) && r.State == hive.RunWaiting &&
			v.Published.States[n] == hive.RunReady {
			r.State = hive.RunReady
		}
		if d, ok := buffered[n]; ok {
			r = merge(r, &d)
		}
		if v.Published != nil {
			r = withSample(r, v.Published)
		}
		fresh[n] = r
	}
	p.mine = v.Mine
	if row == nil {
		row = &v.Batch
	}
	if len(fresh) != len(p.runs) || p.runs == nil || p.otherParts(fresh) {
		p.runs = make([]shownRun, len(fresh))
		for n := range fresh {
			p.runs[n].RunView = fresh[n]
		}
		p.row, p.stuck = *row, v.Stuck
		p.drop()
		return false, true, true
	}
	p.drop()
	for n := range fresh {
		if !p.runs[n].Equal(fresh[n]) {
			p.next[n] = fresh[n]
			staged = true
		}
	}
	staged = p.stageRow(row) || staged
	return p.stageStuck(v.Stuck) || staged, false, true
}

// otherParts reports whether a run is another part of its task now.
func (p *batchProjection) otherParts(fresh []*hive.RunView) bool {
	for n := range fresh {
		if !samePart(p.runs[n].RunView, fresh[n]) {
			return true
		}
	}
	return false
}

// drop discards all staged changes.
func (p *batchProjection) drop() {
	p.next, p.nextRow, p.nextStuck = map[int]*hive.RunView{}, nil, nil
}

func (p *batchProjection) stageStuck(why hive.Sentence) bool {
	now := p.stuck
	if p.nextStuck != nil {
		now = *p.nextStuck
	}
	if now.Text == why.Text && now.Reason.Equal(why.Reason) {
		return false
	}
	p.nextStuck = &why
	return true
}

// withSample returns a run with the values that are never stored, if the owner's state and attempt of the run are the
// same as here. It is the run itself if these values have not changed.
func withSample(r *hive.RunView, t *hive.PublishedBatch) *hive.RunView {
	n := r.Number
	if n >= len(t.States) || n >= len(t.Attempts) || t.States[n] != r.State || t.Attempts[n] != r.Attempts {
		return r
	}
	var progress *float64
	var why hive.WaitReason
	if at, ok := t.Progress[n]; ok && r.State == hive.RunRunning {
		progress = &at
	}
	if r.State == hive.RunReady {
		why = t.WaitReasons[n]
	}
	if sameProgress(progress, r.Progress) && why == r.WaitReason {
		return r
	}
	v := *r
	v.Progress, v.WaitReason = progress, why
	return &v
}

func sameProgress(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// sample stages the values of all runs that are never stored.
func (p *batchProjection) sample(t *hive.PublishedBatch) bool {
	staged := p.stageStuck(t.Stuck)
	for n := range p.runs {
		was := p.now(n)
		if r := withSample(was, t); r != was {
			p.next[n] = r
			staged = true
		}
	}
	return staged
}

func (p *batchProjection) publish(version int64, _ time.Time) (changed bool, rest time.Time) {
	changed = len(p.next) > 0 || p.nextRow != nil || p.nextStuck != nil
	for n, r := range p.next {
		p.runs[n] = shownRun{RunView: r, version: version}
	}
	if p.nextRow != nil || p.nextStuck != nil {
		p.version = version
		if p.nextRow != nil {
			p.row = *p.nextRow
		}
		if p.nextStuck != nil {
			p.stuck = *p.nextStuck
		}
	}
	p.drop()
	return changed, time.Time{}
}

func (p *batchProjection) body(from int64) *hive.LiveBody {
	b := &hive.LiveBody{Snapshot: from == 0}
	if b.Snapshot {
		b.Runs = make([]*hive.RunView, 0, len(p.runs))
	}
	for n := range p.runs {
		if from == 0 || p.runs[n].version > from {
			b.Runs = append(b.Runs, p.runs[n].RunView)
		}
	}
	if from == 0 || p.version > from {
		b.Batch = &hive.BatchView{Batch: p.row, Stuck: p.stuck}
		b.Batch.Batch.Counts = hive.Counts{}
		for n := range p.runs {
			if p.runs[n].Shard == 0 {
				b.Batch.Batch.Counts[p.runs[n].State]++
			}
		}
	}
	return b
}

// sameBatch reports whether all visible fields of two rows of a batch are equal, apart from the counts.
func sameBatch(a, b *hive.Batch) bool {
	return a.State == b.State && a.Wish == b.Wish && a.Reason == b.Reason && a.Round == b.Round && a.Live == b.Live &&
		a.Revision == b.Revision && a.ClosedNote == b.ClosedNote && a.StartedAt.Equal(b.StartedAt) &&
		a.RoundAt.Equal(b.RoundAt) && a.FinishedAt.Equal(b.FinishedAt) && a.PausedAt.Equal(b.PausedAt)
}
