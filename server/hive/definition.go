// Package hive has the types that all other packages share: the terms of the glossary as Go types. It only imports the
// standard library, and has no I/O and no clock.
package hive

import (
	"cmp"
	"strings"
)

// APIVersion and KindSchedule are the only values the head of a definition may have.
const (
	APIVersion   = "hivego/v1"
	KindSchedule = "Schedule"
)

// Definition is one schedule as people write it: triggers, policies and an ordered list of jobs. YAML, JSON,
// table and canvas are views of it. Jobs and tasks are known by their keys, never by ids.
type Definition struct {
	APIVersion  string         `json:"apiVersion"`
	Kind        string         `json:"kind"`
	Name        string         `json:"name"` // unique on a server; [a-z0-9-], at most 63 characters
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Tags        []string       `json:"tags,omitempty"`     // by which rules of alerts select schedules
	Owners      []string       `json:"owners,omitempty"`   // who answers for the schedule: names or mail addresses
	Timezone    string         `json:"timezone,omitempty"` // IANA name; UTC when empty
	Triggers    []Trigger      `json:"triggers,omitempty"`
	Flow        Flow           `json:"flow,omitempty"` // needs when empty
	Policy      Policy         `json:"policy,omitzero"`
	Params      map[string]any `json:"params,omitempty"` // name [a-z][a-z0-9_]* to a scalar
	OnFailure   []Hook         `json:"onFailure,omitempty"`
	OnSuccess   []Hook         `json:"onSuccess,omitempty"`
	OnEnd       []Hook         `json:"onEnd,omitempty"`
	Jobs        []Job          `json:"jobs"`
}

// FromEnd is the only value of Trigger.From.
const FromEnd = "end"

// Trigger determines when a schedule is due by itself. It has one of Cron, At, Every and Webhook. After may stand with
// a cron or alone.
type Trigger struct {
	Cron   string   `json:"cron,omitempty"`   // 5 or 6 fields (seconds first), @daily, @every 10m, Quartz's ?
	At     string   `json:"at,omitempty"`     // one moment, such as 2026-12-24T18:00, in the schedule's zone
	Every  Duration `json:"every,omitempty"`  // so long after the last batch has ended; 0 is none
	From   string   `json:"from,omitempty"`   // what Every counts from: FromEnd
	Start  string   `json:"start,omitempty"`  // the cron has no moments before this date or time
	End    string   `json:"end,omitempty"`    // the cron has no moments after it; a date includes its whole day
	Jitter Duration `json:"jitter,omitempty"` // each moment is due later by a part of this; 0 is none
	DST    DST      `json:"dst,omitzero"`     // for crons with fixed hours; wildcard hours follow elapsed time

	After  []Upstream `json:"after,omitempty"`  // what its moments wait for; without a cron also what they follow
	Serial bool       `json:"serial,omitempty"` // a moment waits until the moment before has succeeded

	Calendar TriggerCalendar `json:"calendar,omitzero"` // the days on which the cron is due

	Webhook string            `json:"webhook,omitempty"` // its name: it is due when it is called over HTTP
	Accept  map[string]string `json:"accept,omitempty"`  // parameters from the body of a call, by JSON pointers
}

// Upstream is another schedule that a moment waits for.
type Upstream struct {
	Schedule string `json:"schedule"`
	Policy   string `json:"policy,omitempty"` // all when empty; any, last(n), first(n)
	Window   string `json:"window,omitempty"` // same_hour, same_day, last 6h, (-3d, 0h]
}

// The named windows and policies of an upstream.
const (
	WindowSameHour = "same_hour"
	WindowSameDay  = "same_day"
	PolicyAll      = "all" // default
	PolicyAny      = "any"
)

// String returns the text by which the ledger and lists name the trigger: its cron, with its bounds if it has any, such
// as "0 3 * * * from 2027-01-01 until 2027-01-31"; "at 2026-12-24T18:00"; "every 10m from end"; the upstreams, such as
// "after orders, customers"; or the webhook, such as "webhook files-ready". A jitter is left out: it does not change
// the moments.
func (t *Trigger) String() string {
	switch {
	case t.Webhook != "":
		return WebhookTrigger(t.Webhook)
	case t.Cron == "" && t.At != "":
		return "at " + t.At
	case t.Follows():
		names := make([]string, len(t.After))
		for i := range t.After {
			names[i] = t.After[i].Schedule
		}
		return "after " + strings.Join(names, ", ")
	}
	text := t.Cron
	if t.Every != 0 {
		text = "every " + t.Every.String() + " from " + t.From
	}
	if t.Start != "" {
		text += " from " + t.Start
	}
	if t.End != "" {
		text += " until " + t.End
	}
	return text
}

