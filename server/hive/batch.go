package hive

import (
	"maps"
	"time"
)

// Schedule is the row beside a schedule's revisions: its name, its switch and its newest revision.
type Schedule struct {
	ID        int64
	Name      string
	Enabled   bool      // publishing never changes it
	Revision  int64     // number of the newest revision
	Mark      time.Time // ticks up to and including Mark are decided; zero before the first decision
	Counted   int       // batches that count against maxBatches
	CreatedAt time.Time
	UpdatedAt time.Time
	EnabledAt time.Time // when it was last enabled by a person; zero if never

	ArchivedAt   time.Time // zero if it is not archived
	ArchivedBy   string
	UnarchivedAt time.Time // when it was last unarchived; zero if never
	Deleting     bool      // it is archived, and its rows are being deleted

	Former []string // the names that it had before, sorted; only where a schedule is read by itself or in the list
	// NextAt is when the ticker looks at the schedule next: no moment of it is due before. Zero: the ticker does not
	// know it yet, because something has changed. Never: no moment is known.
	NextAt  time.Time
	Version int64 // grows with each change that sets NextAt to zero
	Linked  int64 // the stored links are those of this revision
}

// Never returns a time that is later than all moments.
func Never() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// Archived reports whether people do not use the schedule any more: it has no ticks, and nothing of it is changed.
func (s *Schedule) Archived() bool { return !s.ArchivedAt.IsZero() }

// Active reports whether the ticks of the schedule may make batches.
func (s *Schedule) Active() bool { return s.Enabled && !s.Archived() }

// IfArchived refuses what an archived schedule cannot do; nil if the schedule is not archived.
func (s *Schedule) IfArchived() error {
	switch {
	case s.Deleting:
		return Errorf(CodeConflict, "schedule %s is being deleted; wait until it is gone", s.Name).
			WithReason(ErrorScheduleDeleting, "schedule", s.Name)
	case s.Archived():
		return Errorf(CodeConflict, "schedule %s is archived; unarchive it first", s.Name).
			WithReason(ErrorScheduleArchived, "schedule", s.Name)
	default:
		return nil
	}
}

// Revision is one immutable version of a schedule's definition.
type Revision struct {
	ID         int64
	ScheduleID int64  // 0 for the definition of an adhoc batch
	Number     int64  // 1, 2, … within the schedule
	Document   string // canonical YAML, with comments
	Hash       string // hex SHA-256 of Document
	CreatedAt  time.Time
	CreatedBy  string
	Note       string // a remark of its author

	RenamedFrom string // the name that this revision changed; empty for the others
}

// Batch is one run of one revision of a schedule.
type Batch struct {
	ID         int64
	ScheduleID int64  // 0 for adhoc
	Schedule   string // name; empty for adhoc
	RevisionID int64
	Revision   int64 // number; 0 for adhoc
	Kind       BatchKind
	State      BatchState
	Wish       Wish
	Reason     Reason
	Round      int
	Moment     time.Time      // logical time: the tick's moment, or the time of a person's request
	Params     map[string]any // given for this batch, over the definition's
	CreatedAt  time.Time
	CreatedBy  string
	StartedAt  time.Time     // of round 1
	RoundAt    time.Time     // start of the current round; the batch's timeout counts from here
	FinishedAt time.Time     // of the current round; zero while live
	PausedAt   time.Time     // since when it is paused; zero if it is not
	PausedFor  time.Duration // earlier pauses of this round
	// JobClocks has the start of each job's timeout: the first start of one of its tasks in the job's round, plus the
	// pauses since. It only has jobs with a timeout that have started and not ended; nil if there are none.
	JobClocks  map[string]time.Time
	Owner      string // server id that decides it while live
	Live       bool   // queued or running
	ClosedNote string // a person closed the failed batch, with this note
	Backfill   int64  // the backfill that made it; 0 if none did
	// Hook is the end that a batch of hooks follows; nil for all other kinds.
	Hook *HookEvent
	// Counts is stored by the commit that ends a round. It is nil for a live batch, unless package batch has filled it
	// in.
	Counts Counts
}

