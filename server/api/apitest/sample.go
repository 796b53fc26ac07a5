package apitest

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// T0 is the time of all samples.
var T0 = time.Date(2026, 5, 1, 3, 20, 0, 123_000_000, time.UTC) //nolint:gochecknoglobals // a constant, if Go had it

// Document is the text of the sample schedule.
const Document = "apiVersion: hivego/v1\nkind: Schedule\nname: warehouse\njobs: []\n"

// Sample returns a server with one schedule, one failed batch 7 and one executor; every call is answered.
func Sample() *Fakes {
	view := SampleBatch()
	schedule := sampleSchedule(&view.Batch)
	attempt := hive.AttemptView{Task: "b", Attempt: hive.Attempt{
		ID: 42, BatchID: 7, RunID: 2, Number: 1, Round: 1, Executor: "x1", ExecutorName: "embedded",
		State: hive.AttemptEnded, Outcome: hive.OutcomeFailure, ExitCode: new(3), Error: "exit status 3",
		OfferedAt: T0, StartedAt: T0, FinishedAt: T0, LogBytes: 12, Notes: []string{"busy"},
	}}
	executor := sampleExecutor()
	applied := SampleCommand()
	f := &Fakes{
		InfoF: func() hive.ServerInfo {
			return hive.ServerInfo{
				Cluster: "c1",
				Server:  hive.Server{ID: "s1", Epoch: 4, Version: "1.0", StartedAt: T0},
			}
		},
		ReadyF: func() []hive.Check {
			return []hive.Check{{Name: "database"}, {Name: "session", Err: errors.New("secret")}}
		},
		AlarmsF: sampleAlarms,
		TokensF: func(int64) ([]hive.Token, error) {
			return []hive.Token{{ID: 10, Name: "ci", Hash: "never", CreatedAt: T0}}, nil
		},
		CreateTokenF: func(t hive.Token) (hive.Token, string, error) { t.ID = 11; return t, "hgo_new", nil },
		DeleteTokenF: func(int64, int64) error { return nil },
		ListSchedulesF: func(hive.ScheduleFilter) ([]hive.ScheduleView, error) {
			return []hive.ScheduleView{schedule}, nil
		},
		GetScheduleF: func(string) (hive.ScheduleView, error) { return schedule, nil },
		ValidateF: func([]byte) (hive.Verdict, error) {
			return hive.Verdict{Valid: true, Name: "warehouse", Canonical: Document, Hash: "abc"}, nil
		},
		SaveF: func(hive.SaveRequest) (hive.Saved, error) {
			return hive.Saved{Schedule: schedule.Schedule, Revision: schedule.Revision, Changed: true}, nil
		},
		SetEnabledF: func(string, bool) error { return nil },
		RevisionsF:  func(string) ([]hive.Revision, error) { return []hive.Revision{schedule.Revision}, nil },
		RevisionF:   func(string, int64) (hive.Revision, error) { return schedule.Revision, nil },
		TicksF:      func(string, time.Time, int) ([]hive.Tick, error) { return sampleTicks(), nil },
		ReleaseF:    func(hive.ReleaseRequest) error { return nil },
		LinksF:      sampleLinks,
		CreateF:     func(hive.RunRequest) (hive.BatchView, error) { return view, nil },
		BatchesF:    func(hive.BatchFilter) ([]hive.Batch, error) { return []hive.Batch{view.Batch}, nil },
		GridF:       sampleGrid,
		ViewF:       func(int64, bool) (hive.BatchView, error) { return view, nil },
		UsualF:      sampleUsual,
		DefineF: func(int64) (hive.RevisionView, error) {
			return hive.RevisionView{Revision: schedule.Revision, Definition: schedule.Definition}, nil
		},
		OverviewF: func() (hive.Overview, error) {
			return hive.Overview{NeedsPerson: 1, Running: 2, Queued: 3, Late: 1, Succeeded: 90, Ended: 100}, nil
		},
		HistoryF:     func(int64) ([]hive.Run, error) { return []hive.Run{view.Runs[1].Run}, nil },
		AttemptsF:    func(int64, string) ([]hive.AttemptView, error) { return []hive.AttemptView{attempt}, nil },
		SlotHoldersF: sampleHolders,
		UsualRunsF: func(int64) ([]hive.UsualRun, error) {
			return []hive.UsualRun{{Task: "a", Begin: time.Second, Took: 90 * time.Second, Most: 2 * time.Minute}}, nil
		},
		WhyF:    func(id int64, task string) (hive.Why, error) { return sampleWhy(id, task), nil },
		PlanF:   func(hive.RepairRequest) (hive.Plan, error) { return SamplePlan(), nil },
		RepairF: func(hive.RepairRequest) (hive.Command, error) { return applied, nil },
		WishF: func(hive.WishRequest) (hive.Command, error) {
			c := applied
			c.Kind = hive.CommandWish
			return c, nil
		},
		CommandF:  func(int64) (hive.Command, error) { return applied, nil },
		CommandsF: func(hive.CommandFilter) ([]hive.Command, error) { return []hive.Command{applied}, nil },
		LogF:      Log([]byte("hello\nworld\n"), true),
		FindF: func(hive.Attempt, hive.LogQuery) (hive.LogPlace, error) {
			return hive.LogPlace{Found: true, Offset: 6, Line: 2, Next: 12, Size: 12, Complete: true}, nil
		},
		ExecutorsF:      func() ([]hive.ExecutorView, error) { return []hive.ExecutorView{executor}, nil },
		SetOfflineF:     func(string, bool) error { return nil },
		DeleteExecutorF: func(string) error { return nil },
		AddExecutorF:    func(hive.NewExecutor) (hive.ExecutorView, error) { return executor, nil },
		SetDrainedF:     func(string, bool) error { return nil },
		HeldF:           func(string) ([]hive.HeldView, error) { return sampleHeld(), nil },
	}
	return addAll(f)
}

