package hive

import (
	"encoding/json"
	"time"
)

// The kinds of the documents of alerts.
const (
	KindAlert   = "Alert"
	KindChannel = "Channel"
)

// AlertKind is what an event of an alert is about.
type AlertKind string

// The kinds of events.
const (
	AlertStarted        AlertKind = "started"         // a round of a batch has started
	AlertSucceeded      AlertKind = "succeeded"       // a batch has succeeded
	AlertCanceled       AlertKind = "canceled"        // a batch was canceled
	AlertFailed         AlertKind = "failed"          // a batch has failed
	AlertHookFailed     AlertKind = "hook_failed"     // hooks of a batch, a job or a task have failed
	AlertRecovered      AlertKind = "recovered"       // what was reported as a problem is over
	AlertLate           AlertKind = "late"            // a batch has not ended in time
	AlertNotStarted     AlertKind = "not_started"     // a moment is due, and its batch has not started
	AlertSkipped        AlertKind = "skipped"         // moments in a row were skipped because a batch still ran
	AlertNeedsPerson    AlertKind = "needs_person"    // a task is held until a person decides
	AlertStuck          AlertKind = "stuck"           // a batch cannot be read or stored
	AlertExecutorLost   AlertKind = "executor_lost"   // an executor is silent
	AlertExecutorFull   AlertKind = "executor_full"   // an executor has had no free slot for long
	AlertClockJumped    AlertKind = "clock_jumped"    // no tick is decided
	AlertDiskShort      AlertKind = "disk_short"      // the disk of a server is short of space
	AlertDeliveryFailed AlertKind = "delivery_failed" // a message could not be delivered

	AlertTest AlertKind = "test" // a person tries a channel; no rule has it
)

// AlertKinds lists the kinds of events.
func AlertKinds() []AlertKind {
	return []AlertKind{
		AlertFailed, AlertHookFailed, AlertRecovered, AlertLate, AlertNotStarted, AlertSkipped, AlertNeedsPerson,
		AlertStuck,
		AlertExecutorLost, AlertExecutorFull, AlertClockJumped, AlertDiskShort, AlertDeliveryFailed,
		AlertStarted, AlertSucceeded, AlertCanceled,
	}
}

// OfTransition reports whether events of the kind are transitions of batches that are no problem. They have facts only
// while a rule asks for them.
func (k AlertKind) OfTransition() bool {
	return k == AlertStarted || k == AlertSucceeded || k == AlertCanceled
}

// OfServer reports whether events of the kind are about no schedule.
func (k AlertKind) OfServer() bool {
	switch k {
	case AlertExecutorLost, AlertExecutorFull, AlertClockJumped, AlertDiskShort, AlertDeliveryFailed:
		return true
	default:
		return false
	}
}

