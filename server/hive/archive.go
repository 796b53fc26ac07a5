package hive

// ScheduleFilter selects a page of schedules.
type ScheduleFilter struct {
	After    string // only later names
	Limit    int
	Archived bool // those that are archived, instead of the others
}

// ArchiveRequest archives or unarchives a schedule.
type ArchiveRequest struct {
	Schedule  string
	Archived  bool
	Confirmed bool // archive it although others wait for it
	By        string
}
