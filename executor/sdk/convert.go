package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// millis converts milliseconds of the contract into a duration. A negative number becomes 0, and a number that is too
// large becomes the largest one that fits.
func millis(n int64) time.Duration {
	return time.Duration(min(max(n, 0), math.MaxInt64/int64(time.Millisecond)/2)) * time.Millisecond
}

// clean makes text from outside suitable for logs and messages.
func clean(s string) string { return cut(s, hivego.MAX_ERROR_BYTES) }

// cut is clean with another limit, in bytes.
func cut(s string, limit int) string {
	s = s[:min(len(s), limit)]
	s = strings.ToValidUTF8(s, "\ufffd")
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}

// callerIn converts the caller for the ledger.
func callerIn(c *hivego.Caller) ledger.Caller {
	return ledger.Caller{Server: c.GetServerId(), Epoch: c.GetEpoch(), Session: c.GetSession()}
}

// named is a struct of the contract that names an attempt.
type named interface {
	GetAttemptId() int64
	GetKey() string
}

// refOf returns the attempt that a struct of the contract names.
func refOf(x named) ledger.Ref {
	return ledger.Ref{ID: x.GetAttemptId(), Key: x.GetKey()}
}

// refsIn combines the ids and keys that a call has in two lists. Without keys, all keys are empty.
func refsIn(ids []int64, keys []string, idsName, keysName string) ([]ledger.Ref, error) {
	if keys != nil && len(keys) != len(ids) {
		text := fmt.Sprintf("%d %s with %d %s", len(ids), idsName, len(keys), keysName)
		return nil, &ledger.BadCallError{Message: text}
	}
	out := make([]ledger.Ref, len(ids))
	for i, id := range ids {
		out[i].ID = id
		if keys != nil {
			out[i].Key = keys[i]
		}
	}
	return out, nil
}

// about returns the names of a task's schedule, job and task, for people.
func (t *Task) about() ledger.About {
	const limit = 255 // many of them go into one answer
	return ledger.About{Batch: t.Batch, Schedule: cut(t.Schedule, limit), Task: cut(t.Name, limit)}
}

// task makes the task of an assignment, under the lease with that name. Its Attempt and Handler are set even with an
// error.
func (e *Executor) task(now ledger.Now, lease string, a *hivego.Assignment) (*Task, error) {
	id := refOf(a)
	t := &Task{
		Attempt: Ref(id), Handler: a.GetHandler(), Params: json.RawMessage(a.GetParamsJson()), Env: a.GetEnv(),
		Run: a.GetRunId(), Batch: a.GetBatchId(), Schedule: a.GetSchedule(), Job: a.GetJob(), Name: a.GetTask(),
		Number: int(a.GetNumber()), Round: int(a.GetRound()), Shard: int(a.GetShard()), Shards: int(a.GetShards()),
		Timeout: millis(a.GetTimeoutMillis()), Grace: millis(a.GetKillGraceMillis()), LogLimit: a.GetLogLimitBytes(),
		Lease: lease, Folder: e.folder(id), received: now.Wall,
	}
	if a.MomentMillis != nil {
		t.Moment = time.UnixMilli(a.GetMomentMillis()).UTC()
	}
	if t.Timeout > 0 {
		t.Deadline = now.Mono + t.Timeout
	}
	if id.ID <= 0 {
		return t, errors.New("an assignment without attemptId")
	}
	name := a.GetWorkspace()
	if name == "" {
		name = "adhoc"
	}
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "/\\\x00") {
		return t, fmt.Errorf("workspace %q is not the name of a folder", clean(name))
	}
	t.Workspace = filepath.Join(e.cfg.Data, "workspace", name)
	if len(t.Params) > 0 {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(t.Params, &object); err != nil {
			return t, fmt.Errorf("params are not a JSON object: %w", err)
		}
	}
	t.takeConnections(a.GetConnections())
	if err := t.fillSecrets(a.GetSecrets()); err != nil {
		return t, err
	}
	if a.GetValuesJson() != "" {
		d := json.NewDecoder(strings.NewReader(a.GetValuesJson()))
		d.UseNumber()
		if err := d.Decode(&t.Values); err != nil {
			return t, fmt.Errorf("values are not a JSON object: %w", err)
		}
	}
	return t, nil
}

