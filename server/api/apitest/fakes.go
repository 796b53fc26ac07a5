// Package apitest has fakes of the API's ports, for tests of the API and of its clients.
package apitest

import (
	"context"
	"encoding/json"
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

// Ada is the identity of Session.
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

	ListSchedulesF func(after string, limit int) ([]hive.ScheduleView, error)
	GetScheduleF   func(name string) (hive.ScheduleView, error)
	ValidateF      func(document []byte) (hive.Verdict, error)
	SaveF          func(r hive.SaveRequest) (hive.Saved, error)
	SetEnabledF    func(name string, on bool) error
	RevisionsF     func(name string) ([]hive.Revision, error)
	RevisionF      func(name string, number int64) (hive.Revision, error)
	TicksF         func(name string, before time.Time, limit int) ([]hive.Tick, error)

	ConvertF  func(document []byte) (hive.Conversion, error)
	ForecastF func(r hive.ForecastRequest) (hive.Forecast, error)
	PreviewF  func(r hive.PreviewRequest) (hive.Preview, error)

	DraftsF      func(user int64) ([]hive.Draft, error)
	DraftF       func(user int64, name string) (hive.Draft, error)
	PutDraftF    func(d hive.Draft) (hive.Draft, error)
	DeleteDraftF func(user int64, name string, version int64) error

	CreateF   func(r hive.RunRequest) (hive.BatchView, error)
	BatchesF  func(f hive.BatchFilter) ([]hive.Batch, error)
	UsualF    func([]hive.Batch) (map[int64]time.Duration, error)
	DefineF   func(id int64) (hive.RevisionView, error)
	OverviewF func() (hive.Overview, error)
	ViewF     func(id int64, runs bool) (hive.BatchView, error)
	HistoryF  func(id int64) ([]hive.Run, error)
	AttemptsF func(id int64, task string) ([]hive.AttemptView, error)
	WhyF      func(id int64, task string) (hive.Why, error)

	PlanF    func(r hive.RepairRequest) (hive.Plan, error)
	RepairF  func(r hive.RepairRequest) (hive.Command, error)
	WishF    func(r hive.WishRequest) (hive.Command, error)
	CommandF func(id int64) (hive.Command, error)

	LogF func(a hive.Attempt, offset, limit int64) (hive.LogPart, error)

	FindF func(a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error)

	ExecutorsF      func() ([]hive.ExecutorView, error)
	SetOfflineF     func(name string, offline bool) error
	DeleteExecutorF func(name string) error
	AddExecutorF    func(n hive.NewExecutor) (hive.ExecutorView, error)
	SetDrainedF     func(name string, drained bool) error
	HeldF           func(name string) ([]hive.HeldView, error)
}

// Ports returns the fakes as the API's ports.
func (f *Fakes) Ports() api.Ports {
	return api.Ports{
		Auth: auth{f}, Sessions: sessions{f}, System: system{f}, Schedules: schedules{f},
		Documents: documents{f}, Drafts: drafts{f}, Batches: batches{f}, Commands: commands{f}, Logs: logs{f}, Executors: executors{f},
	}
}

func missing() error { return hive.Errorf(hive.CodeNotFound, "there is no such thing") }

type (
	auth      struct{ f *Fakes }
	sessions  struct{ f *Fakes }
	system    struct{ f *Fakes }
	schedules struct{ f *Fakes }
	documents struct{ f *Fakes }
	drafts    struct{ f *Fakes }
	batches   struct{ f *Fakes }
	commands  struct{ f *Fakes }
	logs      struct{ f *Fakes }
	executors struct{ f *Fakes }
)

func (p auth) Authenticate(_ context.Context, token string) (hive.Identity, error) {
	if p.f.AuthF != nil {
		return p.f.AuthF(token)
	}
	switch token {
	case Token:
		return hive.Identity{User: hive.User{ID: 1, Name: "ada", Admin: true}, Token: hive.Token{ID: 10, UserID: 1}},
			nil
	case Reader:
		return hive.Identity{User: hive.User{ID: 2, Name: "bob"}, Token: hive.Token{ID: 20, UserID: 2}}, nil
	default:
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized, "the token is not valid")
	}
}

