package hive

import (
	"encoding/json"
	"time"
)

// Conversion is a document in both forms, with the result of its check.
type Conversion struct {
	Verdict // Canonical and Hash also of documents that are not valid, as long as their shape is right

	Definition json.RawMessage // with comments under #; nil where Canonical is empty
}

// ForecastRequest asks when triggers would be due.
type ForecastRequest struct {
	Schedule string            // to which the triggers belong; empty, or a name that does not exist, for a new one
	Timezone string            // UTC if empty
	Triggers []json.RawMessage // as in a document
	After    time.Time
	Count    int
}

// Forecast lists the moments at which triggers are due, earliest first. Faulty triggers have no moments.
type Forecast struct {
	Moments []ForecastMoment
	Faults  []Fault // by triggers[i] of the request
}

// ForecastMoment is one moment, with the position of the first trigger that is due then.
type ForecastMoment struct {
	At      time.Time // when the moment is due, after its jitter
	Trigger int
}

// PreviewRequest asks for the input that a task would give to its executor.
type PreviewRequest struct {
	Definition json.RawMessage // of the whole schedule; its faults matter where they concern the task
	Task       string          // key
	Params     map[string]any  // of the batch
	At         time.Time       // logical time; zero: now
}

// Preview is the input that a task would give to its executor.
type Preview struct {
	Params []byte            // JSON, rendered; nil if they cannot be
	Env    map[string]string // beside a clean environment
	Values []byte            // JSON: the typed parameters
	When   *bool             // the value of its condition; nil if it has none, or it cannot be evaluated
	Faults []Fault           // by fields of the task: params.command, when
}
