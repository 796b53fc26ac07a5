package scenarios

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

var _ Driver = (*fullDriver)(nil)

// fullDriver plays scenarios on everything except clock and network: documents, store, commands, owner, recovery. Its
// executors follow a script. The states that it shows are read from the database.
type fullDriver struct {
	store   *db.Store
	server  hive.Server
	batches *batch.Service
	owner   *owner.Owner
	fleet   *scripted
	now     time.Time
	waiting []int64 // queued batches that wait for another batch in the store
	restart bool    // before every step all memory is lost: the stored state must be enough
	shown   *tally

	name    string
	batch   int64
	blocker int64
	limited bool             // there are limits
	others  []otherBatch     // with limits: all batches of the scenario, its own without id
	taskOf  map[int64]string // by run id
	err     error            // the first error inside a callback
}

const manyIDs = 1000

func newWhole(t *testing.T, store *db.Store, name string, restart bool, shown *tally) *fullDriver {
	t.Helper()
	d := &fullDriver{
		store: store, name: name, restart: restart, shown: shown, taskOf: map[int64]string{},
		now: time.Date(2026, 1, 2, 3, 20, 0, 0, time.UTC), server: hive.Server{ID: "server-" + name},
	}
	d.fleet = &scripted{
		d: d, scripts: map[string][]Behavior{}, behaviors: map[int64]Behavior{}, latest: map[string]hive.AttemptEvent{},
		acked: map[int64]bool{}, ended: map[int64]hive.AttemptEvent{}, kills: map[int64]bool{},
		keys: map[int64]string{},
	}
	d.batches = batch.New(batch.Config{
		Revisions: store, Batches: store, Commands: store, Statistics: store, Executors: store, Engine: d,
		Server: func() hive.Server { return d.server }, Now: func() time.Time { return d.now },
	})
	if err := d.boot(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// boot begins a session as a server does: it draws a new epoch and loads all live batches.
func (d *fullDriver) boot(ctx context.Context) error {
	epoch, err := d.store.StartSession(ctx, d.server, time.Hour)
	if err != nil {
		return err
	}
	d.server.Epoch = epoch
	d.fleet.events = nil // a dead server gets no events; executors repeat each end without an ack
	if d.owner != nil {
		d.shown.take(d.owner)
	}
	d.waiting = nil
	d.owner = owner.New(owner.Config{
		Fleet: d.fleet, Chooser: d.fleet, Graphs: new(document.Graphs),
		Session: owner.Session{Server: d.server.ID, Epoch: epoch},
		NewKey:  rand.Text, TraceDecisions: true,
	})
	for _, kind := range []string{db.CounterAttempt, db.CounterRun} {
		first, err := d.store.NextIDs(ctx, kind, manyIDs)
		if err != nil {
			return err
		}
		d.owner.AddIDs(kind, first, manyIDs)
	}
	ids, err := d.store.LiveBatches(ctx, d.server.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		d.Adopt(id)
	}
	if err := d.readLimits(ctx); err != nil {
		return err
	}
	d.callHooks(ctx)
	return d.runToRest(ctx)
}

// Adopt loads a batch from the store.
func (d *fullDriver) Adopt(id int64) {
	img, err := d.store.BatchSnapshot(context.Background(), id)
	if err == nil {
		err = d.owner.Load(d.now, img)
	}
	d.err = errors.Join(d.err, err)
}

// Notify applies the commands of a batch.
func (d *fullDriver) Notify(id int64) {
	ctx := context.Background()
	commands, err := d.store.BatchCommands(ctx, id)
	d.err = errors.Join(d.err, err)
	for _, c := range commands {
		latest, rev, err := d.asked(ctx, &c)
		d.err = errors.Join(d.err, err)
		if !d.owner.Has(id) {
			d.Adopt(id)
		}
		d.owner.HandleCommand(d.now, c, latest, rev)
	}
	d.err = errors.Join(d.err, d.runToRest(ctx))
}

// Await answers a closed channel: when Notify returns, the command's row has the answer.
func (d *fullDriver) Await(int64, int64) (answer <-chan hive.CommandDone, stop func()) {
	closed := make(chan hive.CommandDone)
	close(closed)
	return closed, func() {}
}

func (d *fullDriver) asked(ctx context.Context, c *hive.Command) (*graph.Graph, hive.Revision, error) {
	var req hive.PlanRequest
	if c.Kind != hive.CommandRepair {
		return nil, hive.Revision{}, nil
	}
	if err := json.Unmarshal(c.Payload, &req); err != nil || req.RevisionID == 0 {
		return nil, hive.Revision{}, err
	}
	rev, err := d.store.Revision(ctx, req.RevisionID)
	if err != nil {
		return nil, rev, err
	}
	doc, faults := document.Parse([]byte(rev.Document), document.Options{Stored: true})
	if doc == nil {
		return nil, rev, fmt.Errorf("revision %d: %v", rev.ID, faults)
	}
	g, err := graph.Compile(doc.Definition)
	return g, rev, err
}

// Summaries returns the owner's short view of batches.
func (d *fullDriver) Summaries(_ context.Context, ids ...int64) map[int64]hive.BatchSummary {
	seen := map[int64]hive.BatchSummary{}
	for _, id := range ids {
		if s, ok := d.owner.Summary(id); ok {
			seen[id] = s
		}
	}
	return seen
}

func (d *fullDriver) Live(id int64) (hive.LiveView, bool) { return d.owner.View(id) }

// runToRest runs events and commits until there are none left.
func (d *fullDriver) runToRest(ctx context.Context) error {
	for {
		if err := d.err; err != nil {
			d.err = nil
			return err
		}
		events := d.fleet.events
		d.fleet.events = nil
		d.owner.Deliver(d.now, events)
		d.owner.FireTimers(d.now)
		if err := d.startQueued(ctx); err != nil {
			return err
		}
		d.owner.DispatchReady(d.now)
		d.shown.take(d.owner)
		for _, f := range d.owner.TakeFailures() {
			return fmt.Errorf("an event did not fit batch %d: %w", f.Batch, f.Err)
		}
		// A minute later: changes that may wait for a later commit go, too.
		g := d.owner.NextCommit(d.now.Add(time.Minute))
		if g != nil {
			fx := d.owner.CommitDone(d.now, d.store.Commit(ctx, *g))
			if fx.Hooks && !d.restart { // otherwise the server dies before it can do so
				d.callHooks(ctx)
			}
			if fx.SessionLost || fx.Retry || len(fx.Reload) > 0 || len(fx.Stuck) > 0 {
				return fmt.Errorf("a commit failed: %+v", fx)
			}
			continue
		}
		if len(d.fleet.events) > 0 {
			continue
		}
		if len(d.fleet.ready) == 0 {
			return nil
		}
		id := d.fleet.ready[0]
		d.fleet.ready = d.fleet.ready[1:]
		d.fleet.finish(id)
	}
}

// startQueued starts the queued batches that wait for no other batch in the store.
func (d *fullDriver) startQueued(ctx context.Context) error {
	ids := slices.Concat(d.waiting, d.owner.TakeQueued())
	if len(ids) == 0 {
		return nil
	}
	waiting, err := d.store.QueuedBehind(ctx, ids)
	d.waiting = waiting
	for _, id := range ids {
		if err == nil && !slices.Contains(waiting, id) {
			d.owner.StartQueued(d.now, id)
		}
	}
	return err
}

// restartIfAsked loses all memory, if restart is set.
func (d *fullDriver) restartIfAsked(ctx context.Context) error {
	if !d.restart {
		return nil
	}
	return d.boot(ctx)
}

func (d *fullDriver) save(ctx context.Context, def *hive.Definition, name string) error {
	named := *def
	named.Name = name
	raw, err := json.Marshal(named)
	if err != nil {
		return err
	}
	doc, faults := document.Parse(raw, document.Options{})
	if doc == nil {
		return fmt.Errorf("the definition is refused: %v", faults)
	}
	_, _, _, err = d.store.SaveSchedule(ctx, hive.SaveSchedule{ //nolint:dogsled // only the error matters
		Name: name, Document: string(doc.Canonical), Hash: doc.Hash, By: "scenario", Now: d.now,
	})
	return err
}

func (d *fullDriver) Publish(ctx context.Context, def *hive.Definition) error {
	return d.save(ctx, def, d.name)
}

func (d *fullDriver) Create(ctx context.Context, s *Scenario) error {
	maps.Copy(d.fleet.scripts, s.Tasks)
	err := d.createLimited(ctx, s)
	if err != nil {
		return err
	}
	reason := hive.ReasonNone
	if s.Queued { // another batch of the schedule runs already, so the new one is queued
		reason = hive.ReasonQueued
		d.fleet.scripts = map[string][]Behavior{s.Definition.Jobs[0].Tasks[0].Key: {{Kind: Run}}}
		if d.blocker, err = d.create(ctx, s, d.name, hive.ReasonNone); err != nil {
			return err
		}
		maps.Copy(d.fleet.scripts, s.Tasks)
	}
	if d.batch, err = d.create(ctx, s, d.name, reason); err != nil {
		return err
	}
	return d.createOthers(ctx, s)
}

// create makes a batch of a schedule.
func (d *fullDriver) create(ctx context.Context, s *Scenario, name string, reason hive.Reason) (int64, error) {
	g, err := graph.Compile(s.Definition)
	if err != nil {
		return 0, err
	}
	schedule, err := d.store.Schedule(ctx, name)
	if err != nil {
		return 0, err
	}
	rev, err := d.store.RevisionAt(ctx, schedule.ID, schedule.Revision)
	if err != nil {
		return 0, err
	}
	b, err := d.store.CreateBatch(ctx, d.server, hive.NewBatch{Runs: batch.NewRuns(g), Batch: hive.Batch{
		ScheduleID: schedule.ID, Schedule: name, RevisionID: rev.ID, Revision: rev.Number, Kind: hive.KindManual,
		State: hive.BatchQueued, Reason: reason, Wish: hive.WishRun, Round: 1, Moment: d.now, Params: s.Params,
		CreatedAt: d.now, CreatedBy: "scenario", Owner: d.server.ID, Live: true,
	}})
	if err != nil {
		return 0, err
	}
	d.batch = b.ID
	d.Adopt(b.ID)
	return b.ID, d.runToRest(ctx)
}

// Start ends the batch that the new one waits for.
func (d *fullDriver) Start(ctx context.Context) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	v, ok := d.owner.View(d.blocker)
	if !ok {
		return errors.New("nothing stands before the batch")
	}
	for i := range v.Runs {
		if id := v.Runs[i].Attempt; id != 0 {
			d.fleet.behaviors[id] = Behavior{Kind: Succeed}
			d.fleet.ready = append(d.fleet.ready, id)
		}
	}
	return d.runToRest(ctx)
}

// Look reads the stored state. A run that is ready for the first time is stored as waiting, because ready is derived.
func (d *fullDriver) Look(ctx context.Context) (hive.Batch, []hive.Run, error) {
	if err := d.restartIfAsked(ctx); err != nil {
		return hive.Batch{}, nil, err
	}
	img, err := d.store.BatchSnapshot(ctx, d.batch)
	if err != nil {
		return hive.Batch{}, nil, err
	}
	runs := slices.Clone(img.Runs)
	if v, ok := d.owner.View(d.batch); ok {
		for i := range runs {
			if runs[i].State == hive.RunWaiting && v.Runs[i].State == hive.RunReady {
				runs[i].State = hive.RunReady
			}
			if runs[i].State != v.Runs[i].State {
				return img.Batch, nil,
					fmt.Errorf("%s is stored as %s, and is %s", runs[i].Task, runs[i].State, v.Runs[i].State)
			}
		}
	} else if img.Batch.Live {
		return img.Batch, nil, errors.New("the batch is live, and nobody has it")
	}
	others, err := d.otherRuns(ctx)
	return img.Batch, append(runs, others...), err
}

// TestScenariosOnTheEngine plays every scenario on each database, once as it is, and once losing all memory before
// every step.
func TestScenariosOnTheEngine(t *testing.T) {
	t.Parallel()
	all, err := Load("data")
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		store, shown := open(), map[bool]*tally{false: newTally(), true: newTally()}
		var at errgroup.Group
		at.SetLimit(sideBySide)
		for i := range all {
			if all[i].Limited() { // see TestLimitScenarios
				continue
			}
			for _, restart := range []bool{false, true} {
				name := fmt.Sprintf("s%d", i)
				if restart {
					name += "-restart"
				}
				d := newWhole(t, store, name, restart, shown[restart])
				at.Go(func() error {
					if err := Play(t.Context(), &all[i], d); err != nil {
						t.Errorf("restart %t: %v", restart, err)
					}
					return nil
				})
			}
		}
		_ = at.Wait()
		shown[false].check(t, "as it is", table())
		shown[true].check(t, "restart", table())
	})
}

// sideBySide is how many scenarios are played at once on one database, each as a server of its own.
const sideBySide = 16
