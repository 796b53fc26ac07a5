// Package api is the HTTP API of a server: openapi.yaml says what it is, stub holds what is generated from it, and the
// handlers here translate between it and the ports. They decide nothing about schedules or batches.
package api

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Ports are what the handlers need of the rest of the server. Errors that people may see are *hive.Error; of all
// others the answer says nothing and the log everything.
type Ports struct {
	Auth      Auth
	Sessions  Sessions
	System    System
	Schedules Schedules
	Documents Documents
	Drafts    Drafts
	Batches   Batches
	Commands  Commands
	Logs      Logs
	Executors Executors
	Live      Live
}

// Auth knows who may do what.
type Auth interface {
	// Authenticate says whose token this is; CodeUnauthorized if it is nobody's.
	Authenticate(ctx context.Context, token string) (hive.Identity, error)
	// Tokens lists the tokens of a user, oldest first.
	Tokens(ctx context.Context, user int64) ([]hive.Token, error)
	// CreateToken makes a token of a user, or of a group if t has one, and answers it with the only copy of its text.
	CreateToken(ctx context.Context, t hive.Token) (stored hive.Token, text string, err error)
	// DeleteToken revokes a token; of another user's only if user is 0.
	DeleteToken(ctx context.Context, id, user int64) error
}

// Sessions knows who is logged in. LogIn and SetUp answer the new session's text, which is kept nowhere.
type Sessions interface {
	// Session says who is logged in by the text of a session; CodeUnauthorized if nobody is.
	Session(ctx context.Context, text string) (hive.Identity, error)
	// NeedsSetup says whether there is no user yet.
	NeedsSetup(ctx context.Context) (bool, error)
	// SetUp makes the first user, an administrator, and logs them in; CodeConflict if there is a user.
	SetUp(ctx context.Context, name, password, code string, v hive.Visitor) (id hive.Identity, text string, err error)
	LogIn(ctx context.Context, name, password string, v hive.Visitor) (id hive.Identity, text string, err error)
	LogOut(ctx context.Context, id hive.Identity) error
	// ChangePassword ends all other sessions of the user.
	ChangePassword(ctx context.Context, id hive.Identity, current, next string) error
	// Watch answers a channel that is closed when the session or token of id ends; stop when nobody listens any more.
	Watch(id hive.Identity) (ended <-chan struct{}, stop func())
}

// System is the server itself.
type System interface {
	Info() hive.ServerInfo
	// Ready checks what the server depends on.
	Ready(ctx context.Context) []hive.Check
	// Notices says whether the database went back to an earlier state; newest first.
	Notices(ctx context.Context) ([]hive.Notice, error)
	DismissNotice(ctx context.Context, id int64, by string) error
	// TickAlarms says what keeps ticks from being decided; none if all is well.
	TickAlarms() []hive.TickAlarm
}

// Schedules keeps definitions.
type Schedules interface {
	// List answers at most limit schedules after a name, by name, without their documents.
	List(ctx context.Context, after string, limit int) ([]hive.ScheduleView, error)
	Get(ctx context.Context, name string) (hive.ScheduleView, error)
	Validate(ctx context.Context, document []byte) (hive.Verdict, error)
	Save(ctx context.Context, r hive.SaveRequest) (hive.Saved, error)
	SetEnabled(ctx context.Context, name string, on bool) error
	Revisions(ctx context.Context, name string) ([]hive.Revision, error)                      // newest first
	Revision(ctx context.Context, name string, number int64) (hive.Revision, error)           // 0: the newest
	RevisionView(ctx context.Context, name string, number int64) (hive.RevisionView, error)   // 0: the newest
	Ticks(ctx context.Context, name string, before time.Time, limit int) ([]hive.Tick, error) // latest moment first
}

