package sdk

import (
	"testing"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// The ledger has its own copies of the names and limits of the contract. Both must be equal.
func TestTheLedgerHasTheNamesOfTheContract(t *testing.T) {
	t.Parallel()
	sameWords(t, hivego.OutcomeKindFromString,
		ledger.Success, ledger.Failure, ledger.Timeout, ledger.Killed, ledger.Lost)
	sameWords(t, hivego.ReceiptCodeFromString, ledger.ReceiptStarted, ledger.ReceiptBusy, ledger.ReceiptDraining,
		ledger.ReceiptRefused, ledger.ReceiptStale, ledger.ReceiptForgotten)
	sameWords(t, hivego.AttemptStateFromString,
		ledger.AttemptForgotten, ledger.AttemptRunning, ledger.AttemptEnded, ledger.AttemptLost)
	sameWords(t, hivego.KillCodeFromString,
		ledger.KillKilling, ledger.KillEnded, ledger.KillForgotten, ledger.KillStale)
	sameWords(t, hivego.EventKindFromString, ledger.EventProgress, ledger.EventEnded)
	for name, limit := range map[string][2]int{
		"assignments": {ledger.MaxAssignments, hivego.MAX_ASSIGNMENTS},
		"events":      {ledger.MaxEvents, hivego.MAX_EVENTS},
		"session":     {ledger.MaxSession, hivego.MAX_SESSION_BYTES},
		"key":         {ledger.MaxKey, hivego.MAX_KEY_LENGTH},
		"answer":      {ledger.MaxAnswerBytes, hivego.MAX_FRAME_BYTES / 2},
	} {
		if limit[0] != limit[1] {
			t.Errorf("%s: the ledger's limit is %d, and the contract's is %d", name, limit[0], limit[1])
		}
	}
}

func sameWords[W ~string, N any](t *testing.T, read func(string) (N, error), words ...W) {
	t.Helper()
	for _, word := range words {
		if _, err := read(string(word)); err != nil {
			t.Errorf("%q: %v", word, err)
		}
	}
}
