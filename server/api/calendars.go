package api

import (
	"context"
	"strings"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListCalendars(ctx context.Context,
	_ stub.ListCalendarsRequestObject,
) (stub.ListCalendarsResponseObject, error) {
	list, err := h.Calendars.ListCalendars(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListCalendars200JSONResponse{Items: make([]model.CalendarSummary, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, calendarSummary(&list[i]))
	}
	return out, nil
}

func calendarSummary(v *hive.CalendarView) model.CalendarSummary {
	c := &v.Calendar
	return model.CalendarSummary{
		Name: c.Name, Title: v.Title, Description: v.Description, Weekend: append([]string{}, v.Weekend...),
		Revision: c.Revision, CreatedAt: wire.At(c.CreatedAt),
		UpdatedAt: wire.At(c.UpdatedAt), UpdatedBy: v.Revision.CreatedBy, FirstYear: v.FirstYear, LastYear: v.LastYear,
		Holidays: v.Holidays, Workdays: v.Workdays, UsedBy: append([]string{}, v.UsedBy...),
	}
}

func (h *handlers) GetCalendar(ctx context.Context,
	r stub.GetCalendarRequestObject,
) (stub.GetCalendarResponseObject, error) {
	v, err := h.Calendars.GetCalendar(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	s := calendarSummary(&v)
	return stub.GetCalendar200JSONResponse{
		Name: s.Name, Title: s.Title, Description: s.Description, Weekend: s.Weekend, Revision: s.Revision,
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, UpdatedBy: s.UpdatedBy,
		FirstYear: s.FirstYear, LastYear: s.LastYear, Holidays: s.Holidays, Workdays: s.Workdays, UsedBy: s.UsedBy,
		Document: v.Revision.Document, Hash: v.Revision.Hash, Definition: v.Definition,
	}, nil
}

func (h *handlers) ReadCalendarFile(ctx context.Context,
	r stub.ReadCalendarFileRequestObject,
) (stub.ReadCalendarFileResponseObject, error) {
	b := r.Body
	days, err := h.Calendars.ReadCalendarFile(ctx, hive.CalendarFile{
		Format: hive.CalendarFormat(b.Format), Text: []byte(b.Text), FirstYear: orZero(b.FirstYear),
		LastYear: orZero(b.LastYear),
	})
	if err != nil {
		return nil, err
	}
	return stub.ReadCalendarFile200JSONResponse{
		Holidays: calendarDays(days.Holidays), Workdays: calendarDays(days.Workdays), Left: days.Left,
		Faults: faults(days.Faults),
	}, nil
}

func calendarDays(list []hive.CalendarDays) []model.CalendarDays {
	out := make([]model.CalendarDays, len(list))
	for i, d := range list {
		out[i] = model.CalendarDays{Date: d.Date, From: d.From, To: d.To, Name: d.Name}
	}
	return out
}

func (h *handlers) PutCalendar(ctx context.Context,
	r stub.PutCalendarRequestObject,
) (stub.PutCalendarResponseObject, error) {
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
	s, err := h.Calendars.SaveCalendar(ctx, hive.SaveRequest{
		Name: r.Name, Document: doc, Base: base, Fresh: r.Params.Base != nil && base == 0,
		By: edge.Identity(ctx).User.Name, Note: note,
	})
	if err != nil {
		return nil, err
	}
	return stub.PutCalendar200JSONResponse{
		Name: s.Calendar.Name, Revision: s.Revision.Number, Hash: s.Revision.Hash, Changed: s.Changed,
		Faults: faults(s.Faults),
	}, nil
}

func (h *handlers) DeleteCalendar(ctx context.Context,
	r stub.DeleteCalendarRequestObject,
) (stub.DeleteCalendarResponseObject, error) {
	if err := h.Calendars.DeleteCalendar(ctx, r.Name); err != nil {
		return nil, err
	}
	return stub.DeleteCalendar204Response{}, nil
}

func (h *handlers) ExportCalendar(ctx context.Context,
	r stub.ExportCalendarRequestObject,
) (stub.ExportCalendarResponseObject, error) {
	number, err := positive("revision", r.Params.Revision)
	if err != nil {
		return nil, err
	}
	rev, err := h.Calendars.CalendarRevision(ctx, r.Name, number)
	if err != nil {
		return nil, err
	}
	return stub.ExportCalendar200ApplicationYamlResponse{
		Body: strings.NewReader(rev.Document), ContentLength: int64(len(rev.Document)),
		Headers: stub.ExportCalendar200ResponseHeaders{ETag: `"` + rev.Hash + `"`, XRevision: rev.Number},
	}, nil
}

func (h *handlers) ListCalendarRevisions(ctx context.Context,
	r stub.ListCalendarRevisionsRequestObject,
) (stub.ListCalendarRevisionsResponseObject, error) {
	list, err := h.Calendars.CalendarRevisions(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	out := stub.ListCalendarRevisions200JSONResponse{Items: make([]model.Revision, 0, len(list))}
	for i := range list {
		list[i].Document = ""
		out.Items = append(out.Items, calendarRevision(&list[i]))
	}
	return out, nil
}

func calendarRevision(r *hive.CalendarRevision) model.Revision {
	return model.Revision{
		Number: r.Number, Hash: r.Hash, CreatedAt: wire.At(r.CreatedAt), CreatedBy: r.CreatedBy, Document: r.Document,
		Note: r.Note,
	}
}

func (h *handlers) GetCalendarRevision(ctx context.Context,
	r stub.GetCalendarRevisionRequestObject,
) (stub.GetCalendarRevisionResponseObject, error) {
	if _, err := positive("number", &r.Number); err != nil {
		return nil, err
	}
	v, err := h.Calendars.CalendarRevision(ctx, r.Name, r.Number)
	if err != nil {
		return nil, err
	}
	out := calendarRevision(&v.CalendarRevision)
	out.Definition = v.Definition
	return stub.GetCalendarRevision200JSONResponse(out), nil
}