// WebhookTrigger is the text by which the ledger and lists name the trigger of a webhook.
func WebhookTrigger(name string) string { return "webhook " + name }

// HasSource reports whether something else than a cron gives the moments.
func (t *Trigger) HasSource() bool {
	return t.At != "" || len(t.After) > 0 || t.Every != 0 || t.From != "" || t.Webhook != ""
}

// Waits reports whether moments of the trigger may have to wait.
func (t *Trigger) Waits() bool { return len(t.After) > 0 || t.Serial }

// Follows reports whether the trigger has no moments of its own, so that the upstreams give them.
func (t *Trigger) Follows() bool {
	return t.Cron == "" && t.At == "" && t.Every == 0 && t.Webhook == "" && len(t.After) > 0
}

// DST determines what happens to a fixed hour that daylight saving skips or repeats.
type DST struct {
	Gap    string `json:"gap,omitempty"`    // run-after (default) | skip
	Repeat string `json:"repeat,omitempty"` // first (default) | last | both
}

// Flow determines whether jobs are barriers.
type Flow string

// The flows of a schedule.
const (
	FlowNeeds  Flow = "needs"  // default: a task starts as soon as its own rule is met
	FlowStrict Flow = "strict" // nothing starts before all earlier jobs are final
)

// Policy has the settings for the batches of a schedule.
type Policy struct {
	Timeout    Duration `json:"timeout,omitempty"` // of a round of a batch; 0 is none
	Overlap    Overlap  `json:"overlap,omitempty"` // skip when empty
	CatchUp    CatchUp  `json:"catchUp,omitzero"`
	Expire     Duration `json:"expire,omitempty"`     // a tick older than this is not run; 0 is never
	MaxBatches int      `json:"maxBatches,omitempty"` // scheduled and dependent batches; 0 is without end
	Keep       Keep     `json:"keep,omitzero"`
	Route      Route    `json:"route,omitempty"`    // of tasks without one; that of the group when empty
	Priority   int      `json:"priority,omitempty"` // of tasks without one; 5 when 0
}

// Keep determines how much of the past of a schedule stays. A limit that is nil is the server's; 0 is no limit. A batch
// goes once it exceeds one of them.
type Keep struct {
	Batches *int `json:"batches,omitempty"` // the newest so many
	Days    *int `json:"days,omitempty"`    // since the end of a batch
	Logs    *int `json:"logs,omitempty"`    // days since the end of a batch; its logs go, its rows stay
}

// The largest limits of a Keep.
const (
	MostKeptBatches = 10_000_000
	MostKeptDays    = 36_500
)

// Overlap determines what a tick does while another batch of its schedule is live.
type Overlap string

// The overlap policies.
const (
	OverlapAllow   Overlap = "allow"
	OverlapSkip    Overlap = "skip" // default
	OverlapQueue   Overlap = "queue"
	OverlapReplace Overlap = "replace"
)

// CatchUp determines what happens to ticks that came due while no server decided them.
type CatchUp struct {
	Mode  CatchUpMode `json:"mode,omitempty"`  // latest when empty
	Grace *Duration   `json:"grace,omitempty"` // a tick not older than this counts as on time; 5s when nil
}

// CatchUpMode is one of all, latest, none.
type CatchUpMode string

// The catch-up modes.
const (
	CatchUpAll    CatchUpMode = "all"
	CatchUpLatest CatchUpMode = "latest" // default
	CatchUpNone   CatchUpMode = "none"
)

