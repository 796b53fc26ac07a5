// Package apitest has fakes of the API's ports, for tests of the API and of its clients.
package apitest

import (
	"time"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/hive"
)

// Token is a token of the administrator ada, and Reader one of bob, who is not an administrator. Session is the text of
// a session of ada's, and CSRF its CSRF text.
const (
	Token   = "hgo_ada"
	Reader  = "hgo_bob"
	Session = "hgs_ada"
	CSRF    = "csrf-ada"
)

// Ada returns the identity of Session.
func Ada() hive.Identity {
	return hive.Identity{
		User:    hive.User{ID: 1, Name: "ada", Admin: true},
		Session: hive.Session{ID: 30, UserID: 1, EndsAt: T0.Add(time.Hour)}, CSRF: CSRF,
	}
}

// Fakes answers calls by its functions. A call without a function is answered with CodeNotFound.
type Fakes struct {
	InfoF        func() hive.ServerInfo
	ReadyF       func() []hive.Check
	AlarmsF      func() []hive.TickAlarm
	NoticesF     func() ([]hive.Notice, error)
	DismissF     func(id int64, by string) error
	AuthF        func(token string) (hive.Identity, error)
	TokensF      func(user int64) ([]hive.Token, error)
	CreateTokenF func(t hive.Token) (hive.Token, string, error)
	DeleteTokenF func(id, user int64) error

	SessionF        func(text string) (hive.Identity, error)
	NeedsSetupF     func() (bool, error)
	SetUpF          func(name, password, code string, v hive.Visitor) (hive.Identity, string, error)
	LogInF          func(name, password string, v hive.Visitor) (hive.Identity, string, error)
	LogOutF         func(id hive.Identity) error
	ChangePasswordF func(id hive.Identity, current, next string) error
	WatchF          func(id hive.Identity) (<-chan struct{}, func())

	ListSchedulesF func(f hive.ScheduleFilter) ([]hive.ScheduleView, error)
	GetScheduleF   func(name string) (hive.ScheduleView, error)
	ValidateF      func(document []byte) (hive.Verdict, error)
	SaveF          func(r hive.SaveRequest) (hive.Saved, error)
	SetEnabledF    func(name string, on bool) error
	SetArchivedF   func(r hive.ArchiveRequest) (hive.Schedule, error)
	RenameF        func(r hive.RenameRequest) (hive.Renamed, error)
	ReleaseNameF   func(former string) error

	DeleteScheduleF func(name, by string) (hive.Deletion, error)
	DeletionsF      func(limit int) ([]hive.Deletion, error)

	PruneF   func(r hive.PruneRequest) (hive.PruneReport, error)
	DiskUseF func() (hive.DiskReport, error)

	RevisionsF     func(name string) ([]hive.Revision, error)
	RevisionF      func(name string, number int64) (hive.Revision, error)
	ForecastSlotsF func(r hive.SlotsRequest) (hive.SlotsForecast, error)
	ForecastMonthF func(r hive.MonthRequest) (hive.ForecastMonth, error)
	NightF         func(r hive.NightRequest) (hive.Night, error)
	OpenF          func(before int64, limit int) (hive.OpenList, error)
	ForecastTicksF func(r hive.TickForecastRequest) (hive.TickForecast, error)
	ChainF         func(r hive.ChainRequest) (hive.Chain, error)
	ReleaseF       func(r hive.ReleaseRequest) error
	TicksF         func(name string, before time.Time, limit int) ([]hive.Tick, error)

	ConvertF  func(document []byte) (hive.Conversion, error)
	ForecastF func(r hive.ForecastRequest) (hive.Forecast, error)
	PreviewF  func(r hive.PreviewRequest) (hive.Preview, error)

	DraftsF      func(user int64) ([]hive.Draft, error)
	DraftF       func(user int64, name string) (hive.Draft, error)
	PutDraftF    func(d hive.Draft) (hive.Draft, error)
	DeleteDraftF func(user int64, name string, version int64) error

	ListCalendarsF  func() ([]hive.CalendarView, error)
	GetCalendarF    func(name string) (hive.CalendarView, error)
	SaveCalendarF   func(r hive.SaveRequest) (hive.SavedCalendar, error)
	DeleteCalendarF func(name string) error

	// AlertsF returns the error of every call about alerts. Otherwise the answer is a sample.
	AlertsF func() error
	// AlertFilterF gets the filter of each list of alerts; nil for none.
	AlertFilterF func(f hive.AlertFilter)

	ReadCalendarFileF func(f hive.CalendarFile) (hive.CalendarFileDays, error)
	SecretsF          func() ([]hive.Secret, error)
	SetSecretF        func(c hive.SecretChange) (hive.Secret, error)
	DeleteSecretF     func(name string, force bool) error
	RotateF           func() (string, error)
	WebhooksF         func(schedule string) ([]hive.WebhookView, error)
	WebhookSecretF    func(r hive.WebhookSecretRequest) (string, error)
	ChangesF          func(schedule string) ([]hive.PlannedChange, error)
	PlanChangeF       func(r hive.ChangeRequest) (hive.PlannedChange, error)
	UndoChangeF       func(schedule string, moment time.Time) error
	CallF             func(r hive.WebhookRequest) (hive.WebhookCall, bool, error)

	CreateF    func(r hive.RunRequest) (hive.BatchView, error)
	BatchesF   func(f hive.BatchFilter) ([]hive.Batch, error)
	GridF      func(f hive.BatchFilter) (hive.RunGrid, error)
	UsualF     func([]hive.Batch) (map[int64]time.Duration, error)
	DefineF    func(id int64) (hive.RevisionView, error)
	OverviewF  func() (hive.Overview, error)
	ViewF      func(id int64, runs bool) (hive.BatchView, error)
	LinksF     func(id int64) (causes, caused []hive.BatchLink, err error)
	HistoryF   func(id int64) ([]hive.Run, error)
	AttemptsF  func(id int64, task string) ([]hive.AttemptView, error)
	UsualRunsF func(id int64) ([]hive.UsualRun, error)
	// SlotHoldersF answers for slot holders.
	SlotHoldersF func(id int64, task string, in hive.Span) (hive.SlotHolders, error)
	WhyF         func(id int64, task string) (hive.Why, error)

	PreviewFillF func(r hive.BackfillRequest) (hive.BackfillPreview, error)
	CreateFillF  func(r hive.BackfillRequest) (hive.Backfill, error)
	BackfillsF   func(f hive.BackfillFilter) ([]hive.Backfill, error)
	BackfillF    func(id int64) (hive.Backfill, error)
	FillWishF    func(id int64, w hive.Wish, by string) (hive.Backfill, error)

	ChainPreviewF func(batch int64) (hive.ChainPreview, error)
	ChainApplyF   func(r hive.ChainRepairRequest) (hive.Command, int64, error)
	ChainRepairsF func(f hive.ChainRepairFilter) ([]hive.ChainRepair, error)
	ChainRepairF  func(id int64) (hive.ChainRepair, error)
	ChainCancelF  func(id int64, by string) (hive.ChainRepair, error)

	BatchReportF    func(r hive.ReportRequest) (hive.BatchReport, error)
	TaskReportF     func(r hive.ReportRequest) (hive.TaskReport, error)
	ExecutorReportF func(r hive.ReportRequest) (hive.ExecutorReport, error)

	PlanF     func(r hive.RepairRequest) (hive.Plan, error)
	RepairF   func(r hive.RepairRequest) (hive.Command, error)
	WishF     func(r hive.WishRequest) (hive.Command, error)
	CommandF  func(id int64) (hive.Command, error)
	CommandsF func(hive.CommandFilter) ([]hive.Command, error)

	LogF func(a hive.Attempt, offset, limit int64) (hive.LogPart, error)

	FindF func(a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error)

	ExecutorsF      func() ([]hive.ExecutorView, error)
	SetOfflineF     func(name string, offline bool) error
	GroupsF         func() ([]hive.ExecutorGroupView, error)
	SetGroupF       func(g hive.ExecutorGroup) (hive.ExecutorGroupView, error)
	DeleteExecutorF func(name string) error
	LimitsF         func() ([]hive.LimitUse, error)
	SetLimitF       func(l hive.Limit) (hive.LimitUse, error)
	DeleteLimitF    func(k hive.LimitKey) error
	AddExecutorF    func(n hive.NewExecutor) (hive.ExecutorView, error)
	SetDrainedF     func(name string, drained bool) error
	HeldF           func(name string) ([]hive.HeldView, error)
}

