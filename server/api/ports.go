// Package api is the HTTP API of a server. openapi.yaml describes it, stub and model are generated from that, and the
// handlers here translate between the API and the ports. They decide nothing about schedules or batches.
package api

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Ports are the parts of the server that the handlers call. Errors for people are *hive.Error. Other errors are only
// logged; the answer does not show them.
type Ports struct {
	Auth        Auth
	Sessions    Sessions
	System      System
	Schedules   Schedules
	Archive     Archive
	Retention   Retention
	Renames     Renames
	Revisions   Revisions
	Documents   Documents
	Drafts      Drafts
	Batches     Batches
	Backfills   Backfills
	Chains      Chains
	Runs        Runs
	Commands    Commands
	Logs        Logs
	Executors   Executors
	Limits      Limits
	Calendars   Calendars
	Alerts      Alerts
	AlertLog    AlertLog
	Forecasts   Forecasts
	Night       Night
	Webhooks    Webhooks
	Changes     Changes
	Secrets     Secrets
	SecretKey   SecretKey
	Connections Connections
	Reports     Reports
	Live        Live
}

// Secrets keeps the secrets of tasks. Nothing of it returns a value.
type Secrets interface {
	List(ctx context.Context) ([]hive.Secret, error)
	Set(ctx context.Context, c hive.SecretChange) (hive.Secret, error)
	// Delete returns CodeConflict if schedules use the secret, unless it is forced.
	Delete(ctx context.Context, name, by string, force bool) error
}

// Connections keeps the connections of the server.
type Connections interface {
	Types() []hive.ConnectionType
	List(ctx context.Context) ([]hive.ConnectionView, error) // by name
	Get(ctx context.Context, name string) (hive.ConnectionView, error)
	Save(ctx context.Context, r hive.SaveRequest) (hive.SavedConnection, error)
	// Delete returns CodeConflict if schedules use the connection, unless it is forced.
	Delete(ctx context.Context, name, by string, force bool) error
	// Test tries a connection on an executor of a group; of any that may have it if that is empty.
	Test(ctx context.Context, name, group, by string) (hive.ConnectionTest, error)
}

// SecretKey is the key that secrets are encrypted with.
type SecretKey interface {
	// Rotate encrypts all secrets with the next key, and returns its id. With want, CodeConflict if that is another id.
	Rotate(ctx context.Context, want, by string) (id string, err error)
}

// Auth checks and manages tokens.
type Auth interface {
	// Authenticate returns the owner of a token, or CodeUnauthorized if it is not valid.
	Authenticate(ctx context.Context, token string) (hive.Identity, error)
	// Tokens lists the tokens of a user, oldest first.
	Tokens(ctx context.Context, user int64) ([]hive.Token, error)
	// CreateToken makes a token of a user, or of a group if t has one. It returns the only copy of the token's text.
	CreateToken(ctx context.Context, t hive.Token) (stored hive.Token, text string, err error)
	// DeleteToken revokes a token. If user is not 0, the token must belong to that user.
	DeleteToken(ctx context.Context, id, user int64) error
}

// Sessions manages the sessions of browsers. LogIn and SetUp return the only copy of the new session's text.
type Sessions interface {
	// Session returns the owner of a session by its text, or CodeUnauthorized if it is not valid.
	Session(ctx context.Context, text string) (hive.Identity, error)
	// NeedsSetup reports whether there is no user yet.
	NeedsSetup(ctx context.Context) (bool, error)
	// SetUp makes the first user, an administrator, and logs them in; CodeConflict if there is a user.
	SetUp(ctx context.Context, name, password, code string, v hive.Visitor) (id hive.Identity, text string, err error)
	LogIn(ctx context.Context, name, password string, v hive.Visitor) (id hive.Identity, text string, err error)
	LogOut(ctx context.Context, id hive.Identity) error
	// ChangePassword ends all other sessions of the user.
	ChangePassword(ctx context.Context, id hive.Identity, current, next string) error
	// Watch returns a channel that is closed when the session or token of id ends. Call stop when it is no longer
	// needed.
	Watch(id hive.Identity) (ended <-chan struct{}, stop func())
}