func sampleHolders(int64, string, hive.Span) (hive.SlotHolders, error) {
	holder := hive.SlotHolder{Batch: 8, Schedule: "s", Tasks: 1, Held: time.Second}
	return hive.SlotHolders{List: []hive.SlotHolder{holder}}, nil
}

// addAll adds the answers of the other parts.
func addAll(f *Fakes) *Fakes {
	f.GroupsF, f.SetGroupF = groups, setGroup
	f.sampleLimits()
	f.write()
	addArchive(f)
	addRetention(f)
	addReports(f)
	f.notice()
	return f.withBackfills().withChains()
}

func sampleWhy(id int64, task string) hive.Why {
	return hive.Why{
		Batch: id, Task: task, State: hive.RunReady, Code: hive.BecauseSlot, Words: "all slots are taken", Since: T0,
		On:      []hive.WhyOn{{Task: "a", State: hive.RunRunning, Since: T0}},
		Holders: []hive.WhyHolder{{Batch: 6, Schedule: "nightly", Task: "x", Executor: "embedded", Since: T0}},
	}
}

// sampleUsual returns the usual duration of the batches of a schedule.
func sampleUsual([]hive.Batch) (map[int64]time.Duration, error) {
	return map[int64]time.Duration{1: 90500 * time.Millisecond}, nil
}

// sampleLinks returns a batch that let this one start, and one that it let start.
func sampleLinks(int64) (causes, caused []hive.BatchLink, err error) {
	return []hive.BatchLink{{ID: 5, Schedule: "orders", Moment: T0, State: hive.BatchSucceeded}},
		[]hive.BatchLink{{ID: 9, Schedule: "mart", Moment: T0, State: hive.BatchRunning}}, nil
}

// sampleTicks returns a tick that waits, one that a person released, and a range of missed ticks.
func sampleTicks() []hive.Tick {
	return []hive.Tick{
		{
			Moment: T0.Add(24 * time.Hour), Count: 1, Trigger: "20 3 * * *", Decision: hive.DecisionWaiting,
			Rule: "after", DecidedAt: T0, Wait: hive.Wait{More: 3, Missing: []hive.Missing{
				{Schedule: "orders", Moment: T0, State: hive.MissingFailed, Batch: 5},
				{Schedule: "customers", State: hive.MissingSuccess},
			}},
		},
		{
			Moment: T0, Count: 1, Trigger: "20 3 * * *", Decision: hive.DecisionFired, Rule: "on_time", BatchID: 7,
			DecidedAt: T0, Wait: hive.Wait{Released: hive.Release{By: "ada", Reason: "the file is there", At: T0}},
		},
		{
			Moment: T0.Add(-48 * time.Hour), Until: T0.Add(-24 * time.Hour), Count: 120, Trigger: "@every 10m",
			Decision: hive.DecisionMissed, Rule: "catch_up", DecidedAt: T0,
		},
	}
}

