package waits

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/catalog"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// player plays one story on one database.
type player struct {
	t       *testing.T
	story   *story
	step    string
	store   *db.Store
	server  hive.Server
	catalog *catalog.Service
	ticker  *schedule.Ticker
	graphs  document.Graphs
	start   time.Time
	now     time.Time
	made    []int64 // new batches
	failed  map[string]bool
}

func newPlayer(t *testing.T, s *story, store *db.Store) *player {
	t.Helper()
	p := &player{t: t, story: s, step: "the start", store: store, failed: map[string]bool{}}
	at, err := time.Parse("2006-01-02 15:04", s.Start)
	if err != nil {
		t.Fatal(err)
	}
	p.start, p.now = at, at
	p.server = hive.Server{ID: "server", StartedAt: at}
	if p.server.Epoch, err = store.StartSession(t.Context(), p.server, time.Hour); err != nil {
		t.Fatal(err)
	}
	p.catalog = catalog.New(catalog.Config{
		Schedules: store, Directory: store, Lists: store, Archive: store, Renames: store, Calendars: store,
		Drafts: store, Batches: store, Executors: store,
		Now:     func() time.Time { return p.now },
		Changed: func(id int64) { p.ticker.Notify(id) },
	})
	p.newTicker()
	return p
}

// to lets time pass, minute by minute.
func (p *player) to(until time.Time) {
	p.t.Helper()
	for p.settle(); p.now.Before(until); p.settle() {
		p.now = p.now.Truncate(time.Minute).Add(time.Minute)
	}
}

// settle decides everything that is due, and ends the batches that end at once.
func (p *player) settle() {
	p.t.Helper()
	for {
		p.ticker.RunOnce(p.t.Context())
		made := p.made
		p.made = nil
		ended := false
		for _, id := range made {
			ended = p.endAtOnce(id) || ended
		}
		if !ended {
			return
		}
	}
}

func (p *player) endAtOnce(id int64) bool {
	b := p.batch(id)
	key := b.Schedule + " " + p.written(b.Moment)
	state := hive.BatchSucceeded
	switch {
	case slices.Contains(p.story.Fail[b.Schedule], p.written(b.Moment)) && !p.failed[key]:
		state = hive.BatchFailed
		p.failed[key] = true
	case !slices.Contains(p.story.Succeed, b.Schedule):
		return false
	}
	p.change(b, state)
	p.ticker.Ended(b.ScheduleID)
	return true
}