// CountsForOverlap reports whether other batches of the schedule wait for b. They do not wait for a batch of a
// backfill, unless a person has resumed it.
func (b *Batch) CountsForOverlap() bool { return b.Kind != KindBackfill || b.Round > 1 }

// lateTimes is the multiple of its usual duration at which a batch counts as late.
const lateTimes = 2

// RunsLate reports whether a running batch takes much longer than usual. usual is 0 if it is unknown.
func (b *Batch) RunsLate(usual time.Duration, now time.Time) bool {
	took := now.Sub(b.RoundAt) - b.PausedFor
	if !b.PausedAt.IsZero() {
		took -= now.Sub(b.PausedAt)
	}
	return usual > 0 && took > lateTimes*usual
}

// Run is one task (or one shard of it) in one batch.
type Run struct {
	ID      int64
	BatchID int64
	Number  int    // 0, 1, … within the batch; stable for its life
	Job     string // job key
	Task    string // task key
	Shard   int    // 0 for the run of a task; else it is a shard, and this is its index plus 1
	// Part is what a shard works on. The run of a sharded task only has the total, once the shards are fixed; that of
	// any other task has none. A shard without Part does not count: the task has fewer shards now.
	Part   *Shard
	State  RunState
	Reason Reason
	Detail string // words beside the reason, for people; at most 1 KiB, valid UTF-8
	// DetailReason is the reason of Detail as a text; nil if it has none.
	DetailReason *TextReason
	Cause        string    // task key whose end caused a skip
	NotBefore    time.Time // earliest next offer after a failure
	Round        int       // round in which it was last set to waiting
	Attempt      int64     // id of the open attempt; 0 if none
	Attempts     int       // of all rounds, without returned ones
	Failures     int       // failed attempts of this round
	Losses       int       // lost attempts of this round
	Rejects      int       // offers of this round that executors rejected, if the task limits them
	StartedAt    time.Time // of its latest attempt
	FinishedAt   time.Time
	ExitCode     *int
	Outputs      map[string]string // of the attempt that succeeded; nil otherwise
	ChangedAt    time.Time
}

// Equal reports whether two rows of a run agree in all columns.
func (r *Run) Equal(o *Run) bool {
	return r.ID == o.ID && r.BatchID == o.BatchID && r.Number == o.Number && r.Job == o.Job && r.Task == o.Task &&
		r.Shard == o.Shard && equalValues(r.Part, o.Part) &&
		r.State == o.State && r.Reason == o.Reason && r.Detail == o.Detail &&
		r.DetailReason.Equal(o.DetailReason) &&
		r.Cause == o.Cause && r.NotBefore.Equal(o.NotBefore) && r.Round == o.Round && r.Attempt == o.Attempt &&
		r.Attempts == o.Attempts && r.Failures == o.Failures && r.Losses == o.Losses && r.Rejects == o.Rejects &&
		r.StartedAt.Equal(o.StartedAt) && r.FinishedAt.Equal(o.FinishedAt) &&
		equalValues(r.ExitCode, o.ExitCode) && maps.Equal(r.Outputs, o.Outputs) && r.ChangedAt.Equal(o.ChangedAt)
}

