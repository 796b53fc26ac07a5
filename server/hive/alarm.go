package hive

import "time"

// AlarmReason says for programs why ticks are not decided.
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

// TickAlarm says what keeps the ticks of one schedule, or of all, from being decided. The server works, but a person
// must look.
type TickAlarm struct {
	Reason   AlarmReason
	Schedule string            // name; empty if the alarm is about all schedules
	Params   map[string]string // of Reason; besides the schedule's name
	Words    string            // the same as one sentence
	Since    time.Time
}