// Documents says what documents mean that nobody has saved.
type Documents interface {
	// Convert writes a document as YAML and as JSON, though it may have faults.
	Convert(ctx context.Context, document []byte) (hive.Conversion, error)
	Forecast(ctx context.Context, r hive.ForecastRequest) (hive.Forecast, error)
	Preview(ctx context.Context, r hive.PreviewRequest) (hive.Preview, error)
}

// Drafts keeps what people are writing. Names are those of schedules, which need not exist.
type Drafts interface {
	Drafts(ctx context.Context, user int64) ([]hive.Draft, error) // by name, without their documents
	Draft(ctx context.Context, user int64, name string) (hive.Draft, error)
	// PutDraft keeps d in the place of the draft whose version is d.Version; none for 0. CodeConflict if there is
	// another one.
	PutDraft(ctx context.Context, d hive.Draft) (hive.Draft, error)
	// DeleteDraft is well if there is none; CodeConflict if there is another version, unless version is 0.
	DeleteDraft(ctx context.Context, user int64, name string, version int64) error
}

// Batches makes batches and shows them.
type Batches interface {
	Create(ctx context.Context, r hive.RunRequest) (hive.BatchView, error)
	// List selects batches, newest first, with their counts.
	List(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error)
	// Usual is by schedule id how long its batches usually take, for the schedules of a list.
	Usual(ctx context.Context, list []hive.Batch) (map[int64]time.Duration, error)
	Definition(ctx context.Context, id int64) (hive.RevisionView, error)
	Overview(ctx context.Context) (hive.Overview, error)
	View(ctx context.Context, id int64, runs bool) (hive.BatchView, error)
	History(ctx context.Context, id int64) ([]hive.Run, error)
	// Attempts lists hand-overs, oldest first; of one task if task is not empty.
	Attempts(ctx context.Context, id int64, task string) ([]hive.AttemptView, error)
	Why(ctx context.Context, id int64, task string) (hive.Why, error)
}

// Commands changes batches. What comes back may still be pending if the owner did not answer in time.
type Commands interface {
	Plan(ctx context.Context, r hive.RepairRequest) (hive.Plan, error)
	Repair(ctx context.Context, r hive.RepairRequest) (hive.Command, error)
	Wish(ctx context.Context, r hive.WishRequest) (hive.Command, error)
	Command(ctx context.Context, id int64) (hive.Command, error)
}

// Logs reads logs, wherever they are.
type Logs interface {
	// Read answers at most limit bytes from offset on; fewer, or none, if there are no more.
	Read(ctx context.Context, a hive.Attempt, offset, limit int64) (hive.LogPart, error)
	// Find looks for a line, in so many bytes and so much time as an answer may take.
	Find(ctx context.Context, a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error)
}

// Executors keeps the executors.
type Executors interface {
	List(ctx context.Context) ([]hive.ExecutorView, error)
	// Add asks the executor at an address what it is, and keeps it. Nothing is kept if that fails.
	Add(ctx context.Context, n hive.NewExecutor) (hive.ExecutorView, error)
	SetOffline(ctx context.Context, name string, offline bool) error
	// SetDrained keeps new work from it until it is started anew.
	SetDrained(ctx context.Context, name string, drained bool) error
	// Held lists what it has or was offered, oldest first.
	Held(ctx context.Context, name string) ([]hive.HeldView, error)
	Delete(ctx context.Context, name string) error
}

// Live brings changes to those who follow them.
type Live interface {
	// Connect brings in a client of a user, who has to leave when ended is closed.
	Connect(user int64, ended <-chan struct{}) (LiveClient, error)
}

// LiveClient is one who follows topics. Follow, Drop and End may be called while Next waits.
type LiveClient interface {
	// Follow begins a topic under a number of the client's; one that has that number already ends.
	Follow(id int, topic hive.LiveTopic, batch int64) error
	Drop(id int)
	// Next waits for the next frame. An error says why the client has to leave, unless ctx has ended.
	Next(ctx context.Context) (hive.LiveFrame, error)
	// End has Next answer why.
	End(why error)
	Close()
}