func (p *player) batch(id int64) hive.Batch {
	p.t.Helper()
	b, err := p.store.Batch(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// change stores another state of a batch, as its owner does.
func (p *player) change(b hive.Batch, state hive.BatchState) {
	p.t.Helper()
	to := b
	to.State, to.Live, to.FinishedAt = state, !state.Final(), time.Time{}
	if state.Final() {
		to.FinishedAt = p.now
	}
	err := p.store.Commit(p.t.Context(), hive.Group{
		Server: p.server.ID, Epoch: p.server.Epoch,
		Batches: []hive.BatchWrite{{BatchID: b.ID, Batch: &hive.BatchChange{From: b.State, To: to}}},
	})
	if err != nil {
		p.t.Fatalf("%s: %v", p.step, err)
	}
}

// of splits "schedule moment".
func (p *player) of(what string) (hive.Schedule, time.Time) {
	p.t.Helper()
	name, moment, _ := strings.Cut(what, " ")
	h, err := p.store.Schedule(p.t.Context(), name)
	if err != nil {
		p.t.Fatalf("%s: %v", p.step, err)
	}
	return h, p.moment(moment)
}

// newest finds the newest batch of "schedule moment".
func (p *player) newest(what string) hive.Batch {
	p.t.Helper()
	h, at := p.of(what)
	list, err := p.store.Batches(p.t.Context(), hive.BatchFilter{Schedule: h.Name, Limit: 500})
	if err != nil {
		p.t.Fatal(err)
	}
	for i := range list {
		if list[i].Moment.Equal(at) {
			return list[i]
		}
	}
	p.t.Fatalf("%s: there is no batch %s", p.step, what)
	return hive.Batch{}
}

func (p *player) end(what, state string, heard bool) {
	p.t.Helper()
	b := p.newest(what)
	p.change(b, hive.BatchState(state))
	if heard {
		p.ticker.Ended(b.ScheduleID)
	}
	p.settle()
}

func (p *player) manual(what, state string) {
	p.t.Helper()
	h, at := p.of(what)
	rev, err := p.store.RevisionAt(p.t.Context(), h.ID, h.Revision)
	if err != nil {
		p.t.Fatal(err)
	}
	b := hive.Batch{
		ScheduleID: h.ID, RevisionID: rev.ID, Revision: rev.Number, Kind: hive.KindManual,
		State: hive.BatchState(state), Moment: at, CreatedAt: p.now,
	}
	if b.Live = !b.State.Final(); !b.Live {
		b.FinishedAt = p.now
	}
	_, err = p.store.CreateBatch(p.t.Context(), p.server, hive.NewBatch{Batch: b})
	if err != nil {
		p.t.Fatal(err)
	}
	p.ticker.Ended(h.ID)
	p.settle()
}

func (p *player) document(fields map[string]any) (string, []byte) {
	p.t.Helper()
	doc := map[string]any{
		"apiVersion": hive.APIVersion, "kind": hive.KindSchedule,
		"jobs": []any{map[string]any{"key": "work", "tasks": []any{
			map[string]any{"key": "task", "handler": "shell", "params": map[string]any{"command": "true"}},
		}}},
	}
	maps.Copy(doc, fields)
	text, err := json.Marshal(doc)
	if err != nil {
		p.t.Fatal(err)
	}
	return fmt.Sprint(fields["name"]), text
}

func (p *player) publish(fields map[string]any) {
	p.t.Helper()
	name, text := p.document(fields)
	if _, err := p.catalog.Save(p.t.Context(), hive.SaveRequest{Name: name, Document: text}); err != nil {
		p.t.Fatalf("%s: publish %s: %v %+v", p.step, name, err, faultsOf(err))
	}
	p.settle()
}

func (p *player) calendar(fields map[string]any) {
	p.t.Helper()
	doc := map[string]any{"apiVersion": hive.APIVersion, "kind": hive.KindCalendar}
	maps.Copy(doc, fields)
	text, err := json.Marshal(doc)
	if err != nil {
		p.t.Fatal(err)
	}
	_, err = p.catalog.SaveCalendar(p.t.Context(), hive.SaveRequest{Name: fmt.Sprint(fields["name"]), Document: text})
	if err != nil {
		p.t.Fatalf("save calendar %s: %v %+v", fields["name"], err, faultsOf(err))
	}
}

func faultsOf(err error) []hive.Fault {
	if e, ok := errors.AsType[*hive.Error](err); ok {
		return e.Faults
	}
	return nil
}

func (p *player) refused(fields map[string]any) {
	p.t.Helper()
	reason := fmt.Sprint(fields["reason"])
	fields = maps.Clone(fields)
	delete(fields, "reason")
	name, text := p.document(fields)
	_, err := p.catalog.Save(p.t.Context(), hive.SaveRequest{Name: name, Document: text})
	for _, f := range faultsOf(err) {
		if string(f.Reason) == reason && !f.Warning {
			return
		}
	}
	p.t.Fatalf("%s: %s was not refused because of %s: %v", p.step, name, reason, err)
}

func (p *player) enable(name string, on bool) {
	p.t.Helper()
	if err := p.catalog.SetEnabled(p.t.Context(), name, on); err != nil {
		p.t.Fatal(err)
	}
	p.settle()
}

func (p *player) rename(name, to string, together []map[string]any) {
	p.t.Helper()
	r := hive.RenameRequest{Schedule: name, To: to, By: "ada"}
	for _, fields := range together {
		_, text := p.document(fields)
		r.Documents = append(r.Documents, text)
	}
	if _, err := p.catalog.Rename(p.t.Context(), r); err != nil {
		p.t.Fatalf("%s: rename %s: %v %+v", p.step, name, err, faultsOf(err))
	}
	p.settle()
}

func (p *player) cannotRename(name, to string) {
	p.t.Helper()
	_, err := p.catalog.Rename(p.t.Context(), hive.RenameRequest{Schedule: name, To: to, By: "ada"})
	if e, ok := errors.AsType[*hive.Error](err); !ok || e.Reason != hive.ErrorRenameNamed {
		p.t.Fatalf("%s: the rename of %s was not refused: %v", p.step, name, err)
	}
}

func (p *player) archive(name string, on bool) {
	p.t.Helper()
	_, err := p.catalog.SetArchived(p.t.Context(), hive.ArchiveRequest{
		Schedule: name, Archived: on, Confirmed: true, By: "ada",
	})
	if err != nil {
		p.t.Fatalf("%s: %v", p.step, err)
	}
	p.settle()
}

func (p *player) release(what string) {
	p.t.Helper()
	h, at := p.of(what)
	err := p.catalog.Release(p.t.Context(), hive.ReleaseRequest{
		Schedule: h.Name, Moment: at, By: "ada", Reason: "the file is there",
	})
	if err != nil {
		p.t.Fatalf("%s: %v", p.step, err)
	}
	p.settle()
}

// ledger compares the ledger of a schedule.
func (p *player) ledger(name string, want []string) {
	p.t.Helper()
	ticks, err := p.catalog.Ticks(p.t.Context(), name, time.Time{}, 500)
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Reverse(ticks)
	got := make([]string, len(ticks))
	for i := range ticks {
		got[i] = p.line(&ticks[i])
	}
	if !slices.Equal(got, want) {
		p.t.Fatalf("%s (%s): the ledger of %s is\n  %s\nwant\n  %s", p.step, p.written(p.now), name,
			strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// line is one row of the ledger: its moment, its decision, the rule unless it is usual, and what is missing.
func (p *player) line(t *hive.Tick) string {
	out := p.written(t.Moment) + " " + string(t.Decision)
	if t.Rule != "on_time" && t.Rule != "after" {
		out += " " + t.Rule
	}
	var missing []string
	for i := range t.Wait.Missing {
		m := &t.Wait.Missing[i]
		if m.Moment.IsZero() {
			missing = append(missing, fmt.Sprintf("%s %s", m.Schedule, m.State))
			continue
		}
		missing = append(missing, fmt.Sprintf("%s %s %s", m.Schedule, p.written(m.Moment), m.State))
	}
	if t.Wait.More > 0 {
		missing = append(missing, fmt.Sprintf("%d more", t.Wait.More))
	}
	if len(missing) > 0 {
		out += ": " + strings.Join(missing, ", ")
	}
	return out
}

// causes compares what let a batch start, in both directions.
func (p *player) causes(what string, want []string) {
	p.t.Helper()
	b := p.newest(what)
	causes, _, err := p.store.Causes(p.t.Context(), b.ID, 100)
	if err != nil {
		p.t.Fatal(err)
	}
	var got []string
	for _, c := range causes {
		got = append(got, c.Schedule+" "+p.written(c.Moment))
		_, effects, err := p.store.Causes(p.t.Context(), c.ID, 100)
		if err != nil || !slices.ContainsFunc(effects, func(e hive.BatchLink) bool { return e.ID == b.ID }) {
			p.t.Errorf("%s: batch %d is not linked back: %v %v", p.step, c.ID, effects, err)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		p.t.Fatalf("%s: %s was caused by %v, want %v", p.step, what, got, want)
	}
}
