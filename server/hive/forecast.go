package hive

import "time"

// Span is the time from one moment up to another, which does not belong to it.
type Span struct{ From, To time.Time }

// TickForecastRequest asks which decisions are to be expected.
type TickForecastRequest struct {
	Schedule string    // name; empty: all
	From     time.Time // earlier ticks are not listed; zero: list all
	Until    time.Time // up to this moment
	Down     []Span    // times in which no server is assumed to run
	// Shift moves the moments of schedules, by name: later, or earlier if it is negative.
	Shift map[string]time.Duration
	Most  int // number of ticks
}

// TickForecast is what a forecast expects.
type TickForecast struct {
	From  time.Time
	Until time.Time      // all ticks up to here are in it; before the time of the request if there are too many
	Ticks []ForecastTick // by moment
}

// ForecastTick is an expected decision about a due moment.
type ForecastTick struct {
	Tick // without ids; DecidedAt is the moment itself, unless no server runs then

	Schedule string
	StartsAt time.Time // of the batch; zero if there is none, or if it is canceled before
	EndsAt   time.Time // of the batch, by the usual duration of the schedule; zero if that is not known
	Ends     ForecastEnd
	Unsure   bool // it waits for batches whose usual duration is not known: it has no expected start
}

// ForecastEnd is how a batch ends that a forecast does not expect to succeed.
type ForecastEnd string

// The ends of forecast batches.
const (
	ForecastReplaced ForecastEnd = "replaced" // a later batch of the schedule replaces it
	ForecastExpired  ForecastEnd = "expired"  // it waits for others for longer than policy.expire
)

// MaxForecast is the number of schedules that a forecast of all of them covers. A request has time for some more.
const MaxForecast = 10_000
