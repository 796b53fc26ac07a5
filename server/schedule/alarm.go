package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// alarmKey identifies an alarm: a schedule has at most one for each reason.
type alarmKey struct {
	schedule int64 // 0 if the alarm is about all schedules
	reason   hive.AlarmReason
}

// Alarms lists the reasons that keep ticks from being decided. Alarms about all schedules come first. The list is empty
// if all is well.
func (t *Ticker) Alarms() []hive.TickAlarm {
	t.mu.Lock()
	out := make([]hive.TickAlarm, 0, len(t.alarms))
	for _, a := range t.alarms {
		out = append(out, a)
	}
	t.mu.Unlock()
	slices.SortFunc(out, func(a, b hive.TickAlarm) int {
		return cmp.Or(cmp.Compare(a.Schedule, b.Schedule), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// alarmed lists the schedules that have an alarm.
func (t *Ticker) alarmed() []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ids []int64
	for key := range t.alarms {
		if key.schedule != 0 {
			ids = append(ids, key.schedule)
		}
	}
	return ids
}

// raise sets an alarm about a schedule, or about all if id is 0. The first time, it logs the alarm with details.
func (t *Ticker) raise(id int64, alarm hive.TickAlarm, details ...any) {
	key := alarmKey{id, alarm.Reason}
	alarm.Since = t.now()
	t.mu.Lock()
	earlier, known := t.alarms[key]
	if known {
		alarm.Since = earlier.Since
	}
	t.alarms[key] = alarm
	t.mu.Unlock()
	if !known {
		fields := append([]any{"schedule_id", id, "reason", alarm.Words}, details...)
		t.config.Log.Error("ticks are not decided", fields...)
	}
}

// clear removes an alarm, if there is one, and logs that.
func (t *Ticker) clear(id int64, reason hive.AlarmReason) {
	key := alarmKey{id, reason}
	t.mu.Lock()
	alarm, known := t.alarms[key]
	delete(t.alarms, key)
	t.mu.Unlock()
	if known {
		t.config.Log.Info("ticks are decided again", "schedule_id", id, "schedule", alarm.Schedule,
			"reason", string(reason), "since", alarm.Since)
	}
}

// clockAlarm reports that the wall clock jumped by off.
func clockAlarm(off time.Duration) hive.TickAlarm {
	jump, steady := off.Round(time.Second).String(), clockProof.String()
	return hive.TickAlarm{
		Reason: hive.AlarmClockJumped, Params: map[string]string{"off": jump, "steady": steady},
		Words: "the wall clock jumped by " + jump + "; ticks wait until it has been steady for " + steady +
			": check the time service of this machine",
	}
}

// aheadAlarm reports that a ledger is decided up to a time that is still ahead of the clock; false if it is not.
func aheadAlarm(row *hive.Schedule, now time.Time) (hive.TickAlarm, bool) {
	by := row.Mark.Sub(now)
	if row.Mark.IsZero() || by <= aheadTolerance {
		return hive.TickAlarm{}, false
	}
	until, ahead := row.Mark.Format(time.RFC3339), by.Round(time.Second).String()
	return hive.TickAlarm{
		Reason: hive.AlarmLedgerAhead, Schedule: row.Name, Params: map[string]string{"until": until, "ahead": ahead},
		Words: fmt.Sprintf("the ledger of schedule %s is decided up to %s, %s ahead of this machine's clock: "+
			"nothing fires until then; set the clock right, or find out which server had a wrong one",
			row.Name, until, ahead),
	}, true
}