// equalValues compares what two pointers point to; nil equals nil only.
func equalValues[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// Attempt is one hand-over of a run to one executor. Its id and its key together are the idempotency key.
type Attempt struct {
	ID           int64
	Key          string // random, made with the offer; see AttemptRef
	BatchID      int64
	RunID        int64
	Number       int // 1, 2, … within the run
	Round        int
	Executor     string // executor id
	ExecutorName string
	State        AttemptState
	Outcome      Outcome
	ExitCode     *int
	Error        string // for people; at most 4 KiB, valid UTF-8 without NUL
	Outputs      map[string]string
	KillingAt    time.Time // when the kill was decided
	KillReason   Reason
	OfferedAt    time.Time
	StartedAt    time.Time
	FinishedAt   time.Time
	LogBytes     int64           // size of the complete log, once ended
	Notes        []string        // rejects, unreachable offers and a wish not to retry, a line each; at most 20
	Reasons      *AttemptReasons // of Error and Notes; nil for most attempts
	Scheduling   *Scheduling     // how its executor was chosen; nil if there was no choice
	Params       string          // what its params were rendered to, see expression.Sent; "" if nothing was rendered
	Pool         string          // whose slots it holds until it ends; empty for none
	Slots        int             // of the pool
}

// OmittedParams is the name under which the Params of an Attempt count what is left out of them.
const OmittedParams = "…"

// Tick is one due moment of a schedule, with its one decision.
type Tick struct {
	ID         int64
	ScheduleID int64
	Moment     time.Time // unique with ScheduleID
	Until      time.Time // last moment of a range row ("missed", more than 100); zero for a single tick
	Count      int       // ticks in the range row; 1 for a single tick
	Trigger    string    // the cron
	Decision   Decision
	Rule       string // the rule that decided: on_time, catch_up, expire, overlap, paused, max_batches, …
	Detail     string
	BatchID    int64 // 0 if none
	RevisionID int64
	DecidedAt  time.Time
	Wait       Wait           // of a waiting tick, and of one that a person released
	Change     *PlannedChange // of its moment; nil for none
}

// Command is a request of a person or a program to a live batch: a durable row that the owner applies.
type Command struct {
	ID        int64
	BatchID   int64
	Kind      CommandKind
	Key       string // idempotency key, unique; a second insert answers with the first
	Payload   []byte // JSON, by kind
	State     CommandState
	Answer    []byte // JSON: the applied plan or a problem
	CreatedAt time.Time
	CreatedBy string
	DoneAt    time.Time
}

// CommandKind is the kind of a command.
type CommandKind string

// The kinds of commands.
const (
	CommandWish   CommandKind = "wish"   // run, pause or cancel of the batch; payload WishPayload
	CommandRepair CommandKind = "repair" // payload PlanRequest
)

// CommandState is the state of a command.
type CommandState string

// The states of a command.
const (
	CommandPending CommandState = "pending"
	CommandApplied CommandState = "applied"
	CommandRefused CommandState = "refused"
)

// CommandFilter selects the commands of one batch, newest first.
type CommandFilter struct {
	Batch  int64
	Before int64 // only commands with smaller ids; 0: from the newest
	Limit  int
}

// Server is one server session's row.
type Server struct {
	ID         string // stable: kept in the data folder
	Epoch      int64  // cluster-wide, growing; drawn anew at every start and takeover
	Address    string // where its API listens (--listen); no server calls another one
	Version    string
	StartedAt  time.Time
	LeaseUntil time.Time // by the database's clock
}

// HandOver is the result of giving a server's batches to another server.
type HandOver struct {
	Heir bool    // another server is alive; otherwise nothing was given
	Kept []int64 // batches that stay with this server until its lease is over
}

// Executor is the stored data of an executor.
type Executor struct {
	ID        string // from the executor's data folder, or made of its address
	Name      string // unique; offline is kept by it
	Group     string
	Labels    map[string]string
	Address   string // host:port
	TLS       bool
	Secret    string // the server's proof to the executor; set at registration. Never logged or sent to clients
	Slots     int
	Handlers  []Handler
	Version   string
	BootID    string
	Offline   bool // by hand
	Durable   bool // offers submit, poll, attach; else only the blocking run
	CreatedAt time.Time
	SeenAt    time.Time

	Origin        Origin // empty: registered
	SlotsByPerson bool   // a person has set the number of slots
	Drained       bool   // by hand, until it has another boot id. Read only, see the store's SetDrained
}

// Handler is a kind of work that an executor offers.
type Handler struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema,omitempty"` // JSON Schema of its params
	Survives    bool   `json:"survives"`         // its work outlives a killed executor
}

// User is a person who may log in.
type User struct {
	ID           int64
	Name         string
	Admin        bool
	PasswordHash string // argon2id, PHC format
	CreatedAt    time.Time
}

// MaxTokens is the number of tokens that a user may have.
const MaxTokens = 200

// Token lets a program act: as a user on the API, or as an executor of one group at registration.
type Token struct {
	ID        int64
	UserID    int64  // 0 for an executor token
	Group     string // for an executor token
	Hash      string // hex SHA-256 of the token; the token itself is never stored
	Name      string
	CreatedAt time.Time
	ExpiresAt time.Time // zero: never
	UsedAt    time.Time
}
