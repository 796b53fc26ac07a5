package api

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ValidateDocument(
	ctx context.Context, r stub.ValidateDocumentRequestObject,
) (stub.ValidateDocumentResponseObject, error) {
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	v, err := h.Schedules.Validate(ctx, doc)
	if err != nil {
		return nil, err
	}
	return stub.ValidateDocument200JSONResponse{
		Valid: v.Valid, Name: v.Name, Canonical: v.Canonical, Hash: v.Hash, Faults: faults(v.Faults),
	}, nil
}

// document returns a copy of the body of a request, which may be YAML or JSON.
func document(yaml io.Reader, json *[]byte) ([]byte, error) {
	if json != nil {
		return *json, nil
	}
	doc, err := io.ReadAll(yaml)
	if err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	return doc, nil
}

func (h *handlers) ListSchedules(ctx context.Context,
	r stub.ListSchedulesRequestObject,
) (stub.ListSchedulesResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	p := &r.Params
	f := hive.ScheduleFilter{
		After: orZero(p.After), Limit: limit, Archived: orZero(p.Archived), Query: orZero(p.Q), Find: orZero(p.Find),
		Tag: orZero(p.Tag), Owner: orZero(p.Owner), Show: hive.ScheduleShow(orZero(p.Show)),
		Order: hive.ScheduleOrder(orZero(p.Sort)), Descending: orZero(p.Desc),
	}
	f.Count = f.After == "" && f.Query == ""
	page, err := h.Schedules.List(ctx, f)
	if err != nil {
		return nil, err
	}
	out := stub.ListSchedules200JSONResponse{Items: make([]model.ScheduleSummary, 0, len(page.Views)), Next: page.Next}
	if f.Count {
		out.Count, out.Total = &page.Count, &page.Total
	}
	for i := range page.Views {
		out.Items = append(out.Items, scheduleSummary(&page.Views[i]))
	}
	return out, nil
}

func (h *handlers) ListScheduleLabels(ctx context.Context,
	_ stub.ListScheduleLabelsRequestObject,
) (stub.ListScheduleLabelsResponseObject, error) {
	tags, owners, err := h.Schedules.Labels(ctx)
	if err != nil {
		return nil, err
	}
	return stub.ListScheduleLabels200JSONResponse{
		Tags: append([]string{}, tags...), Owners: append([]string{}, owners...),
	}, nil
}

func scheduleSummary(v *hive.ScheduleView) model.ScheduleSummary {
	s := &v.Schedule
	out := model.ScheduleSummary{
		Name: s.Name, Title: v.Title, Tags: v.Tags, Owners: v.Owners, Enabled: s.Enabled, Revision: s.Revision,
		CreatedAt: wire.At(s.CreatedAt), UpdatedAt: wire.At(s.UpdatedAt), DecidedUntil: wire.At(s.Mark),
		Timezone: v.Timezone, Triggers: v.Triggers, Tasks: v.Tasks, UsualSeconds: seconds(v.Usual),
		Open: v.Open, Recent: make([]model.RecentBatch, 0, len(v.Recent)),
	}
	out.Finished = model.ScheduleSummaryFinished(v.Finished)
	out.ArchivedAt, out.ArchivedBy, out.Deleting = wire.At(s.ArchivedAt), s.ArchivedBy, s.Deleting
	out.WaitsForArchived = v.WaitsForArchived
	for i := range v.Recent {
		out.Recent = append(out.Recent, recentBatch(&v.Recent[i]))
	}
	for _, t := range v.NextAt {
		out.NextAt = append(out.NextAt, wire.At(t))
	}
	return out
}

func recentBatch(b *hive.Batch) model.RecentBatch {
	return model.RecentBatch{
		ID: b.ID, State: model.BatchState(b.State), Kind: model.BatchKind(b.Kind), Wish: model.Wish(b.Wish),
		Round:  b.Round,
		Moment: wire.At(b.Moment), StartedAt: wire.At(b.RoundAt), FinishedAt: wire.At(b.FinishedAt),
		Closed: b.ClosedNote != "", Counts: counts(b.Counts),
	}
}