// System is the server itself.
type System interface {
	Info() hive.ServerInfo
	// Ready checks what the server depends on.
	Ready(ctx context.Context) []hive.Check
	// Notices returns the notices that the database went back to an earlier state, newest first.
	Notices(ctx context.Context) ([]hive.Notice, error)
	DismissNotice(ctx context.Context, id int64, by string) error
	// TickAlarms lists the reasons why ticks are not decided. It is empty if all is well.
	TickAlarms() []hive.TickAlarm
}

// Schedules keeps definitions and the decisions about their ticks.
type Schedules interface {
	// List returns a page of schedules, without their documents.
	List(ctx context.Context, f hive.ScheduleFilter) (hive.SchedulePage, error)
	// Labels lists the tags and the owners of all schedules that are not archived.
	Labels(ctx context.Context) (tags, owners []string, err error)
	Get(ctx context.Context, name string) (hive.ScheduleView, error)
	Validate(ctx context.Context, document []byte) (hive.Verdict, error)
	Save(ctx context.Context, r hive.SaveRequest) (hive.Saved, error)
	SetEnabled(ctx context.Context, name string, on bool) error
	// Ticks returns at most limit ticks before a moment, latest first.
	Ticks(ctx context.Context, name string, before time.Time, limit int) ([]hive.Tick, error)
	// Release ends the wait of one tick: it starts without what is missing, or is skipped.
	Release(ctx context.Context, r hive.ReleaseRequest) error
}

// Archive ends the use of schedules.
type Archive interface {
	// SetArchived archives or unarchives a schedule. CodeConflict if others wait for it and nobody has confirmed that.
	SetArchived(ctx context.Context, r hive.ArchiveRequest) (hive.Schedule, error)
	// Delete begins to delete an archived schedule with all that belongs to it.
	Delete(ctx context.Context, name, by string) (hive.Deletion, error)
	// Deletions lists the deletions of schedules, latest first, at most limit.
	Deletions(ctx context.Context, limit int) ([]hive.Deletion, error)
}

// Retention deletes what is old.
type Retention interface {
	// Prune deletes for a short time what exceeds the limits, or counts it.
	Prune(ctx context.Context, r hive.PruneRequest) (hive.PruneReport, error)
	// DiskUse returns how much disk is used, and how it grows.
	DiskUse(ctx context.Context) (hive.DiskReport, error)
}

// Reports tells how batches, tasks and executors did over many days.
type Reports interface {
	Batches(ctx context.Context, r hive.ReportRequest) (hive.BatchReport, error)
	Tasks(ctx context.Context, r hive.ReportRequest) (hive.TaskReport, error)
	Executors(ctx context.Context, r hive.ReportRequest) (hive.ExecutorReport, error)
}

// Renames gives schedules other names.
type Renames interface {
	// Rename renames a schedule, and stores the documents of those that wait for it. A rename that has happened already
	// changes nothing.
	Rename(ctx context.Context, r hive.RenameRequest) (hive.Renamed, error)
	// ReleaseName frees a former name. CodeConflict if triggers still name it.
	ReleaseName(ctx context.Context, former string) error
}

// Forecasts tells what the schedules will do.
type Forecasts interface {
	// ForecastSlots tells how many slots of executors are to be wanted.
	ForecastSlots(ctx context.Context, r hive.SlotsRequest) (hive.SlotsForecast, error)
	// ForecastTicks tells which decisions are to be expected.
	ForecastTicks(ctx context.Context, r hive.TickForecastRequest) (hive.TickForecast, error)
	// ForecastMonth tells what the days of a month do, and what differs from day to day.
	ForecastMonth(ctx context.Context, r hive.MonthRequest) (hive.ForecastMonth, error)
	// Chain computes how a schedule goes on, with those that it waits for and those that wait for it.
	Chain(ctx context.Context, r hive.ChainRequest) (hive.Chain, error)
}

