package hive

import "time"

// The limits of a search for slot holders.
const (
	MostSlotHolders = 20
	MostHolderTime  = 14 * 24 * time.Hour
)

// SlotHolder is a batch that had slots of executors during a time.
type SlotHolder struct {
	Batch    int64
	Schedule string // empty for a batch without a schedule
	Moment   time.Time
	Tasks    int           // attempts during the time
	Held     time.Duration // in sum
}

// SlotHolders are the batches that had slots, those that had them for the longest first.
type SlotHolders struct {
	List []SlotHolder
	More bool // there may be others beside these
}
