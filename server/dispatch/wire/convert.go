package wire

import (
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// errorOr returns the error of an outcome, or otherwise if it has none.
func errorOr(o *hivego.Outcome, otherwise func() hive.Sentence) hive.Sentence {
	if o == nil || o.GetError() == "" {
		return otherwise()
	}
	return sentenceOf(o.GetError(), o)
}

// sentenceOf reads a text of an executor. It drops a reason that breaks the contract.
func sentenceOf(words string, reason interface {
	GetReason() string
	GetParams() map[string]string
},
) hive.Sentence {
	s, size := hive.Plain(words), 0
	for name, value := range reason.GetParams() {
		size += len(name) + len(value)
	}
	if words != "" && IsName(reason.GetReason(), hivego.MAX_NAME_BYTES) && size <= hivego.MAX_ERROR_BYTES {
		s.Reason = &hive.TextReason{Code: hive.SentenceReason(reason.GetReason()), Params: reason.GetParams()}
	}
	return s
}

// lostUnsaid returns the error for a lost attempt if the executor names no cause.
func lostUnsaid() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostUnsaid, "the executor told it as lost, without saying why")
}

// unknownEnd returns the error of an attempt with an outcome that is newer than this server.
func unknownEnd() hive.Sentence {
	return hive.NewSentence(hive.SentenceUnknownEnd, "the executor ended it in a way that this server does not know")
}

// idsAndKeys returns the ids and the keys of attempts, as the contract lists them.
func idsAndKeys(refs []hive.AttemptRef) (ids []int64, keys []string) {
	for _, r := range refs {
		ids, keys = append(ids, r.ID), append(keys, r.Key)
	}
	return ids, keys
}

func loadOf(l *hivego.Load) *fleet.Load {
	if l == nil {
		return nil
	}
	return &fleet.Load{
		Running: int(l.GetRunning()), Draining: l.GetDraining(),
		DrainReason: sentenceOf(l.GetWords(), l).Clean(maxErrorInLog),
	}
}

// reports reads the reports of the attempts that an attach named. It ignores a line with an unknown state.
func reports(in []*hivego.AttemptReport) []fleet.Report {
	out := make([]fleet.Report, 0, len(in))
	for _, r := range in {
		ref, ok := refOf(r)
		state := stateOf(r.GetState())
		if !ok || state == "" {
			continue
		}
		report := fleet.Report{Attempt: ref, State: state}
		if state == fleet.AttemptLost {
			report.Words = errorOr(r.GetOutcome(), lostUnsaid)
		}
		out = append(out, report)
	}
	return out
}

func stateOf(s hivego.AttemptState) fleet.AttemptState {
	switch s {
	case hivego.AttemptState_RUNNING:
		return fleet.AttemptRunning
	case hivego.AttemptState_ENDED:
		return fleet.AttemptEnded
	case hivego.AttemptState_LOST:
		return fleet.AttemptLost
	case hivego.AttemptState_FORGOTTEN:
		return fleet.AttemptForgotten
	default:
		return ""
	}
}

// others reads the attempts that an attach did not name.
func others(in []*hivego.AttemptReport) []fleet.OtherAttempt {
	out := make([]fleet.OtherAttempt, 0, len(in))
	for _, r := range in {
		ref, ok := refOf(r)
		state := stateOf(r.GetState())
		if !ok || state == "" {
			continue
		}
		out = append(out, fleet.OtherAttempt{
			Attempt: ref, Running: state == fleet.AttemptRunning, BatchID: r.GetBatchId(),
			Schedule: hive.Clean(r.GetSchedule(), hivego.MAX_LABEL_BYTES),
			Task:     hive.Clean(r.GetTask(), hivego.MAX_LABEL_BYTES),
		})
	}
	return out
}

// refOf returns the attempt of a line of an answer; false if no server made its key, so that the line is ignored.
func refOf(line interface {
	GetAttemptId() int64
	GetKey() string
},
) (hive.AttemptRef, bool) {
	ref := hive.AttemptRef{ID: line.GetAttemptId(), Key: line.GetKey()}
	return ref, ref.Valid()
}

// codeOf returns "" for an unknown code.
func codeOf(c hivego.ReceiptCode) fleet.ReceiptCode {
	switch c {
	case hivego.ReceiptCode_STARTED:
		return fleet.ReceiptStarted
	case hivego.ReceiptCode_BUSY:
		return fleet.ReceiptBusy
	case hivego.ReceiptCode_DRAINING:
		return fleet.ReceiptDraining
	case hivego.ReceiptCode_REFUSED:
		return fleet.ReceiptRefused
	case hivego.ReceiptCode_STALE:
		return fleet.ReceiptStale
	case hivego.ReceiptCode_FORGOTTEN:
		return fleet.ReceiptForgotten
	default:
		return ""
	}
}

// Secret is a secret of an assignment: the text that stands in its params in place of a mark, and the value to mask.
type Secret struct{ Mark, Text, Value string }

// String hides the secret from whoever prints it.
func (s Secret) String() string { return s.Mark }