// Night tells what happens around now, over all schedules.
type Night interface {
	// Night tells what ran, runs and will run in a window of time.
	Night(ctx context.Context, r hive.NightRequest) (hive.Night, error)
	// Open lists the failed batches that nobody has settled, newest first.
	Open(ctx context.Context, before int64, limit int) (hive.OpenList, error)
}

// Changes plans changes of coming moments.
type Changes interface {
	// PlannedChanges lists the changes of a schedule, the latest moment first.
	PlannedChanges(ctx context.Context, schedule string) ([]hive.PlannedChange, error)
	PlanChange(ctx context.Context, r hive.ChangeRequest) (hive.PlannedChange, error)
	// UndoChange returns CodeConflict if the moment is decided already.
	UndoChange(ctx context.Context, schedule string, moment time.Time) error
}

// Revisions reads the revisions of schedules. Number 0 is the newest one.
type Revisions interface {
	Revisions(ctx context.Context, name string) ([]hive.Revision, error) // newest first, without their documents
	Revision(ctx context.Context, name string, number int64) (hive.Revision, error)
	// RevisionView returns a revision with its definition as JSON.
	RevisionView(ctx context.Context, name string, number int64) (hive.RevisionView, error)
}

// AlertLog tries channels, and shows what was reported.
type AlertLog interface {
	// SetSecrets sets secrets of a channel by their names; an empty one is deleted.
	SetSecrets(ctx context.Context, channel string, secrets map[string]string, by string) error
	// Test sends a message in a language; in that of the channel if it is empty.
	Test(ctx context.Context, channel, language string) (hive.ChannelTest, error)
	// Try sends a message to a channel that need not be stored.
	Try(ctx context.Context, r hive.ChannelTrial) (hive.ChannelTest, error)
	Events(ctx context.Context, f hive.AlertFilter) ([]hive.AlertLogEntry, error) // latest first
	// Take returns CodeConflict if there is no open problem.
	Take(ctx context.Context, in hive.TakeAlerts) ([]hive.AlertLogEntry, error)
	// SendAgain returns CodeConflict if the delivery is still to be sent.
	SendAgain(ctx context.Context, delivery int64) (hive.AlertDelivery, error)
	Tries(ctx context.Context, delivery int64) ([]hive.AlertTry, error) // oldest first
}

// Alerts keeps rules and channels: hive.KindAlert and hive.KindChannel.
type Alerts interface {
	List(ctx context.Context, kind string) ([]hive.AlertDocumentView, error) // by name, without their documents
	Get(ctx context.Context, kind, name string) (hive.AlertDocumentView, error)
	// Convert writes a rule or a channel as YAML and as JSON, even if it has faults.
	Convert(ctx context.Context, kind string, document []byte) (hive.AlertConversion, error)
	Save(ctx context.Context, kind string, r hive.SaveRequest) (hive.SavedAlertDocument, error)
	// Delete returns CodeConflict if a rule names the channel.
	Delete(ctx context.Context, kind, name string) error
	Revisions(ctx context.Context, kind, name string) ([]hive.AlertRevision, error) // newest first
	Revision(ctx context.Context, kind, name string, number int64) (hive.AlertRevisionView, error)
}

// Calendars keeps calendars and their revisions. Number 0 is the newest revision.
type Calendars interface {
	ListCalendars(ctx context.Context) ([]hive.CalendarView, error) // by name, without their documents
	GetCalendar(ctx context.Context, name string) (hive.CalendarView, error)
	SaveCalendar(ctx context.Context, r hive.SaveRequest) (hive.SavedCalendar, error)
	// DeleteCalendar returns CodeConflict if a schedule uses the calendar.
	DeleteCalendar(ctx context.Context, name string) error
	CalendarRevisions(ctx context.Context, name string) ([]hive.CalendarRevision, error) // newest first
	CalendarRevision(ctx context.Context, name string, number int64) (hive.CalendarRevisionView, error)
	// ReadCalendarFile stores nothing. Faults are part of the answer.
	ReadCalendarFile(ctx context.Context, f hive.CalendarFile) (hive.CalendarFileDays, error)
}