// enum converts a name of the ledger into a number of the contract; read is the generated function that parses such
// names. It returns UNKNOWN for a name that the contract does not have.
func enum[W ~string, N any](read func(string) (N, error), word W) *N {
	n, _ := read(string(word))
	return &n
}

func loadOut(l ledger.Load) *hivego.Load {
	out := &hivego.Load{Slots: new(int32(l.Slots)), Running: new(int32(l.Running)), Draining: &l.Draining}
	if l.Why.Words != "" {
		out.Words = &l.Why.Words
	}
	out.Reason, out.Params = reasonOut(string(l.Why.Reason)), l.Why.Params
	return out
}

func infosOut(infos []Info, durables map[string]Durable) []*hivego.HandlerInfo {
	out := make([]*hivego.HandlerInfo, 0, len(infos))
	for _, i := range infos {
		survives := durables[i.Name] != nil
		out = append(out, &hivego.HandlerInfo{
			Name: &i.Name, Title: &i.Title, Description: &i.Description, ParamsSchema: &i.ParamsSchema,
			Survives: &survives,
		})
	}
	return out
}

func receiptsOut(list []ledger.Receipt) []*hivego.Receipt {
	out := make([]*hivego.Receipt, 0, len(list))
	for _, r := range list {
		x := &hivego.Receipt{
			AttemptId: &r.Attempt.ID, Key: &r.Attempt.Key, Code: enum(hivego.ReceiptCodeFromString, r.Code),
		}
		if r.Why.Words != "" {
			x.Words = &r.Why.Words
		}
		x.Reason, x.Params = reasonOut(string(r.Why.Reason)), r.Why.Params
		out = append(out, x)
	}
	return out
}

func reportsOut(list []ledger.Report) []*hivego.AttemptReport {
	out := make([]*hivego.AttemptReport, 0, len(list))
	for _, r := range list {
		x := &hivego.AttemptReport{
			AttemptId: &r.Attempt.ID, Key: &r.Attempt.Key, Outcome: outcomeOut(r.Outcome),
			State: enum(hivego.AttemptStateFromString, r.State),
		}
		if r.Handler != "" {
			x.Handler, x.BatchId, x.Schedule, x.Task = &r.Handler, &r.About.Batch, &r.About.Schedule, &r.About.Task
		}
		if r.StartedAt != 0 {
			x.StartedAtMillis = &r.StartedAt
		}
		out = append(out, x)
	}
	return out
}

func eventsOut(list []ledger.Event) []*hivego.Event {
	out := make([]*hivego.Event, 0, len(list))
	for _, v := range list {
		x := &hivego.Event{
			AttemptId: &v.Attempt.ID, Key: &v.Attempt.Key, Seq: &v.Seq, Outcome: outcomeOut(v.Outcome),
			Kind: enum(hivego.EventKindFromString, v.Kind),
		}
		if v.At != 0 {
			x.AtMillis = &v.At
		}
		if v.Kind == ledger.EventProgress {
			x.Progress = &v.Progress
		}
		out = append(out, x)
	}
	return out
}

func outcomeOut(o *ledger.Outcome) *hivego.Outcome {
	if o == nil {
		return nil
	}
	x := &hivego.Outcome{
		Kind: enum(hivego.OutcomeKindFromString, o.Kind), Outputs: o.Outputs,
		StartedAtMillis: &o.StartedAt, FinishedAtMillis: &o.FinishedAt, LogBytes: &o.LogBytes,
	}
	if o.ExitCode != nil {
		x.ExitCode = new(int32(*o.ExitCode))
	}
	if o.Error != "" {
		x.Error = &o.Error
	}
	if o.NoRetry {
		x.NoRetry = &o.NoRetry
	}
	x.Reason, x.Params = reasonOut(o.Reason), o.Params
	return x
}

// reasonOut returns a reason as the contract has it: left out for none.
func reasonOut(reason string) *string {
	if reason == "" {
		return nil
	}
	return &reason
}

// cleanText makes a text fit for logs and messages.
func cleanText(t message.Text) message.Text {
	t.Words = clean(t.Words)
	t.Params = maps.Clone(t.Params)
	size := 0
	for name, value := range t.Params {
		t.Params[name] = clean(value)
		size += len(name) + len(t.Params[name])
	}
	if size > hivego.MAX_ERROR_BYTES {
		t.Reason, t.Params = "", nil
	}
	return t
}