func (h *handlers) GetSchedule(ctx context.Context,
	r stub.GetScheduleRequestObject,
) (stub.GetScheduleResponseObject, error) {
	v, err := h.Schedules.Get(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	s := scheduleSummary(&v)
	return stub.GetSchedule200JSONResponse{
		Name: s.Name, Title: s.Title, Enabled: s.Enabled, Revision: s.Revision,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, DecidedUntil: s.DecidedUntil, NextAt: s.NextAt,
		Timezone: s.Timezone, Triggers: s.Triggers, Tasks: s.Tasks, Recent: s.Recent, UsualSeconds: s.UsualSeconds,
		Finished:   model.ScheduleFinished(s.Finished),
		ArchivedAt: s.ArchivedAt, ArchivedBy: s.ArchivedBy, Deleting: s.Deleting, WaitsForArchived: s.WaitsForArchived,
		FormerNames: v.Schedule.Former,
		Document:    v.Revision.Document, Hash: v.Revision.Hash, Definition: v.Definition,
	}, nil
}

func (h *handlers) PutSchedule(ctx context.Context,
	r stub.PutScheduleRequestObject,
) (stub.PutScheduleResponseObject, error) {
	base, err := atLeast("base", r.Params.Base, 0)
	if err != nil {
		return nil, err
	}
	note, err := revisionNote(orZero(r.Params.Note))
	if err != nil {
		return nil, err
	}
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	s, err := h.Schedules.Save(ctx, hive.SaveRequest{
		Name: r.Name, Document: doc, Base: base, Fresh: r.Params.Base != nil && base == 0,
		By: edge.Identity(ctx).User.Name, Note: note,
	})
	if err != nil {
		return nil, err
	}
	return stub.PutSchedule200JSONResponse{
		Name: s.Schedule.Name, Revision: s.Revision.Number, Hash: s.Revision.Hash, Changed: s.Changed,
		Faults: faults(s.Faults),
	}, nil
}

// maxRevisionNote is the greatest length of the note of a revision in characters.
const maxRevisionNote = 200

// revisionNote checks the note of a revision, which is one line.
func revisionNote(note string) (string, error) {
	words := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(note, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}), " ")
	if utf8.RuneCountInString(words) > maxRevisionNote {
		return "", hive.Errorf(hive.CodeInvalid, "note may have at most %d characters", maxRevisionNote).
			WithReason(hive.ErrorLong, "name", "note", "most", maxRevisionNote)
	}
	return words, nil
}

func (h *handlers) SetEnabled(ctx context.Context,
	r stub.SetEnabledRequestObject,
) (stub.SetEnabledResponseObject, error) {
	if err := h.Schedules.SetEnabled(ctx, r.Name, r.Body.Enabled); err != nil {
		return nil, err
	}
	return stub.SetEnabled200JSONResponse{Enabled: r.Body.Enabled}, nil
}

func (h *handlers) ExportSchedule(ctx context.Context,
	r stub.ExportScheduleRequestObject,
) (stub.ExportScheduleResponseObject, error) {
	number, err := positive("revision", r.Params.Revision)
	if err != nil {
		return nil, err
	}
	rev, err := h.Revisions.Revision(ctx, r.Name, number)
	if err != nil {
		return nil, err
	}
	return stub.ExportSchedule200ApplicationYamlResponse{
		Body: strings.NewReader(rev.Document), ContentLength: int64(len(rev.Document)),
		Headers: stub.ExportSchedule200ResponseHeaders{ETag: `"` + rev.Hash + `"`, XRevision: rev.Number},
	}, nil
}

func (h *handlers) ListRevisions(ctx context.Context,
	r stub.ListRevisionsRequestObject,
) (stub.ListRevisionsResponseObject, error) {
	list, err := h.Revisions.Revisions(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hive.Revision) int { return int(b.Number - a.Number) })
	out := stub.ListRevisions200JSONResponse{Items: make([]model.Revision, 0, len(list))}
	for i := range list {
		list[i].Document = ""
		out.Items = append(out.Items, revision(&list[i]))
	}
	return out, nil
}

func revision(r *hive.Revision) model.Revision {
	return model.Revision{
		Number: r.Number, Hash: r.Hash, CreatedAt: wire.At(r.CreatedAt), CreatedBy: r.CreatedBy, Document: r.Document,
		Note: r.Note, RenamedFrom: r.RenamedFrom,
	}
}

func (h *handlers) GetRevision(ctx context.Context,
	r stub.GetRevisionRequestObject,
) (stub.GetRevisionResponseObject, error) {
	if _, err := positive("number", &r.Number); err != nil {
		return nil, err
	}
	v, err := h.Revisions.RevisionView(ctx, r.Name, r.Number)
	if err != nil {
		return nil, err
	}
	out := revision(&v.Revision)
	out.Definition = v.Definition
	return stub.GetRevision200JSONResponse(out), nil
}

func (h *handlers) ListTicks(ctx context.Context, r stub.ListTicksRequestObject) (stub.ListTicksResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	since, until, err := h.times(r.Params.Since, r.Params.Until)
	if err != nil {
		return nil, err
	}
	before := orZero(r.Params.Before).Time
	if before.IsZero() || !until.IsZero() && until.Before(before) {
		before = until
	}
	list, err := h.Schedules.Ticks(ctx, r.Name, before, limit+1)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(list, func(t hive.Tick) bool { return t.Moment.Before(since) }); i >= 0 {
		list = list[:i] // the latest moment comes first
	}
	out := stub.ListTicks200JSONResponse{Items: []model.Tick{}}
	if len(list) > limit {
		list = list[:limit]
		out.Next = list[limit-1].Moment.UTC().Format(time.RFC3339Nano)
	}
	for i := range list {
		out.Items = append(out.Items, tick(&list[i]))
	}
	return out, nil
}