// Webhooks manages and receives the webhooks of schedules.
type Webhooks interface {
	List(ctx context.Context, schedule string) ([]hive.WebhookView, error)
	// NewSecret returns the only copy of the secret's text.
	NewSecret(ctx context.Context, r hive.WebhookSecretRequest) (string, error)
	// Call stores a call; again says that one with the same key was stored before. CodeUnauthorized if the secret is
	// wrong.
	Call(ctx context.Context, r hive.WebhookRequest) (c hive.WebhookCall, again bool, err error)
}

// Documents checks and converts documents that are not saved.
type Documents interface {
	// Convert writes a document as YAML and as JSON, even if it has faults.
	Convert(ctx context.Context, document []byte) (hive.Conversion, error)
	Forecast(ctx context.Context, r hive.ForecastRequest) (hive.Forecast, error)
	Preview(ctx context.Context, r hive.PreviewRequest) (hive.Preview, error)
}

// Drafts stores drafts under the names of schedules, which need not exist.
type Drafts interface {
	Drafts(ctx context.Context, user int64) ([]hive.Draft, error) // by name, without their documents
	Draft(ctx context.Context, user int64, name string) (hive.Draft, error)
	// PutDraft replaces the draft with version d.Version by d, or creates a draft if that is 0. CodeConflict if the
	// stored version is another one.
	PutDraft(ctx context.Context, d hive.Draft) (hive.Draft, error)
	// DeleteDraft deletes a draft, if there is one. CodeConflict if it has another version, unless version is 0.
	DeleteDraft(ctx context.Context, user int64, name string, version int64) error
}

// Batches makes batches and shows them.
type Batches interface {
	Create(ctx context.Context, r hive.RunRequest) (hive.BatchView, error)
	// List selects batches, newest first, with their counts.
	List(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error)
	// Grid selects batches of one schedule with the runs of their tasks in short.
	Grid(ctx context.Context, f hive.BatchFilter) (hive.RunGrid, error)
	// Usual returns how long batches usually take, by schedule id.
	Usual(ctx context.Context, list []hive.Batch) (map[int64]time.Duration, error)
	Definition(ctx context.Context, id int64) (hive.RevisionView, error)
	Overview(ctx context.Context) (hive.Overview, error)
	View(ctx context.Context, id int64, runs bool) (hive.BatchView, error)
	// Links lists the batches whose success let a batch start, and those that it let start.
	Links(ctx context.Context, id int64) (causes, caused []hive.BatchLink, err error)
}

// Backfills runs schedules for many moments of the past.
type Backfills interface {
	// Preview checks a request and stores nothing.
	Preview(ctx context.Context, r hive.BackfillRequest) (hive.BackfillPreview, error)
	Create(ctx context.Context, r hive.BackfillRequest) (hive.Backfill, error)
	// List selects backfills, newest first.
	List(ctx context.Context, f hive.BackfillFilter) ([]hive.Backfill, error)
	Get(ctx context.Context, id int64) (hive.Backfill, error)
	// SetWish pauses, continues or cancels a backfill.
	SetWish(ctx context.Context, id int64, wish hive.Wish, by string) (hive.Backfill, error)
}

// Chains runs batches again together with what followed them in other schedules.
type Chains interface {
	// Preview tells what followed a batch. It stores nothing.
	Preview(ctx context.Context, batch int64) (hive.ChainPreview, error)
	// Apply repairs a batch and what followed it. chain is the chain repair; 0 if nothing followed.
	Apply(ctx context.Context, r hive.ChainRepairRequest) (c hive.Command, chain int64, err error)
	// List selects chain repairs, newest first.
	List(ctx context.Context, f hive.ChainRepairFilter) ([]hive.ChainRepair, error)
	Get(ctx context.Context, id int64) (hive.ChainRepair, error)
	Cancel(ctx context.Context, id int64, by string) (hive.ChainRepair, error)
}