// Ports returns the fakes as the API's ports.
func (f *Fakes) Ports() api.Ports {
	return api.Ports{
		Auth: auth{f}, Sessions: sessions{f}, System: system{f}, Schedules: schedules{f}, Archive: archive{f},
		Retention: retention{f},
		Renames:   renames{f},
		Revisions: revisions{f}, Documents: documents{f}, Drafts: drafts{f}, Batches: batches{f}, Runs: runs{f},
		Commands:  commands{f},
		Backfills: backfills{f}, Chains: chains{f}, Logs: logs{f}, Executors: executors{f},
		Limits: limits{f}, Calendars: calendars{f},
		Forecasts: schedules{f}, Night: schedules{f}, Webhooks: webhooks{f}, Changes: changes{f},
		Secrets: secrets{f}, SecretKey: secrets{f}, Connections: connections{f},
		Alerts: alerts{f}, AlertLog: alerts{f}, Reports: reports{f},
	}
}

func missing() error { return hive.Errorf(hive.CodeNotFound, "there is no such thing") }

type (
	webhooks  struct{ f *Fakes }
	secrets   struct{ f *Fakes }
	auth      struct{ f *Fakes }
	sessions  struct{ f *Fakes }
	system    struct{ f *Fakes }
	schedules struct{ f *Fakes }
	archive   struct{ f *Fakes }
	renames   struct{ f *Fakes }
	revisions struct{ f *Fakes }
	documents struct{ f *Fakes }
	drafts    struct{ f *Fakes }
	batches   struct{ f *Fakes }
	backfills struct{ f *Fakes }
	chains    struct{ f *Fakes }
	runs      struct{ f *Fakes }
	commands  struct{ f *Fakes }
	logs      struct{ f *Fakes }
	executors struct{ f *Fakes }
)