// sampleForecast returns a tick that is expected to fire and one that is expected to wait for its batch.
func sampleForecast() hive.TickForecast {
	hour := T0.Add(time.Hour)
	return hive.TickForecast{From: T0, Until: T0.Add(24 * time.Hour), Ticks: []hive.ForecastTick{
		{
			Tick: hive.Tick{
				Moment: T0, Count: 1, Trigger: "0 * * * *", Decision: hive.DecisionFired, Rule: "on_time",
				DecidedAt: T0,
			},
			Schedule: "warehouse", StartsAt: T0, EndsAt: T0.Add(90 * time.Minute),
		},
		{
			Tick: hive.Tick{
				Moment: hour, Count: 1, Trigger: "0 * * * *", Decision: hive.DecisionQueued, Rule: "overlap",
				Detail: "the batch of 2026-05-01T03:20:00Z is live", DecidedAt: hour,
			},
			Schedule: "warehouse", Ends: hive.ForecastExpired,
		},
	}}
}

// sampleMonth returns a month with one day.
func sampleMonth() hive.ForecastMonth {
	day := T0.Truncate(24 * time.Hour)
	return hive.ForecastMonth{From: T0, Schedules: 2, Disabled: 1, Following: 1, Days: []hive.ForecastDay{{
		Date: day, Ticks: 3, Down: 1, Hours: [24]int{2: 1, 9: 2},
		Items: []hive.DayItem{
			{Kind: hive.DayMoved, Schedule: "warehouse", At: day, Count: 1, From: day.AddDate(0, 0, -2)},
			{Kind: hive.DayDue, Schedule: "kpi", At: day, Count: 2},
		},
		More: 1, Entries: []hive.DayEntry{{Calendar: "china", Holiday: true, Name: "New Year"}, {Calendar: "berlin"}},
	}}}
}

// write lets ada write.
func (f *Fakes) write() {
	answerCalendars(f)
	f.AlertsF = func() error { return nil }
	answerWebhooks(f)
	answerSecrets(f)
	answerChanges(f)
	f.ConvertF = func([]byte) (hive.Conversion, error) {
		return hive.Conversion{
			Definition: json.RawMessage(`{"name":"warehouse","#":{"":{"top":["# <nightly>"]}}}`),
			Verdict: hive.Verdict{
				Name: "warehouse", Canonical: Document, Hash: "abc", Faults: []hive.Fault{{
					Code: "unknown_need", Path: "jobs[0].tasks[0].needs[0]", Line: 7, Column: 3,
					Message: "there is no task z", Remedy: "name another",
				}},
			},
		}, nil
	}
	f.ForecastF = func(hive.ForecastRequest) (hive.Forecast, error) {
		return hive.Forecast{
			Moments: []hive.ForecastMoment{{At: T0, Trigger: 1}},
			Faults: []hive.Fault{{
				Code: "bad_cron", Path: "triggers[0].cron", Message: "there are 2 fields",
				Remedy: "write 5",
			}},
		}, nil
	}
	f.ForecastSlotsF = func(hive.SlotsRequest) (hive.SlotsForecast, error) {
		return hive.SlotsForecast{From: T0, Until: T0.Add(time.Hour), Wanted: []int{1, 2}, Unknown: 1}, nil
	}
	f.NightF = func(hive.NightRequest) (hive.Night, error) { return sampleNight(), nil }
	f.OpenF = func(int64, int) (hive.OpenList, error) { return sampleOpen(), nil }
	f.ForecastMonthF = func(hive.MonthRequest) (hive.ForecastMonth, error) { return sampleMonth(), nil }
	f.ChainF = func(r hive.ChainRequest) (hive.Chain, error) { return sampleChain(r), nil }
	f.ForecastTicksF = func(hive.TickForecastRequest) (hive.TickForecast, error) { return sampleForecast(), nil }
	f.PreviewF = func(hive.PreviewRequest) (hive.Preview, error) {
		return hive.Preview{
			Params: []byte(`{"command":"true"}`), Env: map[string]string{"HIVEGO_TASK": "b"},
			Values: []byte(`{"region":"east"}`), When: new(false),
			Faults: []hive.Fault{{
				Code: "unknown_handler", Path: "handler", Message: "nobody offers it", Remedy: "start one",
				Warning: true,
			}},
		}, nil
	}
	f.DraftsF = func(int64) ([]hive.Draft, error) { return []hive.Draft{SampleDraft()}, nil }
	f.DraftF = func(int64, string) (hive.Draft, error) { return SampleDraft(), nil }
	f.PutDraftF = func(d hive.Draft) (hive.Draft, error) { d.Version++; d.UpdatedAt = T0; return d, nil }
	f.DeleteDraftF = func(int64, string, int64) error { return nil }
}

