package hive

import "time"

// Limits of drafts.
const (
	MaxDraft  = 4 << 20 // bytes of one
	MaxDrafts = 200     // of one user
)

// Draft is the unpublished document of a schedule. The schedule need not exist, and the document may have faults. Each
// user has at most one draft with each name.
type Draft struct {
	User      int64
	Name      string
	Base      int64  // number of the revision it was made from; 0 for none
	Version   int64  // grows with every change
	Document  string // JSON; empty in lists
	UpdatedAt time.Time
}