// Runs shows the runs of a batch and their attempts.
type Runs interface {
	// History returns the runs of former rounds.
	History(ctx context.Context, id int64) ([]hive.Run, error)
	// Attempts lists attempts, oldest first. If task is not empty, only the attempts of that task.
	Attempts(ctx context.Context, id int64, task string) ([]hive.AttemptView, error)
	// UsualRuns returns when the tasks of a batch usually run, by the batches before it.
	UsualRuns(ctx context.Context, id int64) ([]hive.UsualRun, error)
	// SlotHolders finds the other batches that had the slots that a task could use.
	SlotHolders(ctx context.Context, id int64, task string, in hive.Span) (hive.SlotHolders, error)
	// Why explains the state of a task's run.
	Why(ctx context.Context, id int64, task string) (hive.Why, error)
}

// Commands changes batches. A returned command is still pending if the owner did not answer in time.
type Commands interface {
	Plan(ctx context.Context, r hive.RepairRequest) (hive.Plan, error)
	Repair(ctx context.Context, r hive.RepairRequest) (hive.Command, error)
	Wish(ctx context.Context, r hive.WishRequest) (hive.Command, error)
	Command(ctx context.Context, id int64) (hive.Command, error)
	// Commands lists commands of a batch, newest first.
	Commands(ctx context.Context, f hive.CommandFilter) ([]hive.Command, error)
}

// Logs reads logs, wherever they are.
type Logs interface {
	// Read returns at most limit bytes from offset on, or fewer at the end.
	Read(ctx context.Context, a hive.Attempt, offset, limit int64) (hive.LogPart, error)
	// Find searches for a line, within the limits of bytes and time of one answer.
	Find(ctx context.Context, a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error)
}

// Limits manages the limits on what runs, and the pools.
type Limits interface {
	// List lists them by kind and name, pools last.
	List(ctx context.Context) ([]hive.LimitUse, error)
	Set(ctx context.Context, l hive.Limit) (hive.LimitUse, error)
	Delete(ctx context.Context, k hive.LimitKey, by string) error
}

// Executors manages the executors.
type Executors interface {
	List(ctx context.Context) ([]hive.ExecutorView, error)
	// Add asks the executor at an address for its description and stores it. Nothing is stored if that fails.
	Add(ctx context.Context, n hive.NewExecutor) (hive.ExecutorView, error)
	SetOffline(ctx context.Context, name string, offline bool) error
	// SetDrained stops sending new work to an executor until it is started again.
	SetDrained(ctx context.Context, name string, drained bool) error
	// Held lists the attempts that an executor holds or was offered, oldest first.
	Held(ctx context.Context, name string) ([]hive.HeldView, error)
	Delete(ctx context.Context, name string) error
	// Groups lists the groups that have executors or settings, by name.
	Groups(ctx context.Context) ([]hive.ExecutorGroupView, error)
	SetGroup(ctx context.Context, g hive.ExecutorGroup) (hive.ExecutorGroupView, error)
}

// Live connects clients to the live hub.
type Live interface {
	// Connect adds a client of a user by id and name. The client must leave when ended is closed.
	Connect(user int64, name string, ended <-chan struct{}) (LiveClient, error)
}

// LiveClient follows topics. All methods but Close may be called while Next waits.
type LiveClient interface {
	// Follow begins a topic under a number that the client chose. A topic that already has that number ends.
	Follow(id int, topic hive.LiveTopic, batch int64) error
	// Join is Follow for the topic presence of a schedule. It shows the client to all who follow that topic.
	Join(id int, schedule string, p hive.Presence) error
	// Present replaces what the client says of itself in a topic that it has joined. Its window stays the same.
	Present(id int, p hive.Presence)
	Drop(id int)
	// Next waits for the next frame. An error explains why the client must leave, unless ctx has ended.
	Next(ctx context.Context) (hive.LiveFrame, error)
	// End makes Next return why.
	End(why error)
	Close()
}
