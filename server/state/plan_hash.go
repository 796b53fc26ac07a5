package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/rprp/hivego/server/hive"
)

// hash returns a hash of the plan's rows, of their runs before the plan, and of the states of the tasks that they need.
// Other changes of the batch do not change the hash.
func (pl *planner) hash(plan *hive.Plan) string {
	b := make([]byte, 0, 64*(1+len(pl.changes)))
	b = fmt.Appendf(b, "%d %s %d %q\n", plan.BatchID, plan.Action, plan.RevisionID, pl.req.Tasks)
	needs := make([]bool, len(pl.g.Tasks))
	upTo := 0 // all tasks before this one are needed by some task without written needs
	for i := range pl.changes {
		c := &pl.changes[i]
		b = appendWords(b, c.row.Task, string(c.row.From), string(c.row.To), string(c.row.Why), c.row.Cause)
		b = appendNumbers(b, c.row.Number, boolInt(c.row.Kill))
		if c.row.Number >= 0 {
			r := &pl.m.runs[c.row.Number]
			b = appendNumbers(appendWords(b, string(r.Reason)), r.Round, r.Attempts)
		}
		b = append(b, '\n')
		if c.task < 0 {
			continue
		}
		task := &pl.g.Tasks[c.task]
		if task.Implicit {
			upTo = max(upTo, pl.g.Jobs[task.Job].First)
		}
		for _, d := range task.Needs {
			needs[d] = true
		}
	}
	for t := range needs {
		if n := pl.runOf[t]; n >= 0 && (needs[t] || t < upTo) {
			r := &pl.m.runs[n]
			state := r.State
			if derivedReady(r) {
				state = hive.RunWaiting
			}
			b = append(appendWords(b, r.Task, string(state), string(r.Reason)), '\n')
		}
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// appendWords appends texts, each ended by a byte that no text contains.
func appendWords(b []byte, values ...string) []byte {
	for _, v := range values {
		b = append(append(b, v...), ' ')
	}
	return b
}

func appendNumbers(b []byte, values ...int) []byte {
	for _, v := range values {
		b = append(strconv.AppendInt(b, int64(v), 10), ' ')
	}
	return b
}
