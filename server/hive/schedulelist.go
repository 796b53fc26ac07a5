package hive

import "time"

// ScheduleFilter selects a page of schedules.
type ScheduleFilter struct {
	After    string // the cursor of the page before; empty: from the first
	Limit    int
	Archived bool // those that are archived, instead of the others
	// Query: only schedules that have these words in their names or titles, the best match first. After and Order are
	// not used.
	Query string
	Find  string // these words in their names, titles, tags and owners; empty: all
	Tag   string // of the newest revision; empty: all
	Owner string // like Tag

	Show       ScheduleShow
	Order      ScheduleOrder
	Descending bool // for all orders but ScheduleByNeed
	Count      bool // counts the schedules that the filter selects, and all that are not archived
}

// CheckQuery refuses a filter with a Query and what is not used with it.
func (f *ScheduleFilter) CheckQuery() error {
	for _, other := range []struct {
		name  string
		given bool
	}{
		{"after", f.After != ""},
		{"desc", f.Descending},
		{"find", f.Find != ""},
		{"show", f.Show != ""},
		{"sort", f.Order != ""},
	} {
		if other.given {
			return Errorf(CodeInvalid, "q cannot be together with %[1]s; use find instead of q, or leave out %[1]s",
				other.name).WithReason(ErrorTogether, "name", "q", "other", other.name, "instead", "find")
		}
	}
	return nil
}

// ScheduleShow selects schedules by what happens to them now. The empty one selects all.
type ScheduleShow string

// The values of ScheduleShow.
const (
	ShowPerson   ScheduleShow = "person"   // a batch of theirs cannot go on without a person, or is open
	ShowRunning  ScheduleShow = "running"  // a batch of theirs runs
	ShowLate     ScheduleShow = "late"     // a live batch of theirs is late
	ShowDisabled ScheduleShow = "disabled" // they are disabled
)

// ScheduleOrder is the order of a list of schedules. Equal ones are in the order of their names.
type ScheduleOrder string

// The values of ScheduleOrder.
const (
	ScheduleByName  ScheduleOrder = "name"
	ScheduleByNeed  ScheduleOrder = "need"  // those that need a person, then those with a live batch, then the others
	ScheduleByNext  ScheduleOrder = "next"  // by their next moment; those without one are the last
	ScheduleByUsual ScheduleOrder = "usual" // by their usual duration; those without one are the last
)

// SchedulePage is a page of a list of schedules.
type SchedulePage struct {
	Views []ScheduleView
	Next  string // the cursor for the next page; empty if there is none
	Count int    // of the schedules that the filter selects, if it asked for it
	Total int    // of the schedules that are not archived, if it asked for it
}

// NeedGroup is a part of the order ScheduleByNeed.
type NeedGroup int

// The values of NeedGroup.
const (
	NeedAny    NeedGroup = iota // all schedules
	NeedPerson                  // those that need a person
	NeedLive                    // those of the others that have a live batch
	NeedNone                    // the others
)

// ScheduleSelection is what a store compares to select schedules.
type ScheduleSelection struct {
	Archived bool
	Words    []string // in small letters; each is in the name, a former name or the texts of the schedule
	Spread   bool     // the letters of each word may have others between them
	Tag      string
	Owner    string
	Disabled bool
	Running  bool
	Among    []int64 // only these schedules; nil: all
	Need     NeedGroup
	Urgent   []int64 // for Need: schedules with a live batch that needs a person, which only its owner knows
}

// ScheduleKey is what an order of schedules needs of each.
type ScheduleKey struct {
	ID      int64
	Name    string
	Title   string // of the newest revision, if its texts are stored
	Enabled bool
	NextAt  time.Time // as Schedule.NextAt
	Version int64     // as Schedule.Version
}

// ScheduleTexts is what the newest revision of a schedule says that lists search in and select by.
type ScheduleTexts struct {
	ScheduleID int64 // not for SaveSchedule, like Revision
	Revision   int64
	Title      string
	Words      string // title, its pinyin initials, tags and owners, in small letters
	Tags       []string
	Owners     []string
}
