package apitest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// List cuts the answer of the fake to the size of the page, and names the last schedule of the page as its end.
func (p schedules) List(_ context.Context, f hive.ScheduleFilter) (out hive.SchedulePage, err error) {
	if p.f.ListSchedulesF == nil {
		return out, missing()
	}
	out.Views, err = p.f.ListSchedulesF(f)
	out.Count, out.Total = len(out.Views), len(out.Views)
	if len(out.Views) > f.Limit {
		out.Views = out.Views[:f.Limit]
		out.Next = out.Views[f.Limit-1].Schedule.Name
	}
	return out, err
}

func (p schedules) Labels(context.Context) (tags, owners []string, err error) {
	return []string{"finance"}, []string{"ada"}, nil
}

func (p schedules) Get(_ context.Context, name string) (hive.ScheduleView, error) {
	if p.f.GetScheduleF == nil {
		return hive.ScheduleView{}, missing()
	}
	return p.f.GetScheduleF(name)
}

func (p schedules) Validate(_ context.Context, document []byte) (hive.Verdict, error) {
	if p.f.ValidateF == nil {
		return hive.Verdict{}, missing()
	}
	return p.f.ValidateF(document)
}

func (p schedules) Save(_ context.Context, r hive.SaveRequest) (hive.Saved, error) {
	if p.f.SaveF == nil {
		return hive.Saved{}, missing()
	}
	return p.f.SaveF(r)
}

func (p schedules) SetEnabled(_ context.Context, name string, on bool) error {
	if p.f.SetEnabledF == nil {
		return missing()
	}
	return p.f.SetEnabledF(name, on)
}

func (p archive) SetArchived(_ context.Context, r hive.ArchiveRequest) (hive.Schedule, error) {
	if p.f.SetArchivedF == nil {
		return hive.Schedule{}, missing()
	}
	return p.f.SetArchivedF(r)
}

func (p archive) Delete(_ context.Context, name, by string) (hive.Deletion, error) {
	if p.f.DeleteScheduleF == nil {
		return hive.Deletion{}, missing()
	}
	return p.f.DeleteScheduleF(name, by)
}

func (p archive) Deletions(_ context.Context, limit int) ([]hive.Deletion, error) {
	if p.f.DeletionsF == nil {
		return nil, missing()
	}
	return p.f.DeletionsF(limit)
}

func (p schedules) Release(_ context.Context, r hive.ReleaseRequest) error {
	if p.f.ReleaseF == nil {
		return missing()
	}
	return p.f.ReleaseF(r)
}

func (p revisions) Revisions(_ context.Context, name string) ([]hive.Revision, error) {
	if p.f.RevisionsF == nil {
		return nil, missing()
	}
	return p.f.RevisionsF(name)
}

func (p revisions) Revision(_ context.Context, name string, number int64) (hive.Revision, error) {
	if p.f.RevisionF == nil {
		return hive.Revision{}, missing()
	}
	return p.f.RevisionF(name, number)
}

func (p revisions) RevisionView(_ context.Context, name string, number int64) (hive.RevisionView, error) {
	if p.f.RevisionF == nil {
		return hive.RevisionView{}, missing()
	}
	r, err := p.f.RevisionF(name, number)
	return hive.RevisionView{Revision: r, Definition: json.RawMessage(`{"name":"warehouse"}`)}, err
}

func (p schedules) Ticks(_ context.Context, name string, before time.Time, limit int) ([]hive.Tick, error) {
	if p.f.TicksF == nil {
		return nil, missing()
	}
	return p.f.TicksF(name, before, limit)
}

func (p schedules) ForecastTicks(_ context.Context, r hive.TickForecastRequest) (hive.TickForecast, error) {
	if p.f.ForecastTicksF == nil {
		return hive.TickForecast{}, missing()
	}
	return p.f.ForecastTicksF(r)
}

func (p schedules) ForecastSlots(_ context.Context, r hive.SlotsRequest) (hive.SlotsForecast, error) {
	if p.f.ForecastSlotsF == nil {
		return hive.SlotsForecast{}, missing()
	}
	return p.f.ForecastSlotsF(r)
}

func (p schedules) Night(_ context.Context, r hive.NightRequest) (hive.Night, error) {
	if p.f.NightF == nil {
		return hive.Night{}, missing()
	}
	return p.f.NightF(r)
}

func (p schedules) Open(_ context.Context, before int64, limit int) (hive.OpenList, error) {
	if p.f.OpenF == nil {
		return hive.OpenList{}, missing()
	}
	return p.f.OpenF(before, limit)
}

func (p schedules) ForecastMonth(_ context.Context, r hive.MonthRequest) (hive.ForecastMonth, error) {
	if p.f.ForecastMonthF == nil {
		return hive.ForecastMonth{}, missing()
	}
	return p.f.ForecastMonthF(r)
}

func (p schedules) Chain(_ context.Context, r hive.ChainRequest) (hive.Chain, error) {
	if p.f.ChainF == nil {
		return hive.Chain{}, missing()
	}
	return p.f.ChainF(r)
}

func (p documents) Convert(_ context.Context, document []byte) (hive.Conversion, error) {
	if p.f.ConvertF == nil {
		return hive.Conversion{}, missing()
	}
	return p.f.ConvertF(document)
}

func (p documents) Forecast(_ context.Context, r hive.ForecastRequest) (hive.Forecast, error) {
	if p.f.ForecastF == nil {
		return hive.Forecast{}, missing()
	}
	return p.f.ForecastF(r)
}

func (p documents) Preview(_ context.Context, r hive.PreviewRequest) (hive.Preview, error) {
	if p.f.PreviewF == nil {
		return hive.Preview{}, missing()
	}
	return p.f.PreviewF(r)
}

func (p drafts) Drafts(_ context.Context, user int64) ([]hive.Draft, error) {
	if p.f.DraftsF == nil {
		return nil, missing()
	}
	return p.f.DraftsF(user)
}

func (p drafts) Draft(_ context.Context, user int64, name string) (hive.Draft, error) {
	if p.f.DraftF == nil {
		return hive.Draft{}, missing()
	}
	return p.f.DraftF(user, name)
}

func (p drafts) PutDraft(_ context.Context, d hive.Draft) (hive.Draft, error) {
	if p.f.PutDraftF == nil {
		return hive.Draft{}, missing()
	}
	return p.f.PutDraftF(d)
}

func (p drafts) DeleteDraft(_ context.Context, user int64, name string, version int64) error {
	if p.f.DeleteDraftF == nil {
		return missing()
	}
	return p.f.DeleteDraftF(user, name, version)
}
