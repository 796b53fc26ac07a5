package api

import (
	"context"
	"math"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// ReportBatches tells how batches went, by day and by schedule.
func (h *handlers) ReportBatches(
	ctx context.Context, r stub.ReportBatchesRequestObject,
) (stub.ReportBatchesResponseObject, error) {
	request, err := reportRequest(r.Params)
	if err != nil {
		return nil, err
	}
	got, err := h.Reports.Batches(ctx, request)
	if err != nil {
		return nil, err
	}
	out := stub.ReportBatches200JSONResponse{
		From: got.From, To: got.To, Since: got.Since, Total: reportGroup(&got.Total), More: got.More,
		Days:      make([]model.ReportDay, 0, len(got.Days)),
		Schedules: make([]model.ReportSchedule, 0, len(got.Schedules)),
	}
	for i := range got.Days {
		d := &got.Days[i]
		g := reportGroup(&d.ReportGroup)
		out.Days = append(out.Days, model.ReportDay{
			Day: d.Day, Queued: g.Queued, Running: g.Running, Succeeded: g.Succeeded, Failed: g.Failed,
			Canceled: g.Canceled, Deleted: g.Deleted, Late: g.Late, Took: g.Took, Wait: g.Wait,
		})
	}
	for i := range got.Schedules {
		s := &got.Schedules[i]
		g := reportGroup(&s.ReportGroup)
		out.Schedules = append(out.Schedules, model.ReportSchedule{
			Name: s.Name, Tags: s.Tags, Owners: s.Owners, Before: inSeconds(s.Before), After: inSeconds(s.After),
			Queued: g.Queued, Running: g.Running, Succeeded: g.Succeeded, Failed: g.Failed, Canceled: g.Canceled,
			Deleted: g.Deleted, Late: g.Late, Took: g.Took, Wait: g.Wait,
		})
	}
	return out, nil
}

// ReportTasks tells which tasks are slow, fail sometimes, or are waited for.
func (h *handlers) ReportTasks(
	ctx context.Context, r stub.ReportTasksRequestObject,
) (stub.ReportTasksResponseObject, error) {
	request, err := reportRequest(model.ReportBatchesParams(r.Params))
	if err != nil {
		return nil, err
	}
	got, err := h.Reports.Tasks(ctx, request)
	if err != nil {
		return nil, err
	}
	return stub.ReportTasks200JSONResponse{
		From: got.From, To: got.To, SampleSince: wire.At(got.SampleSince), Complete: got.Complete,
		Batches: got.Batches, Runs: got.Runs, Slowest: reportTasks(got.Slowest), Flakiest: reportTasks(got.Flakiest),
		WaitedFor: reportTasks(got.WaitedFor),
	}, nil
}

// ReportExecutors tells how the slots of executors were used.
func (h *handlers) ReportExecutors(
	ctx context.Context, r stub.ReportExecutorsRequestObject,
) (stub.ReportExecutorsResponseObject, error) {
	request, err := reportRequest(model.ReportBatchesParams(r.Params))
	if err != nil {
		return nil, err
	}
	got, err := h.Reports.Executors(ctx, request)
	if err != nil {
		return nil, err
	}
	out := stub.ReportExecutors200JSONResponse{
		From: got.From, To: got.To, SampleSince: wire.At(got.SampleSince), Complete: got.Complete,
		Attempts: got.Attempts, Step: model.ExecutorReportStepDay, Parts: make([]wire.Time, 0, len(got.Parts)),
		Executors: make([]model.ReportExecutor, 0, len(got.Executors)),
	}
	if got.Hourly {
		out.Step = model.ExecutorReportStepHour
	}
	for _, at := range got.Parts {
		out.Parts = append(out.Parts, wire.At(at))
	}
	for i := range got.Executors {
		e := &got.Executors[i]
		row := model.ReportExecutor{
			Name: e.Name, BusySeconds: inSeconds(e.Busy), Slots: make([]float64, 0, len(e.Slots)),
		}
		for _, v := range e.Slots {
			row.Slots = append(row.Slots, math.Round(v*1000)/1000)
		}
		out.Executors = append(out.Executors, row)
	}
	return out, nil
}

// reportRequest checks the parameters that all reports have.
func reportRequest(p model.ReportBatchesParams) (hive.ReportRequest, error) {
	r := hive.ReportRequest{
		From: orZero(p.From), To: orZero(p.To), Zone: orZero(p.Zone), Schedule: orZero(p.Schedule), Tag: orZero(p.Tag),
		Owner: orZero(p.Owner), BatchSelection: hive.BatchSelection{Executor: orZero(p.Executor), By: starter(p.By)},
	}
	var err error
	r.Params, err = paramFilters(p.Param)
	return r, err
}

func reportGroup(g *hive.ReportGroup) model.ReportGroup {
	return model.ReportGroup{
		Queued: g.Queued, Running: g.Running, Succeeded: g.Succeeded, Failed: g.Failed, Canceled: g.Canceled,
		Deleted: g.Deleted, Late: g.Late, Took: spread(g.Took), Wait: spread(g.Wait),
	}
}

func reportTasks(list []hive.ReportTask) []model.ReportTask {
	out := make([]model.ReportTask, 0, len(list))
	for i := range list {
		t := &list[i]
		out = append(out, model.ReportTask{
			Schedule: t.Schedule, Job: t.Job, Task: t.Task, Runs: t.Runs, Retried: t.Retried, Failed: t.Failed,
			Took: spread(t.Took), WaitedForSeconds: inSeconds(t.WaitedFor), Waits: t.Waits,
		})
	}
	return out
}

func spread(s hive.Spread) model.Spread {
	return model.Spread{Count: s.Count, Median: inSeconds(s.Median), P95: inSeconds(s.P95)}
}

// inSeconds returns a duration in seconds, exact to the millisecond.
func inSeconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
