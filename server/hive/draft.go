package hive

import "time"

// Limits of drafts.
const (
	MaxDraft  = 4 << 20 // bytes of one
	MaxDrafts = 200     // of one user
)

// Draft is the document of a schedule that a user is writing. It may be of a schedule that does not exist, and full of
// faults. Each user has one of each name.
type Draft struct {
	User      int64
	Name      string
	Base      int64  // number of the revision it was made from; 0 for none
	Version   int64  // grows with every change
	Document  string // JSON; empty in lists
	UpdatedAt time.Time
}