// sampleSchedule is warehouse, with its latest batch.
func sampleSchedule(b *hive.Batch) hive.ScheduleView {
	return hive.ScheduleView{
		Schedule: hive.Schedule{
			ID: 1, Name: "warehouse", Enabled: true, Revision: 3, Mark: T0, CreatedAt: T0,
			UpdatedAt: T0,
		},
		Title: "数据仓库调度", Timezone: "Asia/Shanghai", Triggers: []string{"20 3 * * *"}, Tasks: 3,
		Recent: []hive.Batch{*b}, Usual: 90 * time.Second, NextAt: []time.Time{T0.Add(time.Hour)},
		Revision: hive.Revision{
			ID: 30, ScheduleID: 1, Number: 3, Document: Document, Hash: "abc", CreatedAt: T0, CreatedBy: "ada",
			Note: "one more task",
		},
		Definition: json.RawMessage(`{"name":"warehouse"}`),
	}
}

// SampleBatch is batch 7: a succeeded, b failed, c was skipped.
func SampleBatch() hive.BatchView {
	b := hive.Batch{
		ID: 7, ScheduleID: 1, Schedule: "warehouse", RevisionID: 30, Revision: 3, Kind: hive.KindManual,
		State: hive.BatchFailed,
		Wish:  hive.WishRun, Round: 1, Moment: T0, CreatedAt: T0, CreatedBy: "ada", StartedAt: T0, RoundAt: T0,
		FinishedAt: T0.Add(90 * time.Second), Params: map[string]any{"region": "east"},
		Counts: hive.Counts{hive.RunSucceeded: 1, hive.RunFailed: 1, hive.RunSkipped: 1},
	}
	return hive.BatchView{Batch: b, Runs: []hive.RunView{
		{Executor: "embedded", Run: hive.Run{
			ID: 1, BatchID: 7, Number: 0, Job: "extract", Task: "a", State: hive.RunSucceeded, Round: 1, Attempts: 1,
			StartedAt: T0, FinishedAt: T0.Add(time.Second), ExitCode: new(0), Outputs: map[string]string{"rows": "5"},
		}},
		{Executor: "embedded", Error: "exit status 3", Run: hive.Run{
			ID: 2, BatchID: 7, Number: 1, Job: "extract", Task: "b", State: hive.RunFailed, Reason: hive.ReasonExit,
			Round:    1,
			Attempts: 2, StartedAt: T0, FinishedAt: T0.Add(90 * time.Second), ExitCode: new(3),
		}},
		{Run: hive.Run{
			ID: 3, BatchID: 7, Number: 2, Job: "load", Task: "c", State: hive.RunSkipped,
			Reason: hive.ReasonUpstreamFailed,
			Cause:  "b", Round: 1,
		}},
	}, Jobs: []hive.JobView{
		{
			Key: "extract", State: hive.RunFailed, Counts: hive.Counts{hive.RunSucceeded: 1, hive.RunFailed: 1},
			Done: 1, Total: 2, StartedAt: T0, FinishedAt: T0.Add(90 * time.Second), Took: 90 * time.Second,
		},
		{Key: "load", State: hive.RunSkipped, Counts: hive.Counts{hive.RunSkipped: 1}, Total: 1},
	}}
}

// SampleDraft is ada's draft of warehouse.
func SampleDraft() hive.Draft {
	return hive.Draft{User: 1, Name: "warehouse", Base: 3, Version: 12, Document: `{"name":"warehouse"}`, UpdatedAt: T0}
}

