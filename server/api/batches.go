package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) RunSchedule(ctx context.Context,
	r stub.RunScheduleRequestObject,
) (stub.RunScheduleResponseObject, error) {
	key, err := idempotencyKey(r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	v, err := h.Batches.Create(ctx, hive.RunRequest{
		Schedule: r.Name, Task: r.Body.Task, Params: r.Body.Params, At: r.Body.At.Time,
		By: edge.Identity(ctx).User.Name, Key: key,
	})
	if err != nil {
		return nil, err
	}
	return stub.RunSchedule201JSONResponse(batchView(&v)), nil
}

// maxKey is the greatest length of an idempotency key in characters.
const maxKey = 128

func idempotencyKey(given *string) (string, error) {
	if given == nil {
		return "", nil
	}
	key := *given
	printable := func(r rune) bool { return r > ' ' && r <= '~' }
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return !printable(r) }) {
		return "", hive.Errorf(hive.CodeInvalid,
			"Idempotency-Key must be 1 to %d printable ASCII characters; leave it out "+
				"if the call need not be safe to repeat", maxKey).
			WithReason(hive.ErrorKeyForm, "most", maxKey)
	}
	return key, nil
}

func (h *handlers) ListBatches(ctx context.Context,
	r stub.ListBatchesRequestObject,
) (stub.ListBatchesResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	f, err := (&batchQuery{r.Params}).filter(h.now())
	if err != nil {
		return nil, err
	}
	f.Limit = limit
	list, err := h.Batches.List(ctx, f)
	if err != nil {
		return nil, err
	}
	usual, err := h.Batches.Usual(ctx, list)
	if err != nil {
		return nil, err
	}
	out := stub.ListBatches200JSONResponse{Items: make([]model.BatchSummary, 0, len(list))}
	for i := range list {
		s := batchSummary(&list[i])
		s.UsualSeconds = seconds(usual[list[i].ScheduleID])
		out.Items = append(out.Items, s)
	}
	if len(list) == limit {
		out.Next = list[limit-1].ID
	}
	return out, nil
}