func (p auth) Tokens(_ context.Context, user int64) ([]hive.Token, error) {
	if p.f.TokensF == nil {
		return nil, missing()
	}
	return p.f.TokensF(user)
}

func (p auth) CreateToken(_ context.Context, t hive.Token) (hive.Token, string, error) {
	if p.f.CreateTokenF == nil {
		return hive.Token{}, "", missing()
	}
	return p.f.CreateTokenF(t)
}

func (p auth) DeleteToken(_ context.Context, id, user int64) error {
	if p.f.DeleteTokenF == nil {
		return missing()
	}
	return p.f.DeleteTokenF(id, user)
}

func (p sessions) Session(_ context.Context, text string) (hive.Identity, error) {
	switch {
	case p.f.SessionF != nil:
		return p.f.SessionF(text)
	case text == Session:
		return Ada(), nil
	default:
		return hive.Identity{}, hive.Errorf(hive.CodeUnauthorized, "you are not logged in any more")
	}
}

func (p sessions) NeedsSetup(context.Context) (bool, error) {
	if p.f.NeedsSetupF == nil {
		return false, nil
	}
	return p.f.NeedsSetupF()
}

func (p sessions) SetUp(_ context.Context, name, password, code string, v hive.Visitor) (hive.Identity, string, error) {
	if p.f.SetUpF == nil {
		return Ada(), Session, nil
	}
	return p.f.SetUpF(name, password, code, v)
}

func (p sessions) LogIn(_ context.Context, name, password string, v hive.Visitor) (hive.Identity, string, error) {
	if p.f.LogInF == nil {
		return Ada(), Session, nil
	}
	return p.f.LogInF(name, password, v)
}

func (p sessions) LogOut(_ context.Context, id hive.Identity) error {
	if p.f.LogOutF == nil {
		return nil
	}
	return p.f.LogOutF(id)
}

func (p sessions) ChangePassword(_ context.Context, id hive.Identity, current, next string) error {
	if p.f.ChangePasswordF == nil {
		return nil
	}
	return p.f.ChangePasswordF(id, current, next)
}

// Watch never ends a session without WatchF.
func (p sessions) Watch(id hive.Identity) (ended <-chan struct{}, stop func()) {
	if p.f.WatchF == nil {
		return nil, func() {}
	}
	return p.f.WatchF(id)
}

func (p system) Info() hive.ServerInfo {
	if p.f.InfoF == nil {
		return hive.ServerInfo{}
	}
	return p.f.InfoF()
}

func (p system) Ready(context.Context) []hive.Check {
	if p.f.ReadyF == nil {
		return nil
	}
	return p.f.ReadyF()
}

// TickAlarms is AlarmsF.
func (p system) TickAlarms() []hive.TickAlarm {
	if p.f.AlarmsF == nil {
		return nil
	}
	return p.f.AlarmsF()
}

// Notices is NoticesF.
func (p system) Notices(context.Context) ([]hive.Notice, error) {
	if p.f.NoticesF == nil {
		return nil, nil
	}
	return p.f.NoticesF()
}

// DismissNotice is DismissF.
func (p system) DismissNotice(_ context.Context, id int64, by string) error {
	if p.f.DismissF == nil {
		return missing()
	}
	return p.f.DismissF(id, by)
}