// Job is one stage of a schedule. Jobs are serial; the tasks of one job are parallel.
type Job struct {
	Key         string   `json:"key"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Disabled    bool     `json:"disabled,omitempty"` // by hand; the runs of all its tasks are ignored
	Timeout     Duration `json:"timeout,omitempty"`  // from the first start of one of its tasks in a round
	Defaults    Defaults `json:"defaults,omitzero"`
	OnFailure   []Hook   `json:"onFailure,omitempty"`
	OnSuccess   []Hook   `json:"onSuccess,omitempty"`
	OnEnd       []Hook   `json:"onEnd,omitempty"`
	Tasks       []Task   `json:"tasks,omitempty"`
}

// Task is the smallest unit of a schedule. Its key is unique in the schedule, ignoring case.
type Task struct {
	Key          string            `json:"key"`
	Title        string            `json:"title,omitempty"`
	Description  string            `json:"description,omitempty"`
	Handler      string            `json:"handler"`
	Group        string            `json:"group,omitempty"`    // of executors; "default" when empty
	Executor     string            `json:"executor,omitempty"` // pins the task to the executor of this name
	Labels       map[string]string `json:"labels,omitempty"`   // an executor must carry all of them
	Selector     string            `json:"selector,omitempty"` // condition on the labels, see ParseSelector
	Route        Route             `json:"route,omitempty"`    // that of the schedule or the group when empty
	RouteKey     string            `json:"routeKey,omitempty"` // expr-lang; of route consistent_hash
	Reject       Reject            `json:"reject,omitzero"`
	Params       map[string]any    `json:"params,omitempty"` // by the handler's JSON Schema
	Needs        []string          `json:"needs,omitempty"`  // keys of tasks of earlier jobs; none: all of them
	Rule         Rule              `json:"rule,omitempty"`   // all_success when empty
	AllowFailure bool              `json:"allowFailure,omitempty"`
	Disabled     bool              `json:"disabled,omitempty"` // by hand; the run is ignored
	When         string            `json:"when,omitempty"`     // expr-lang over params, tick, outputs
	Retry        Retry             `json:"retry,omitzero"`
	Timeout      Duration          `json:"timeout,omitempty"`   // from the executor's receipt; 0 is none
	KillGrace    Duration          `json:"killGrace,omitempty"` // between SIGTERM and SIGKILL; 10s when 0
	Priority     int               `json:"priority,omitempty"`  // 1 to 10, 10 first; that of the schedule when 0
	Pool         Pool              `json:"pool,omitzero"`
	Shard        Sharding          `json:"shard,omitzero"`
	OnLost       OnLost            `json:"onLost,omitzero"`
	OnFailure    []Hook            `json:"onFailure,omitempty"`
	OnSuccess    []Hook            `json:"onSuccess,omitempty"`
	OnEnd        []Hook            `json:"onEnd,omitempty"`

	// NoTimeout, NoRetry and NoOnLost report that the task says none where its job has a default: timeout: 0s,
	// retry: {}, onLost: {}.
	NoTimeout bool `json:"-"`
	NoRetry   bool `json:"-"`
	NoOnLost  bool `json:"-"`
}

// Rule determines which effects of its needs let a task start.
type Rule string

// The rules. Each reads the effects of the task's needs.
const (
	RuleAllSuccess Rule = "all_success" // default: skips at the first failure or none
	RuleAllDone    Rule = "all_done"    // waits until all are final
	RuleOneSuccess Rule = "one_success" // starts at once at the first success
	RuleOneFailed  Rule = "one_failed"  // starts at once at the first failure
	RuleAllFailed  Rule = "all_failed"
)

// Reject determines what happens when executors reject a task because they are busy or drain.
type Reject struct {
	Max      *int     `json:"max,omitempty"`      // so often per round; no limit when nil
	Interval Duration `json:"interval,omitempty"` // pause before the next offer
}

// IsZero reports whether nothing is limited.
func (r Reject) IsZero() bool { return r == Reject{} }

// OnLost determines what happens to a run whose attempt is lost. It is independent of Retry.
type OnLost struct {
	Do  OnLostDo `json:"do,omitempty"`  // retry when empty (hold for executors that only offer run)
	Max *int     `json:"max,omitempty"` // retries after losses per round; 2 when nil
}

// OnLostDo is one of retry, hold, fail.
type OnLostDo string

// What to do with a lost attempt's run.
const (
	OnLostRetry OnLostDo = "retry"
	OnLostHold  OnLostDo = "hold"
	OnLostFail  OnLostDo = "fail"
)

// Defaults of fields that are left out of a definition.
const (
	DefaultGroup     = "default"
	DefaultPriority  = 5
	DefaultLostMax   = 2
	DefaultGrace     = Duration(5e9)  // catchUp.grace
	DefaultKillGrace = Duration(10e9) // killGrace
)

// EffectiveRule returns the task's rule, or its default.
func (t *Task) EffectiveRule() Rule {
	if t.Rule == "" {
		return RuleAllSuccess
	}
	return t.Rule
}

// EffectiveGroup returns the task's executor group, or its default.
func (t *Task) EffectiveGroup() string {
	if t.Group == "" {
		return DefaultGroup
	}
	return t.Group
}

// EffectivePriority returns the task's priority: its own, else that of its schedule, else the default.
func (t *Task) EffectivePriority(schedule int) int {
	return cmp.Or(t.Priority, schedule, DefaultPriority)
}

// EffectiveKillGrace returns the task's kill grace, or its default.
func (t *Task) EffectiveKillGrace() Duration {
	if t.KillGrace == 0 {
		return DefaultKillGrace
	}
	return t.KillGrace
}

// MaxLost returns how often a lost run is retried in one round.
func (o OnLost) MaxLost() int {
	if o.Max == nil {
		return DefaultLostMax
	}
	return *o.Max
}