func (h *handlers) GetBatch(ctx context.Context, r stub.GetBatchRequestObject) (stub.GetBatchResponseObject, error) {
	v, err := h.Batches.View(ctx, r.ID, r.Params.Tasks == nil || *r.Params.Tasks)
	if err != nil {
		return nil, err
	}
	usual, err := h.Batches.Usual(ctx, []hive.Batch{v.Batch})
	if err != nil {
		return nil, err
	}
	causes, caused, err := h.Batches.Links(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := batchView(&v)
	out.UsualSeconds = seconds(usual[v.Batch.ScheduleID])
	out.CausedBy, out.Caused = batchLinks(causes), batchLinks(caused)
	return stub.GetBatch200JSONResponse(out), nil
}

// seconds returns a duration, or nil if it is unknown.
func seconds(d time.Duration) *float64 {
	if d <= 0 {
		return nil
	}
	return new(d.Seconds())
}

// counts returns the number of runs in each state.
func counts(c hive.Counts) model.Counts {
	out := make(model.Counts, len(c))
	for state, n := range c {
		out[string(state)] = n
	}
	return out
}

func (h *handlers) GetDefinition(ctx context.Context,
	r stub.GetDefinitionRequestObject,
) (stub.GetDefinitionResponseObject, error) {
	v, err := h.Batches.Definition(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return definition{
		text: v.Definition, revision: v.Number, tag: `"` + v.Hash + `"`,
		have: orZero(r.Params.IfNoneMatch),
	}, nil
}

// definition is a JSON document that browsers may cache, and must revalidate.
type definition struct {
	text      []byte
	revision  int64
	tag, have string
}

// VisitGetDefinitionResponse writes the document, or status 304 if the caller has it.
func (d definition) VisitGetDefinitionResponse(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	c.Set(fiber.HeaderETag, d.tag)
	c.Set("X-Revision", strconv.FormatInt(d.revision, 10))
	if strings.TrimPrefix(d.have, "W/") == d.tag {
		return c.SendStatus(http.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, edge.TypeJSON)
	return c.Send(d.text)
}

func batchSummary(b *hive.Batch) model.BatchSummary {
	return model.BatchSummary{
		ID: b.ID, Schedule: b.Schedule, Revision: b.Revision, Kind: model.BatchKind(b.Kind),
		State: model.BatchState(b.State),
		Wish:  model.Wish(b.Wish), Reason: string(b.Reason), Round: b.Round, Live: b.Live, Moment: wire.At(b.Moment),
		CreatedAt: wire.At(b.CreatedAt), CreatedBy: b.CreatedBy, StartedAt: wire.At(b.StartedAt),
		RoundAt:    wire.At(b.RoundAt),
		FinishedAt: wire.At(b.FinishedAt), PausedAt: wire.At(b.PausedAt), ClosedNote: b.ClosedNote,
		Backfill: b.Backfill, Counts: counts(b.Counts), Hook: hookEvent(b.Hook),
	}
}

// hookEvent returns the end that a batch of hooks follows; nil for all other batches.
func hookEvent(e *hive.HookEvent) *model.HookEvent {
	if e == nil {
		return nil
	}
	return &model.HookEvent{
		Batch: e.Batch, Round: e.Round, Scope: model.HookEventScope(e.Scope), Key: e.Key,
		State: model.HookEventState(e.State), Error: e.Error, Task: e.Task,
	}
}

func batchView(v *hive.BatchView) model.Batch {
	s := batchSummary(&v.Batch)
	out := model.Batch{
		ID: s.ID, Schedule: s.Schedule, Revision: s.Revision, Kind: s.Kind, State: s.State, Wish: s.Wish,
		Reason: s.Reason,
		Round:  s.Round, Live: s.Live, Moment: s.Moment, CreatedAt: s.CreatedAt, CreatedBy: s.CreatedBy,
		StartedAt: s.StartedAt,
		RoundAt:   s.RoundAt, FinishedAt: s.FinishedAt, PausedAt: s.PausedAt, ClosedNote: s.ClosedNote,
		Backfill: s.Backfill, Counts: s.Counts, Hook: s.Hook,
		Params: v.Batch.Params, Stuck: v.Stuck.Text,
	}
	if v.Stuck.Reason != nil {
		out.StuckReason = modelReason(v.Stuck.Reason)
	}
	if out.Params == nil {
		out.Params = map[string]any{}
	}
	runs := make([]*hive.RunView, len(v.Runs))
	for i := range v.Runs {
		runs[i] = &v.Runs[i]
	}
	out.Tasks = taskRuns(runs)
	for i := range v.Jobs {
		out.Jobs = append(out.Jobs, jobRollUp(&v.Jobs[i]))
	}
	return out
}

func jobRollUp(j *hive.JobView) model.JobRollUp {
	return model.JobRollUp{
		Key: j.Key, State: model.RunState(j.State), Counts: counts(j.Counts), Done: j.Done, Total: j.Total,
		Share: j.Share(), StartedAt: wire.At(j.StartedAt), FinishedAt: wire.At(j.FinishedAt), Seconds: seconds(j.Took),
	}
}

func (h *handlers) GetHistory(ctx context.Context,
	r stub.GetHistoryRequestObject,
) (stub.GetHistoryResponseObject, error) {
	list, err := h.Runs.History(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := stub.GetHistory200JSONResponse{Items: make([]model.PastRun, 0, len(list))}
	for _, p := range list {
		out.Items = append(out.Items, pastRun(&p))
	}
	return out, nil
}

func (h *handlers) ListAttempts(ctx context.Context,
	r stub.ListAttemptsRequestObject,
) (stub.ListAttemptsResponseObject, error) {
	list, err := h.Runs.Attempts(ctx, r.ID, orZero(r.Params.Task))
	if err != nil {
		return nil, err
	}
	out := stub.ListAttempts200JSONResponse{Items: make([]model.Attempt, 0, len(list))}
	for _, a := range list {
		one := attempt(&a)
		if r.Params.Task == nil {
			one.Params = nil // of thousands of attempts they would be megabytes
		}
		out.Items = append(out.Items, one)
	}
	return out, nil
}

func (h *handlers) ListUsualRuns(ctx context.Context,
	r stub.ListUsualRunsRequestObject,
) (stub.ListUsualRunsResponseObject, error) {
	list, err := h.Runs.UsualRuns(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := stub.ListUsualRuns200JSONResponse{Items: make([]model.UsualRun, 0, len(list))}
	for _, u := range list {
		out.Items = append(out.Items, model.UsualRun{
			Task: u.Task, Begin: u.Begin.Milliseconds(), Took: u.Took.Milliseconds(), Most: u.Most.Milliseconds(),
		})
	}
	return out, nil
}

func (h *handlers) ListSlotHolders(ctx context.Context,
	r stub.ListSlotHoldersRequestObject,
) (stub.ListSlotHoldersResponseObject, error) {
	in := hive.Span{From: orZero(r.Params.From).Time, To: orZero(r.Params.To).Time}
	found, err := h.Runs.SlotHolders(ctx, r.ID, r.Task, in)
	if err != nil {
		return nil, err
	}
	out := stub.ListSlotHolders200JSONResponse{Items: make([]model.SlotHolder, 0, len(found.List)), More: found.More}
	for _, b := range found.List {
		out.Items = append(out.Items, model.SlotHolder{
			Batch: b.Batch, Schedule: b.Schedule, Moment: wire.At(b.Moment), Tasks: b.Tasks, Seconds: b.Held.Seconds(),
		})
	}
	return out, nil
}

func (h *handlers) GetWhy(ctx context.Context, r stub.GetWhyRequestObject) (stub.GetWhyResponseObject, error) {
	w, err := h.Runs.Why(ctx, r.ID, r.Task)
	if err != nil {
		return nil, err
	}
	out := stub.GetWhy200JSONResponse{
		Batch: w.Batch, Task: w.Task, State: model.RunState(w.State), Code: model.WhyCode(w.Code), Words: w.Words,
		Since: wire.At(w.Since), Until: wire.At(w.Until), Slots: w.Slots,
	}
	for _, o := range w.On {
		out.On = append(out.On, model.WhyOn{Task: o.Task, State: model.RunState(o.State), Since: wire.At(o.Since)})
	}
	for _, s := range w.Holders {
		out.Holders = append(out.Holders, model.WhyHolder{
			Batch: s.Batch, Schedule: s.Schedule, Task: s.Task, Executor: s.Executor, Since: wire.At(s.Since),
		})
	}
	if w.Limit != nil {
		out.Limit = limitOf(w.Limit)
	}
	return out, nil
}