// SamplePlan resumes batch 7.
func SamplePlan() hive.Plan {
	return hive.Plan{
		BatchID: 7, Action: hive.PlanResume, Round: 2, RevisionID: 30, Revision: 3, Hash: "h",
		Rows: []hive.PlanRow{
			{Number: 1, Task: "b", Job: "extract", From: hive.RunFailed, To: hive.RunWaiting, Why: hive.WhyFailed},
			{
				Number: 2, Task: "c", Job: "load", From: hive.RunSkipped, To: hive.RunWaiting, Why: hive.WhySkipped,
				Cause: "b",
			},
		},
		Kept: []hive.PlanKept{{Number: 0, Task: "a", State: hive.RunSucceeded, Changed: true}},
	}
}

// SampleCommand returns the applied repair of SamplePlan.
func SampleCommand() hive.Command {
	answer, err := json.Marshal(SamplePlan())
	if err != nil {
		panic(err)
	}
	return hive.Command{
		ID: 5, BatchID: 7, Kind: hive.CommandRepair, State: hive.CommandApplied,
		Payload: []byte(`{"action":"resume","note":"disk was full"}`), Answer: answer,
		CreatedAt: T0, CreatedBy: "ada", DoneAt: T0,
	}
}

// Log returns a LogF for a log in memory.
func Log(text []byte, complete bool) func(hive.Attempt, int64, int64) (hive.LogPart, error) {
	return func(_ hive.Attempt, offset, limit int64) (hive.LogPart, error) {
		size := int64(len(text))
		from := min(offset, size)
		return hive.LogPart{Data: text[from:min(from+limit, size)], Offset: offset, Size: size, Complete: complete}, nil
	}
}

func sampleExecutor() hive.ExecutorView {
	return hive.ExecutorView{State: hive.ExecutorOnline, Running: 1, Executor: hive.Executor{
		ID: "x1", Name: "embedded", Group: "default", Labels: map[string]string{"zone": "a"}, Address: "127.0.0.1:9999",
		Secret: "never-shown", Slots: 8, Version: "1", SeenAt: T0, Durable: true,
		Handlers: []hive.Handler{{Name: "shell", Title: "Shell", Schema: "{}", Survives: true}},
	}}
}

// sampleHeld returns held attempts in every state.
func sampleHeld() []hive.HeldView {
	offered := hive.HeldView{
		Attempt:  hive.Attempt{ID: 50, BatchID: 7, Executor: "x1", State: hive.AttemptOffered, OfferedAt: T0},
		Schedule: "warehouse", Task: "a", RunState: hive.RunReady,
	}
	running := offered
	running.ID, running.Schedule, running.State = 51, "", hive.AttemptRunning
	running.StartedAt, running.RunState = T0, hive.RunRunning
	silent := running
	silent.ID, silent.RunState = 52, hive.RunUnknown
	killing := silent
	killing.ID, killing.KillingAt = 53, T0
	return []hive.HeldView{offered, running, silent, killing}
}

// notice makes the fakes answer with one notice, which was dismissed.
func (f *Fakes) notice() {
	f.NoticesF = func() ([]hive.Notice, error) {
		n := SampleNotice()
		n.DismissedAt, n.DismissedBy = T0.Add(time.Hour), "ada"
		return []hive.Notice{n}, nil
	}
	f.DismissF = func(int64, string) error { return nil }
}

// SampleNotice returns a notice that nobody has dismissed.
func SampleNotice() hive.Notice {
	return hive.Notice{
		ID: 1, At: T0, Epoch: 12, Session: 13, Executors: []string{"embedded"}, Running: 1, Ended: 2,
		Attempts: []hive.NoticedAttempt{
			{Executor: "embedded", ID: 70, Key: "k", BatchID: 9, Schedule: "warehouse", Task: "a", Running: true},
		},
	}
}

func sampleAlarms() []hive.TickAlarm {
	return []hive.TickAlarm{{
		Reason: hive.AlarmLedgerAhead, Schedule: "warehouse", Words: "it is ahead", Since: T0,
		Params: map[string]string{"until": T0.Format(time.RFC3339), "ahead": "1h0m0s"},
	}}
}

func groups() ([]hive.ExecutorGroupView, error) {
	return []hive.ExecutorGroupView{{ExecutorGroup: hive.ExecutorGroup{Name: "default"}, Executors: 1}}, nil
}

func setGroup(g hive.ExecutorGroup) (hive.ExecutorGroupView, error) {
	return hive.ExecutorGroupView{ExecutorGroup: g, Executors: 2}, nil
}
