package dispatch

import (
	"log/slog"

	"github.com/rprp/hivego/server/fleet"
)

// logNotes logs the notes of a fleet.
func logNotes(log *slog.Logger, notes []fleet.Note) {
	for _, n := range notes {
		switch n := n.(type) {
		case fleet.Stopping:
			log.Info("an executor stops", "executor", n.Executor, "running", n.Attempts)
		case fleet.NotAnswering:
			log.Warn("an executor does not answer", "executor", n.Executor, "call", n.Call, "error", n.Error)
		case fleet.Silent:
			log.Warn("an executor is silent", "executor", n.Executor, "since", n.Since)
		case fleet.Back:
			log.Info("an executor is back", "executor", n.Executor)
		case fleet.Described:
			log.Info("an executor says something new of itself", "executor", n.Executor, "handlers", n.Handlers,
				"slots", n.Slots)
		case fleet.TakenOver:
			log.Error("another server has taken over an attempt", "executor", n.Executor, "attempt", n.Attempt.ID)
		case fleet.Unreported:
			log.Error("an executor does not say what became of an attempt; it is lost", "executor", n.Executor,
				"attempt", n.Attempt.ID)
		case fleet.UnknownReceipt:
			log.Error("an executor gave a receipt that this server does not follow", "executor", n.Executor,
				"attempt", n.Attempt.ID, "receipt", n.Receipt.Code, "words", n.Receipt.Words.Text)
		case fleet.ImpossibleSession:
			log.Error("an executor refuses this server for a session that cannot be", "executor", n.Executor,
				"heard", n.Reported, "epoch", n.Epoch)
		case fleet.KillingUntracked:
			log.Warn("an executor runs an attempt that nobody waits for; it is killed", "executor", n.Executor,
				"attempt", n.Attempt.ID)
		}
	}
}