// GoString hides the secret from whoever prints it.
func (s Secret) GoString() string { return s.Mark }

// MarshalText hides the secret from whoever writes it as JSON, such as a log.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.Mark), nil }

// Confidential is the part of an assignment that exists for one call only.
type Confidential struct {
	Secrets     []Secret
	Connections []hive.Connection
}

// Confidentials are the confidential parts of the assignments of a call.
type Confidentials map[hive.AttemptRef]Confidential

func wireConnections(list []hive.Connection) []*hivego.Connection {
	var out []*hivego.Connection // nil leaves the field out
	for i := range list {
		c := &list[i]
		w := &hivego.Connection{Name: &c.Name}
		if c.Refusal.Text != "" {
			w.Refusal = &c.Refusal.Text
			if r := c.Refusal.Reason; r != nil {
				w.Reason, w.Params = new(string(r.Code)), r.Params
			}
			out = append(out, w)
			continue
		}
		port := int32(c.Port)
		w.Type, w.Host, w.Port, w.Database, w.User = &c.Type, &c.Host, &port, &c.Database, &c.User
		w.Password, w.Options = &c.Password, c.Options
		out = append(out, w)
	}
	return out
}

func wireAssignment(a *hive.Assignment, part Confidential) *hivego.Assignment {
	secrets := part.Secrets
	params, values := string(a.Params), string(a.Values)
	number, round := int32(a.Number), int32(a.Round)
	timeout, grace, moment := a.Timeout.Milliseconds(), a.KillGrace.Milliseconds(), a.Moment.UnixMilli()
	var texts []*hivego.SecretText // nil leaves the field out
	if len(secrets) > 0 {
		texts = make([]*hivego.SecretText, 0, len(secrets))
	}
	for i := range secrets {
		s := &secrets[i]
		texts = append(texts, &hivego.SecretText{Mark: &s.Mark, Text: &s.Text, Value: &s.Value})
	}
	out := &hivego.Assignment{
		AttemptId: &a.Attempt, Key: &a.Key, Handler: &a.Handler, ParamsJson: &params, Env: a.Env, ValuesJson: &values,
		RunId: &a.RunID, BatchId: &a.BatchID, Schedule: &a.Schedule, Job: &a.Job, Task: &a.Task, Number: &number,
		Round: &round, TimeoutMillis: &timeout, KillGraceMillis: &grace, MomentMillis: &moment, Workspace: &a.Workspace,
		Secrets: texts, Connections: wireConnections(part.Connections),
	}
	if a.Shard != nil {
		index, total := int32(a.Shard.Index), int32(a.Shard.Total)
		out.Shard, out.Shards = &index, &total
	}
	return out
}

// eventOf reads an event; false if its kind is unknown, or if no server made its key.
func eventOf(ev *hivego.Event) (hive.AttemptEvent, bool) {
	ref, ok := refOf(ev)
	if !ok {
		return hive.AttemptEvent{}, false
	}
	e := hive.AttemptEvent{Attempt: ref.ID, Key: ref.Key, Seq: ev.GetSeq(), At: timeOf(ev.GetAtMillis())}
	switch ev.GetKind() {
	case hivego.EventKind_STARTED:
		e.Kind = hive.EventStarted
	case hivego.EventKind_PROGRESS:
		e.Kind, e.Progress = hive.EventProgress, min(max(ev.GetProgress(), 0), 1)
	case hivego.EventKind_ENDED:
		e.Kind = hive.EventEnded
		readOutcome(&e, ev.GetOutcome())
	default:
		return e, false
	}
	return e, true
}

func readOutcome(e *hive.AttemptEvent, o *hivego.Outcome) {
	if o == nil {
		o = &hivego.Outcome{}
	}
	e.Words, e.Outputs, e.LogBytes = sentenceOf(o.GetError(), o), o.GetOutputs(), o.GetLogBytes()
	e.StartedAt, e.FinishedAt = timeOf(o.GetStartedAtMillis()), timeOf(o.GetFinishedAtMillis())
	e.NoLog = o.IsSetLogBytes() && e.LogBytes == 0
	e.NoRetry = o.GetNoRetry()
	if o.IsSetExitCode() {
		code := int(o.GetExitCode())
		e.ExitCode = &code
	}
	switch o.GetKind() {
	case hivego.OutcomeKind_SUCCESS:
		e.Outcome = hive.OutcomeSuccess
	case hivego.OutcomeKind_TIMEOUT:
		e.Outcome = hive.OutcomeTimeout
	case hivego.OutcomeKind_KILLED:
		e.Outcome = hive.OutcomeKilled
	case hivego.OutcomeKind_LOST:
		e.Kind = hive.EventLost
		e.Words = errorOr(o, lostUnsaid)
	case hivego.OutcomeKind_FAILURE:
		e.Outcome = hive.OutcomeFailure
	default: // newer than this server, so not known as a success
		e.Outcome = hive.OutcomeFailure
		e.Words = errorOr(o, unknownEnd)
	}
}

// timeOf converts milliseconds of the contract; 0 is no time.
func timeOf(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
