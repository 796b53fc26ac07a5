package hive

import "errors"

// RenameRequest asks for another name of a schedule.
type RenameRequest struct {
	Schedule string // its name
	To       string
	// Bases has the numbers of the newest revisions, as the caller knows them, by the present names of the schedules.
	// One that is not there, or 0, is not checked.
	Bases map[string]int64
	// Documents say the new name: those of the schedules that wait for it, and its own if more than the name changes.
	Documents [][]byte
	By        string
	Note      string // one line; empty: none
}

// Renamed is the result of a RenameRequest.
type Renamed struct {
	Schedule Schedule
	Former   string
	Changed  bool    // false: it was renamed before
	Saved    []Saved // the new revisions, that of the schedule itself first
}

// RenameSchedule gives a schedule another name, with a revision that says it, and stores revisions of others that name
// it: all of that or nothing.
type RenameSchedule struct {
	Name  string         // its name
	Saves []SaveSchedule // the first is of the schedule itself, with its new name
	// Redraft returns the document of a draft with the new name in it.
	Redraft func(document string) string
}

// SavedRevision is what a SaveSchedule has stored.
type SavedRevision struct {
	Schedule Schedule
	Revision Revision
	Changed  bool
}

// WasRenamed is the error of a schedule that is looked for by a former name.
func WasRenamed(former, to string) *Error {
	return Errorf(CodeNotFound, "schedule %.80q was renamed to %q; use that name", former, to).
		WithReason(ErrorRenamed, "schedule", former, "to", to)
}

// FormerName is the error of what would use a former name for another schedule.
func FormerName(former, to string) *Error {
	return Errorf(CodeConflict, "schedule %.80q was renamed to %q; use that name, or release the former one first",
		former, to).WithReason(ErrorFormerName, "schedule", former, "to", to)
}

// ScheduleExists is the error of what would give a name to a second schedule. newest is the revision of the first one.
func ScheduleExists(name string, newest int64) *Error {
	return Errorf(CodeConflict,
		"there is a schedule %q already, whose newest revision is %d; choose another name, "+
			"or save it as the next revision", name, newest).
		WithReason(ErrorScheduleExists, "schedule", name, "newest", newest)
}

// RenamedTo returns the present name of a schedule whose former name an error is about; empty for other errors.
func RenamedTo(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Reason != ErrorRenamed && e.Reason != ErrorFormerName {
		return ""
	}
	return e.Params["to"]
}