// AlertDefinition is one rule as people write it: the events of some schedules that channels report, and when.
type AlertDefinition struct {
	APIVersion  string      `json:"apiVersion"`
	Kind        string      `json:"kind"`
	Name        string      `json:"name"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	On          []AlertKind `json:"on"`
	Schedules   []string    `json:"schedules,omitempty"` // names
	Tags        []string    `json:"tags,omitempty"`      // of schedules; without Schedules and Tags all
	Channels    []string    `json:"channels"`
	Timezone    string      `json:"timezone,omitempty"` // of Deadline and Quiet; UTC when empty
	Deadline    string      `json:"deadline,omitempty"` // late: a time of day, such as 06:00; empty: as usual
	Wait        Duration    `json:"wait,omitempty"`     // not_started, executor_full: for so long
	Skips       int         `json:"skips,omitempty"`    // skipped: so many in a row
	Group       *Duration   `json:"group,omitempty"`    // what comes within it is one message
	Repeat      Duration    `json:"repeat,omitempty"`   // the same is reported again only after it
	Quiet       []Quiet     `json:"quiet,omitempty"`    // hours in which nothing is sent
	Escalate    Escalation  `json:"escalate,omitzero"`  // what follows if nobody takes a problem
}

// Escalation sends a problem to further channels if it is still open then and nobody has taken it.
type Escalation struct {
	After Duration `json:"after"` // the first message
	To    []string `json:"to"`    // names of channels
}

// Set reports whether there is an escalation.
func (e *Escalation) Set() bool { return e.After != 0 || len(e.To) > 0 }

// Quiet is a span of hours of some days in which nothing is sent. If To is not after From, it ends on the next day.
type Quiet struct {
	From string   `json:"from"`          // 22:00
	To   string   `json:"to"`            // 07:00
	Days []string `json:"days,omitzero"` // sun, mon, …, sat, on which it begins; all when nil
}

// The defaults of an AlertDefinition.
const (
	DefaultAlertGroup = Duration(30 * time.Second)
	DefaultAlertWait  = Duration(10 * time.Minute)
	DefaultAlertSkips = 3
)

// ChannelType is the kind of service to which a channel sends.
type ChannelType string

// The types of channels.
const (
	ChannelEmail    ChannelType = "email"
	ChannelWebhook  ChannelType = "webhook" // HiveGo's own JSON, signed
	ChannelSlack    ChannelType = "slack"
	ChannelDingTalk ChannelType = "dingtalk"
	ChannelFeishu   ChannelType = "feishu"
	ChannelWeCom    ChannelType = "wecom"
	ChannelHTTP     ChannelType = "http" // any request, by a template
)

// ChannelDefinition is one channel as people write it. Its secrets are not part of it.
type ChannelDefinition struct {
	APIVersion  string       `json:"apiVersion"`
	Kind        string       `json:"kind"`
	Name        string       `json:"name"`
	Title       string       `json:"title,omitempty"`
	Description string       `json:"description,omitempty"`
	Type        ChannelType  `json:"type"`
	Language    string       `json:"language,omitempty"` // of messages: en when empty, or zh
	Email       EmailChannel `json:"email,omitzero"`
	HTTP        HTTPChannel  `json:"http,omitzero"` // of the types webhook (only url) and http
}

// EmailChannel says how a channel sends mail.
type EmailChannel struct {
	Host     string   `json:"host"`
	Port     int      `json:"port,omitempty"`     // 587 when 0; 465 with tls
	Security string   `json:"security,omitempty"` // starttls when empty; tls, none
	User     string   `json:"user,omitempty"`     // its password is the secret "password"; empty: no login
	From     string   `json:"from"`
	To       []string `json:"to,omitempty"`
	Owners   bool     `json:"owners,omitempty"` // also to the owners of the schedules that are mail addresses
}

// HTTPChannel is an HTTP request. Its texts may have placeholders such as ${{ title }}.
type HTTPChannel struct {
	Method  string            `json:"method,omitempty"` // POST when empty
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
}

// AlertDocument is the row of a rule or a channel. Its documents are revisions, which never change.
type AlertDocument struct {
	ID        int64
	Kind      string // KindAlert or KindChannel
	Name      string // unique with Kind
	Revision  int64  // number of the newest revision
	Deleted   bool   // its revisions stay
	CreatedAt time.Time
	UpdatedAt time.Time
}

// AlertRevision is one version of a rule or a channel.
type AlertRevision struct {
	ID         int64
	DocumentID int64
	Number     int64
	Document   string // canonical YAML
	Hash       string // hex SHA-256 of Document
	CreatedAt  time.Time
	CreatedBy  string
	Note       string
}

// SaveAlertDocument stores a document as the newest revision of a rule or a channel.
type SaveAlertDocument struct {
	Kind     string
	Name     string
	Document string
	Hash     string
	Base     int64 // number of its base revision; a different newest one is a conflict. 0: no check
	Fresh    bool  // there must be no such document yet
	By       string
	Note     string
	Now      time.Time
}

// CurrentAlertDocument is a rule or a channel with its newest revision.
type CurrentAlertDocument struct {
	AlertDocument
	Current AlertRevision
}

// ChannelSecret tells that a channel has a secret. The secret itself only goes to the deliverer.
type ChannelSecret struct {
	Name  string
	SetAt time.Time
	SetBy string
}

// AlertFact is a durable transition that an alert may tell of. The commit of the transition stores it.
type AlertFact struct {
	ID         int64
	Kind       AlertKind // AlertFailed, AlertHookFailed, AlertNeedsPerson, or OfTransition
	ScheduleID int64     // of hooks that of the batch that they follow; 0 for adhoc batches
	BatchID    int64
	Round      int
	Run        int64  // id of the held run
	Task       string // its key
	Attempt    int64  // the latest of the held run
	Detail     string
	At         time.Time
	Moment     time.Time  // of the batch
	Hook       *HookEvent // that the batch follows; nil for all but hooks
}

// AlertEvent is something that rules may tell.
type AlertEvent struct {
	ID         int64
	Key        string // unique for ever
	Kind       AlertKind
	Problem    string // one event of it is open at a time; empty: the event does not last
	Open       bool   // the problem lasts
	ScheduleID int64
	BatchID    int64
	Gone       bool      // retention has removed the batch, or somebody has deleted its schedule
	At         time.Time // when it happened
	StoredAt   time.Time
	OverAt     time.Time // when the problem ended; zero while it lasts
	TakenBy    string    // the person who is on it; empty for nobody
	TakenAt    time.Time
	TakenNote  string
	AlertFacets
}

// AlertFacets are the details of an event that messages show.
type AlertFacets struct {
	Schedule string     `json:"schedule,omitempty"` // name
	Former   []string   `json:"-"`                  // names that the schedule had before
	Title    string     `json:"title,omitempty"`    // of the schedule
	Tags     []string   `json:"tags,omitempty"`
	Owners   []string   `json:"owners,omitempty"`
	Round    int        `json:"round,omitempty"`
	Moment   time.Time  `json:"moment,omitzero"`
	Due      time.Time  `json:"due,omitzero"` // by when it should have ended or started
	Task     string     `json:"task,omitempty"`
	Attempt  int64      `json:"attempt,omitempty"`
	Error    string     `json:"error,omitempty"` // its first line is shown
	Executor string     `json:"executor,omitempty"`
	Channel  string     `json:"channel,omitempty"`
	Rule     string     `json:"rule,omitempty"`   // the only rule that it concerns; empty: all
	Server   string     `json:"server,omitempty"` // that alone can see the problem; empty: all can
	Count    int        `json:"count,omitempty"`
	Of       AlertKind  `json:"of,omitempty"`   // recovered: what is over
	Hook     *HookEvent `json:"hook,omitempty"` // what hooks that have failed follow
}

// AlertPair is a rule with one of its channels, by their names.
type AlertPair struct{ Rule, Channel string }

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryPending    DeliveryState = "pending"
	DeliverySent       DeliveryState = "sent"
	DeliveryFailed     DeliveryState = "failed"     // refused for good, or tried too often
	DeliverySuppressed DeliveryState = "suppressed" // the same was reported shortly before
	DeliveryCanceled   DeliveryState = "canceled"   // of an escalation: somebody took the problem, or it is over
)

// AlertDelivery is one event that one rule tells on one channel.
type AlertDelivery struct {
	ID      int64
	EventID int64
	AlertPair
	Subject    string // what Repeat counts by: the kind and the schedule
	Escalation bool   // only sent if the problem is open then, and nobody has taken it
	State      DeliveryState
	DueAt      time.Time
	Tries      int
	Error      string // of the last try
	CreatedAt  time.Time
	DoneAt     time.Time // when it was sent or given up
}

// NewAlertEvent is an event with the deliveries that the rules make of it.
type NewAlertEvent struct {
	Event      AlertEvent
	Fact       int64 // the fact that it was made of, which goes; 0 for none
	Over       int64 // the event whose problem is over; 0 for none
	Deliveries []AlertDelivery
}

// AlertTry is one try to send a message, as the log of a delivery has it.
type AlertTry struct {
	Message string // the id of the message, the same for all deliveries that were sent together
	Server  string
	At      time.Time
	Took    time.Duration
	Done    bool   // the service has taken it
	Detail  string // what the service answered, or the error; without secrets
}

// MomentStart is what became of the batch of a moment.
type MomentStart struct {
	Waits bool // its tick still waits
	Batch int64
	State BatchState // empty if it has no batch
}

// DueDeliveries are pending deliveries of one rule and channel that a deliverer has leased.
type DueDeliveries struct {
	AlertPair
	Escalation bool
	Deliveries []AlertDelivery
	Events     []AlertEvent // of the deliveries, in their order
}

// AlertDocumentView is a rule or a channel with its newest revision.
type AlertDocumentView struct {
	AlertDocument
	Current     AlertRevision // without its document in lists
	Title       string
	Description string
	Definition  json.RawMessage // the document as JSON; nil in lists

	On        []AlertKind // of a rule
	Schedules []string    // of a rule
	Tags      []string    // of a rule
	Channels  []string    // of a rule

	Type     ChannelType         // of a channel
	Language string              // of a channel
	Secrets  []ChannelSecretView // of a channel
	UsedBy   []string            // of a channel: the rules that name it
}

// ChannelSecretView is a secret that a channel has, needs, or may have.
type ChannelSecretView struct {
	ChannelSecret
	Required bool
	Set      bool
}

// SavedAlertDocument is the result of saving a rule or a channel.
type SavedAlertDocument struct {
	Document AlertDocument
	Revision AlertRevision
	Changed  bool
	Faults   []Fault // warnings
}

// AlertRevisionView is a revision with its document as JSON.
type AlertRevisionView struct {
	AlertRevision
	Definition json.RawMessage
}

// TakeAlerts notes that a person is on some problems, or on all of one batch.
type TakeAlerts struct {
	Event int64 // 0: all open ones of Batch
	Batch int64
	By    string // empty: nobody is on it any more
	Note  string
	Now   time.Time
}

// AlertFilter selects events.
type AlertFilter struct {
	Taken  bool  // only those that somebody is on
	Before int64 // only events with a smaller id; 0 for all
	Limit  int   // 1 to 500; 50 when 0
	Open   bool  // only those whose problems last
	Batch  int64 // 0 for all

	Schedule string    // name; empty: all
	Since    time.Time // at this moment or later; zero: no limit
	Until    time.Time // before this moment; zero: no limit
}

// AlertLogEntry is an event with its deliveries.
type AlertLogEntry struct {
	Event      AlertEvent
	Deliveries []AlertDelivery
}

// ChannelTest is the result of a test message.
type ChannelTest struct {
	Sent   bool
	Detail string // what the service answered, or why it could not be sent
}
