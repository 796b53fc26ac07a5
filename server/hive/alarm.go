package hive

import "time"

// AlarmReason is the reason why ticks are not decided, for programs.
type AlarmReason string

// The reasons, with their params.
const (
	AlarmClockJumped AlarmReason = "clock_jumped" // off, steady
	AlarmLedgerAhead AlarmReason = "ledger_ahead" // until, ahead
	AlarmUnreadable  AlarmReason = "unreadable"   //
	AlarmNotStored   AlarmReason = "not_stored"   //
	ErrorClockJumped ErrorReason = "clock_jumped" // of a check: no tick is decided
	ErrorTicksStuck  ErrorReason = "ticks_stuck"  // of a check: the ticks of some schedules are not decided
)

// AlarmReasons lists the reasons why ticks are not decided.
func AlarmReasons() []AlarmReason {
	return []AlarmReason{AlarmClockJumped, AlarmLedgerAhead, AlarmUnreadable, AlarmNotStored}
}

// TickAlarm is a problem that prevents the decision of ticks, of one schedule or of all. The server works, but a person
// must act.
type TickAlarm struct {
	Reason   AlarmReason
	Schedule string            // name; empty if the alarm is about all schedules
	Params   map[string]string // of Reason; besides the schedule's name
	Words    string            // the same as one sentence
	Since    time.Time
}
