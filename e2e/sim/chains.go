package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/chainrepair"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// This file lets people run a batch again and others after it. The drivers are the real ones, one on each server; the
// store follows the rules of package db. Which batches followed others is drawn at random.

// chain is a stored chain repair. Its steps have the ids of their commands.
type chain struct {
	hive.ChainRepair

	commands []int64 // by position; 0: none
}

func (s *server) newChainDriver(k *ticker) *chainrepair.Driver {
	return chainrepair.NewDriver(chainrepair.DriverConfig{
		Store: k, Server: func() hive.Server { return hive.Server{ID: s.name, Epoch: s.epoch} },
		Notify: func(batch int64) { s.post(func(time.Time) { s.keeper.CommandStored(batch) }) },
		Now:    s.wall, Graphs: new(document.Graphs), Log: s.w.log,
	})
}

// keepChains lets people make and cancel chain repairs.
func (p *people) keepChains() {
	w := p.w
	if !w.cfg.repairs || !w.chance(0.5) {
		return
	}
	for range 1 + w.rng.IntN(4) {
		w.after(w.between(w.cfg.storm/5, w.cfg.storm), p.chain)
	}
	if w.chance(0.3) {
		w.after(w.between(w.cfg.storm/5, w.cfg.storm), p.cancelChain)
	}
}

// chain makes a chain repair of some batches that have ended.
func (p *people) chain() {
	w, st := p.w, p.w.store
	var ended []int64
	for _, id := range slices.Sorted(maps.Keys(st.batches)) {
		if b := st.batches[id]; b.Hook == nil && !b.Live && len(st.pending(id)) == 0 && st.openChain(id) == 0 {
			ended = append(ended, id)
		}
	}
	if w.calm || len(ended) == 0 {
		return
	}
	w.rng.Shuffle(len(ended), func(i, j int) { ended[i], ended[j] = ended[j], ended[i] })
	r := &chain{ChainRepair: hive.ChainRepair{
		ID: st.draw("chain", 1), Batch: ended[0], State: hive.ChainRepairRunning, CreatedBy: "person",
	}}
	for i, id := range ended[:min(len(ended), 2+w.rng.IntN(3))] {
		b := st.batches[id]
		step := hive.ChainStep{
			Position: i, ScheduleID: b.ScheduleID, Schedule: b.Schedule, Moment: b.Moment, Batch: id,
			RevisionID: b.RevisionID, Fate: hive.StepRerun, Round: b.Round, Act: hive.StepWaiting,
		}
		for n := range i {
			if w.chance(0.6) {
				step.Needs = append(step.Needs, n)
			}
		}
		if i > 0 && len(step.Needs) == 0 {
			step.Needs = []int{0}
		}
		r.Steps, r.commands = append(r.Steps, step), append(r.commands, 0)
	}
	first := &r.Steps[0]
	text, err := json.Marshal(hive.PlanRequest{
		Action: hive.PlanRerun, Tasks: st.tasksOf(first.RevisionID), Round: first.Round,
	})
	if err != nil {
		w.failf("command", "%v", err)
	}
	first.Act = hive.StepSent
	r.commands[0] = st.addCommand(hive.Command{
		BatchID: first.Batch, Kind: hive.CommandRepair, Key: fmt.Sprintf("chain-repair:%d:0", r.ID), Payload: text,
		CreatedBy: "person", CreatedAt: milli(epoch.Add(w.now)),
	})
	st.chains[r.ID] = r
	if last := r.Steps[len(r.Steps)-1].Batch; w.chance(0.4) { // somebody else repairs one of them meanwhile
		w.after(w.between(0, time.Minute), func() {
			if st.batches[last] != nil && !w.calm {
				p.command(last, hive.CommandRepair, hive.PlanRequest{
					Action: hive.PlanRerun, Tasks: st.tasksOf(st.batches[last].RevisionID),
				})
			}
		})
	}
	w.stats.Chains++
	w.tracef("people", "chain repair %d of batches %v", r.ID, ended[:len(r.Steps)])
}

func (p *people) cancelChain() {
	for _, id := range slices.Sorted(maps.Keys(p.w.store.chains)) {
		if r := p.w.store.chains[id]; !r.State.Final() && !p.w.calm {
			r.State, r.ChangedBy = hive.ChainRepairCanceled, "person"
			p.w.tracef("people", "cancel chain repair %d", id)
			return
		}
	}
}

func (s *store) tasksOf(revision int64) (keys []string) {
	def := s.revs[revision].def
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			keys = append(keys, def.Jobs[j].Tasks[t].Key)
		}
	}
	return keys
}

// openChain returns the chain repair under way that has a batch; 0 for none.
func (s *store) openChain(batch int64) int64 {
	for id, r := range s.chains {
		if !r.State.Final() && slices.ContainsFunc(r.Steps, func(x hive.ChainStep) bool { return x.Batch == batch }) {
			return id
		}
	}
	return 0
}

// chainRepair reads a chain repair with the present state of its batches.
func (s *store) chainRepair(id int64) (hive.ChainRepair, error) {
	row := s.chains[id]
	if row == nil {
		return hive.ChainRepair{}, hive.Errorf(hive.CodeNotFound, "there is no chain repair %d", id)
	}
	r := row.ChainRepair
	r.Steps = slices.Clone(row.Steps)
	for i := range r.Steps {
		step := &r.Steps[i]
		if b := s.batches[step.Batch]; b != nil {
			step.State, step.Live, step.RoundNow = b.State, b.Live, b.Round
		}
		if c := s.commands[row.commands[i]]; c != nil {
			step.Command = c.State
			if c.State == hive.CommandRefused {
				step.Refusal = refusalOf(c.Answer)
			}
		}
		switch s.w.opt.Mutation {
		case MutateChain:
			step.State, step.Live = hive.BatchSucceeded, false
		case MutateRound:
			step.Round = step.RoundNow
		default:
		}
	}
	return r, nil
}

