package hive

import "time"

// SlotsRequest asks how many slots of executors are wanted at a time. Its forecast is that of the ticks.
type SlotsRequest struct {
	TickForecastRequest
	Parts int // of the time from From to Until
}

// SlotsForecast is how many slots are wanted.
type SlotsForecast struct {
	From, Until time.Time // up to here all ticks were counted; before the time of the request if there are too many
	Wanted      []int     // by part: the most at one time
	Unknown     int       // batches of that time that are not counted: no batch of their schedules has succeeded yet
}

// TaskTime is when a task ran, counted from the start of its batch.
type TaskTime struct{ Begin, End time.Duration }

// UsualRun is when a task usually runs, counted from the start of its batch, and how long it takes: medians of the
// latest batches. 95 of 100 took at most Most, which is 0 if that is not known.
type UsualRun struct {
	Task  string
	Begin time.Duration
	Took  time.Duration
	Most  time.Duration
}
