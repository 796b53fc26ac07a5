package session

import (
	"encoding/json"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// readCommands reads the pending commands of a batch, or of all batches of this server if batch is 0.
type readCommands struct{ batch int64 }

func (s readCommands) run(k *Keeper, now time.Time) {
	k.ask(ReadCommands{Batch: s.batch, origin: k.origin(now, readWithin)})
}

// CommandsRead handles the answer of ReadCommands. If the read failed, the next sweep finds the commands.
func (k *Keeper) CommandsRead(r ReadCommands, commands []hive.Command, err error) {
	if !k.answered(r.origin) {
		return
	}
	if err != nil && !k.loader.readFailed {
		k.note(LevelError, "commands cannot be read", "error", err)
	}
	if k.loader.readFailed = err != nil; err != nil {
		return
	}
	steps := make([]step, 0, len(commands))
	for i := range commands {
		steps = append(steps, readRevision{commands[i]})
	}
	k.loader.next(steps...)
}

// readRevision reads the revision that a repair command names, if it names one.
type readRevision struct{ command hive.Command }

func (s readRevision) run(k *Keeper, now time.Time) {
	var repair hive.PlanRequest
	if s.command.Kind != hive.CommandRepair || json.Unmarshal(s.command.Payload, &repair) != nil ||
		repair.RevisionID == 0 {
		k.loader.next(findBatch{command: s.command})
		return
	}
	k.ask(ReadRevision{ID: repair.RevisionID, command: s.command, origin: k.origin(now, readWithin)})
}

// RevisionRead handles the answer of ReadRevision. If the revision does not exist or cannot be understood, the command
// is refused.
func (k *Keeper) RevisionRead(r ReadRevision, rev Revision, err error) {
	if !k.answered(r.origin) {
		return
	}
	switch {
	case err != nil && hive.CodeOf(err) == hive.CodeInternal: // the store's fault, not the command's
		k.note(LevelError, "the revision of a repair cannot be read", "command", r.command.ID, "error", err)
	case err != nil:
		k.loader.next(findBatch{command: r.command, refusal: err})
	case rev.Unreadable != nil:
		k.note(LevelError, "a stored revision is not understood", "revision", rev.Row.ID, "error", rev.Unreadable)
		refusal := hive.Errorf(hive.CodeConflict, "revision %d cannot be read any more; save the schedule again",
			rev.Row.Number).
			WithReason(hive.ErrorUnreadable, "revision", rev.Row.Number)
		k.loader.next(findBatch{command: r.command, refusal: refusal})
	default:
		k.loader.next(findBatch{command: r.command, graph: rev.Graph, revision: rev.Row})
	}
}

// findBatch handles a command; it loads the command's batch first if it is not in memory. A command for a stuck batch
// stays in the store, where a later sweep finds it.
type findBatch struct {
	command  hive.Command
	refusal  error        // nil: the command is handled
	graph    *graph.Graph // of the revision that the command names, if it names one
	revision hive.Revision
}

func (s findBatch) run(k *Keeper, now time.Time) {
	switch batch := s.command.BatchID; {
	case k.stuck.has(batch):
	case k.owner.Has(batch):
		handleCommand(s).run(k, now)
	default:
		k.loader.next(readBatches{ids: []int64{batch}}, handleCommand(s))
	}
}

// handleCommand gives a command to the owner.
type handleCommand findBatch

func (s handleCommand) run(k *Keeper, now time.Time) {
	if s.refusal != nil {
		k.owner.RefuseCommand(now, s.command, s.refusal)
		return
	}
	k.owner.HandleCommand(now, s.command, s.graph, s.revision)
}