func (p schedules) List(_ context.Context, after string, limit int) ([]hive.ScheduleView, error) {
	if p.f.ListSchedulesF == nil {
		return nil, missing()
	}
	return p.f.ListSchedulesF(after, limit)
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

func (p schedules) Revisions(_ context.Context, name string) ([]hive.Revision, error) {
	if p.f.RevisionsF == nil {
		return nil, missing()
	}
	return p.f.RevisionsF(name)
}

func (p schedules) Revision(_ context.Context, name string, number int64) (hive.Revision, error) {
	if p.f.RevisionF == nil {
		return hive.Revision{}, missing()
	}
	return p.f.RevisionF(name, number)
}

func (p schedules) RevisionView(_ context.Context, name string, number int64) (hive.RevisionView, error) {
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

func (p batches) Create(_ context.Context, r hive.RunRequest) (hive.BatchView, error) {
	if p.f.CreateF == nil {
		return hive.BatchView{}, missing()
	}
	return p.f.CreateF(r)
}

func (p batches) List(_ context.Context, f hive.BatchFilter) ([]hive.Batch, error) {
	if p.f.BatchesF == nil {
		return nil, missing()
	}
	return p.f.BatchesF(f)
}

func (p batches) Usual(_ context.Context, list []hive.Batch) (map[int64]time.Duration, error) {
	if p.f.UsualF == nil {
		return nil, nil //nolint:nilnil // none is known
	}
	return p.f.UsualF(list)
}

func (p batches) Definition(_ context.Context, id int64) (hive.RevisionView, error) {
	if p.f.DefineF == nil {
		return hive.RevisionView{}, missing()
	}
	return p.f.DefineF(id)
}

func (p batches) Overview(context.Context) (hive.Overview, error) {
	if p.f.OverviewF == nil {
		return hive.Overview{}, missing()
	}
	return p.f.OverviewF()
}

func (p batches) View(_ context.Context, id int64, runs bool) (hive.BatchView, error) {
	if p.f.ViewF == nil {
		return hive.BatchView{}, missing()
	}
	return p.f.ViewF(id, runs)
}

func (p batches) History(_ context.Context, id int64) ([]hive.Run, error) {
	if p.f.HistoryF == nil {
		return nil, missing()
	}
	return p.f.HistoryF(id)
}

func (p batches) Attempts(_ context.Context, id int64, task string) ([]hive.AttemptView, error) {
	if p.f.AttemptsF == nil {
		return nil, missing()
	}
	return p.f.AttemptsF(id, task)
}

func (p batches) Why(_ context.Context, id int64, task string) (hive.Why, error) {
	if p.f.WhyF == nil {
		return hive.Why{}, missing()
	}
	return p.f.WhyF(id, task)
}

func (p commands) Plan(_ context.Context, r hive.RepairRequest) (hive.Plan, error) {
	if p.f.PlanF == nil {
		return hive.Plan{}, missing()
	}
	return p.f.PlanF(r)
}

func (p commands) Repair(_ context.Context, r hive.RepairRequest) (hive.Command, error) {
	if p.f.RepairF == nil {
		return hive.Command{}, missing()
	}
	return p.f.RepairF(r)
}

func (p commands) Wish(_ context.Context, r hive.WishRequest) (hive.Command, error) {
	if p.f.WishF == nil {
		return hive.Command{}, missing()
	}
	return p.f.WishF(r)
}

func (p commands) Command(_ context.Context, id int64) (hive.Command, error) {
	if p.f.CommandF == nil {
		return hive.Command{}, missing()
	}
	return p.f.CommandF(id)
}

func (p logs) Read(_ context.Context, a hive.Attempt, offset, limit int64) (hive.LogPart, error) {
	if p.f.LogF == nil {
		return hive.LogPart{}, missing()
	}
	return p.f.LogF(a, offset, limit)
}

func (p logs) Find(_ context.Context, a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error) {
	if p.f.FindF == nil {
		return hive.LogPlace{}, missing()
	}
	return p.f.FindF(a, q)
}

func (p executors) List(context.Context) ([]hive.ExecutorView, error) {
	if p.f.ExecutorsF == nil {
		return nil, missing()
	}
	return p.f.ExecutorsF()
}

func (p executors) SetOffline(_ context.Context, name string, offline bool) error {
	if p.f.SetOfflineF == nil {
		return missing()
	}
	return p.f.SetOfflineF(name, offline)
}

func (p executors) Delete(_ context.Context, name string) error {
	if p.f.DeleteExecutorF == nil {
		return missing()
	}
	return p.f.DeleteExecutorF(name)
}

func (p executors) Add(_ context.Context, n hive.NewExecutor) (hive.ExecutorView, error) {
	if p.f.AddExecutorF == nil {
		return hive.ExecutorView{}, missing()
	}
	return p.f.AddExecutorF(n)
}

func (p executors) SetDrained(_ context.Context, name string, drained bool) error {
	if p.f.SetDrainedF == nil {
		return missing()
	}
	return p.f.SetDrainedF(name, drained)
}

func (p executors) Held(_ context.Context, name string) ([]hive.HeldView, error) {
	if p.f.HeldF == nil {
		return nil, missing()
	}
	return p.f.HeldF(name)
}
