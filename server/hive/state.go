package hive

// RunState is the state of a task run. Only package state changes it.
type RunState string

// The nine states of a task run.
const (
	// RunWaiting: its rule is not met yet.
	RunWaiting RunState = "waiting"
	// RunReady: its rule is met; it waits for an executor, or until NotBefore after a failure, or its offer
	// is on the way. Before the first offer ready is derived, and the stored state is still waiting.
	RunReady RunState = "ready"
	// RunRunning: an executor gave a receipt for its attempt.
	RunRunning RunState = "running"
	// RunSucceeded is final: the attempt ended well, or a person marked it so.
	RunSucceeded RunState = "succeeded"
	// RunFailed is final: exit, timeout, refusal, loss; retries are used up.
	RunFailed RunState = "failed"
	// RunCanceled is final: canceled before or while it ran.
	RunCanceled RunState = "canceled"
	// RunUnknown: the executor of its attempt is silent. The run becomes running or succeeded when the executor is
	// back. At the end of the lease, OnLost decides; with OnLost hold the run stays until a person decides.
	RunUnknown RunState = "unknown"
	// RunSkipped is final: its rule can no longer be met.
	RunSkipped RunState = "skipped"
	// RunIgnored is final: disabled, when false, removed by a later revision, or marked so by a person.
	RunIgnored RunState = "ignored"
)

// RunStates lists the states in their canonical order.
func RunStates() []RunState {
	return []RunState{
		RunWaiting, RunReady, RunRunning, RunSucceeded, RunFailed, RunCanceled, RunUnknown, RunSkipped, RunIgnored,
	}
}

// Final reports whether only a repair plan can change s. The state alone does not show whether an unknown run is held.
func (s RunState) Final() bool {
	switch s {
	case RunSucceeded, RunFailed, RunCanceled, RunSkipped, RunIgnored:
		return true
	default:
		return false
	}
}

// Reason is the reason for which a run, attempt or batch is in its state. Codes are stable; texts accompany them.
type Reason string

// The reasons.
const (
	ReasonNone           Reason = ""
	ReasonExit           Reason = "exit"            // the work itself failed: exit code, SQL error
	ReasonTimeout        Reason = "timeout"         // of the task
	ReasonJobTimeout     Reason = "job_timeout"     // of its job
	ReasonBatchTimeout   Reason = "batch_timeout"   // of the whole batch
	ReasonRefused        Reason = "refused"         // the executor will never run it: bad params, unknown handler
	ReasonRejected       Reason = "rejected"        // executors were busy or draining more often than reject.max
	ReasonLost           Reason = "lost"            // the attempt is lost with its executor
	ReasonHeld           Reason = "held"            // unknown: lost, and onLost is hold
	ReasonSilent         Reason = "silent"          // unknown: the executor does not answer
	ReasonRetry          Reason = "retry"           // ready again after a failure
	ReasonLostRetry      Reason = "lost_retry"      // ready again after a loss
	ReasonKilled         Reason = "killed"          // ended by a kill that nobody requested here
	ReasonUpstreamFailed Reason = "upstream_failed" // skipped because of a failure; effect failure
	ReasonRule           Reason = "rule"            // skipped because its rule did not apply; effect none
	ReasonWhen           Reason = "when"            // ignored: its condition is false
	ReasonWhenError      Reason = "when_error"      // failed: its condition or params cannot be evaluated
	ReasonShards         Reason = "shards"          // failed: shards of the task have failed
	ReasonShardError     Reason = "shard_error"     // failed: its shards cannot be known, because of its expression
	ReasonDisabled       Reason = "disabled"        // ignored: disabled in the definition
	ReasonJobDisabled    Reason = "job_disabled"    // ignored: its job is disabled in the definition
	ReasonRemoved        Reason = "removed"         // ignored: the revision of the resume has no such task
	ReasonPerson         Reason = "person"          // a person decided it
	ReasonReplaced       Reason = "replaced"        // canceled: overlap replace
	ReasonBatchCanceled  Reason = "batch_canceled"
)

// Effect is the meaning of a final run for the rules of its dependents.
type Effect string

// The effects.
const (
	EffectPending Effect = ""        // not final
	EffectSuccess Effect = "success" // succeeded; ignored; failed with allowFailure
	EffectFailure Effect = "failure" // failed; canceled; skipped because of a failure
	EffectNone    Effect = "none"    // skipped because its rule did not apply, or after such a skip
)

// EffectOf returns the effect of a run in state s for reason r. allowFailure is the setting of its task.
func EffectOf(s RunState, r Reason, allowFailure bool) Effect {
	switch s {
	case RunSucceeded, RunIgnored:
		return EffectSuccess
	case RunFailed:
		if allowFailure {
			return EffectSuccess
		}
		return EffectFailure
	case RunCanceled:
		return EffectFailure
	case RunSkipped:
		if r == ReasonRule {
			return EffectNone
		}
		return EffectFailure
	default:
		return EffectPending
	}
}

// AttemptState is the state of an attempt.
type AttemptState string

// The states of an attempt.
const (
	AttemptOffered AttemptState = "offered" // durable here, no receipt yet
	AttemptRunning AttemptState = "running" // the executor has it
	AttemptEnded   AttemptState = "ended"
)

// Outcome tells how an attempt ended.
type Outcome string

// The outcomes.
const (
	OutcomeSuccess  Outcome = "success"
	OutcomeFailure  Outcome = "failure"
	OutcomeTimeout  Outcome = "timeout"
	OutcomeKilled   Outcome = "killed"
	OutcomeRefused  Outcome = "refused"
	OutcomeLost     Outcome = "lost"
	OutcomeReturned Outcome = "returned" // never started: BUSY, DRAINING, or a tombstone before the first receipt
)

// BatchState is the state of a batch.
type BatchState string

// The states of a batch.
const (
	BatchQueued    BatchState = "queued"
	BatchRunning   BatchState = "running"
	BatchSucceeded BatchState = "succeeded"
	BatchFailed    BatchState = "failed"
	BatchCanceled  BatchState = "canceled"
)

// Final reports whether nothing in the batch can still run.
func (s BatchState) Final() bool {
	return s == BatchSucceeded || s == BatchFailed || s == BatchCanceled
}

// Wish is the request of people to a batch, beside its state.
type Wish string

// The wishes.
const (
	WishRun    Wish = "run"
	WishPause  Wish = "pause"
	WishCancel Wish = "cancel"
)

// BatchKind tells what made a batch.
type BatchKind string

// The kinds of batches.
const (
	KindScheduled BatchKind = "scheduled"
	KindManual    BatchKind = "manual"
	KindBackfill  BatchKind = "backfill"
	KindDependent BatchKind = "dependent"
	KindAdhoc     BatchKind = "adhoc"
	KindHook      BatchKind = "hook" // the hooks of one end
)

// Decision is the decision about a tick. Every tick has exactly one; only waiting changes into another one.
type Decision string

// The decisions.
const (
	DecisionFired   Decision = "fired"
	DecisionQueued  Decision = "queued"
	DecisionSkipped Decision = "skipped"
	DecisionMerged  Decision = "merged"
	DecisionMissed  Decision = "missed"
	DecisionWaiting Decision = "waiting" // for other schedules, or for the moment before; it ends as one of the others
)