func refusalOf(answer []byte) *hive.Problem {
	var p hive.Problem
	if json.Unmarshal(answer, &p) != nil {
		return nil
	}
	return &p
}

// Revision implements chainrepair.DriverStore.
func (k *ticker) Revision(_ context.Context, id int64) (rev hive.Revision, err error) {
	err = k.query("revision", func() error {
		r := k.s.w.store.revs[id]
		if r == nil {
			return hive.Errorf(hive.CodeNotFound, "there is no revision %d", id)
		}
		rev = r.row
		return nil
	})
	return rev, err
}

// ActiveChainRepairs implements chainrepair.DriverStore.
func (k *ticker) ActiveChainRepairs(context.Context) (ids []int64, err error) {
	if len(k.s.w.store.chains) == 0 {
		return nil, nil // most worlds have none, and the question takes time
	}
	err = k.query("chain repairs", func() error {
		for _, id := range slices.Sorted(maps.Keys(k.s.w.store.chains)) {
			if !k.s.w.store.chains[id].State.Final() {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}

// ChainRepair implements chainrepair.DriverStore.
func (k *ticker) ChainRepair(_ context.Context, id int64) (r hive.ChainRepair, err error) {
	err = k.query("chain repair", func() (err error) { r, err = k.s.w.store.chainRepair(id); return err })
	return r, err
}

// DecideChainRepair implements chainrepair.DriverStore.
func (k *ticker) DecideChainRepair(_ context.Context, server hive.Server, id int64, _ time.Time,
	decide func(hive.ChainRepair) (hive.ChainRepairWrite, error),
) (commanded []int64, err error) {
	err = k.query("decide chain repair", func() (err error) {
		commanded, err = k.s.w.store.decideChain(server, id, decide)
		return err
	})
	if err != nil {
		return nil, err
	}
	return commanded, nil
}

func (s *store) decideChain(server hive.Server, id int64,
	decide func(hive.ChainRepair) (hive.ChainRepairWrite, error),
) (commanded []int64, err error) {
	if err := s.holds(server.ID, server.Epoch); err != nil {
		return nil, err
	}
	r, err := s.chainRepair(id)
	if err != nil {
		return nil, err
	}
	w, err := decide(r)
	if err != nil {
		return nil, err
	}
	row := s.chains[id]
	commands := slices.Clone(row.commands)
	for i := range w.Steps {
		x := &w.Steps[i]
		row.Steps[x.Position].Act = x.Act
		if x.Act == hive.StepSuperseded {
			s.w.stats.Superseded++
		}
		if x.Command != nil {
			s.checkSent(row, x)
			commands[x.Position] = s.addCommand(*x.Command)
			commanded = append(commanded, x.Command.BatchID)
			s.w.stats.ChainSteps++
			s.w.tracef("store", "chain repair %d sends command %d to batch %d", id, commands[x.Position],
				x.Command.BatchID)
		}
	}
	row.commands, row.State, row.StoppedBy = commands, w.State, w.StoppedBy
	return commanded, nil
}

// checkSent checks that a step begins once, in its order, and with a batch that nobody has repaired since.
func (s *store) checkSent(r *chain, x *hive.ChainStepWrite) {
	step := &r.Steps[x.Position]
	bad := func(why string) { s.w.failf("chain", "chain repair %d runs batch %d again: %s", r.ID, step.Batch, why) }
	b := s.batches[step.Batch]
	switch {
	case r.State.Final():
		bad("it has ended")
	case r.commands[x.Position] != 0:
		bad("for the second time")
	case b.Live:
		bad("it is live")
	case b.Round != step.Round:
		bad(fmt.Sprintf("it is in round %d, and was in %d", b.Round, step.Round))
	}
	for _, n := range step.Needs {
		if need := s.batches[r.Steps[n].Batch]; need.Live || need.State != hive.BatchSucceeded {
			bad(fmt.Sprintf("before batch %d has succeeded", need.ID))
		}
	}
}

// checkChainAnswer checks that the repair of a chain is applied to the round that it was made for.
func (s *store) checkChainAnswer(c *hive.Command, w *hive.BatchWrite, state hive.CommandState, before int) {
	for _, r := range s.chains {
		for i, id := range r.commands {
			step := &r.Steps[i]
			if id != c.ID || step.Batch != c.BatchID || state != hive.CommandApplied {
				continue
			}
			if before > step.Round || w.Batch == nil || w.Batch.To.Round < step.Round+1 {
				s.w.failf("chain", "chain repair %d is applied to batch %d in round %d, was made for round %d", r.ID,
					c.BatchID, before, step.Round)
			}
		}
	}
}

// checkChains checks, at rest, that no chain repair is stuck: what it still waits for has failed.
func (s *store) checkChains() {
	for _, id := range slices.Sorted(maps.Keys(s.chains)) {
		if r := s.chains[id]; r.State == hive.ChainRepairRunning {
			s.w.failf("chain", "chain repair %d is still running: %+v", id, r.Steps)
		}
	}
}
