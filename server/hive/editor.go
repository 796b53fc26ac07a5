package hive

import (
	"encoding/json"
	"time"
)

// Conversion is a document in both of its forms, with what a check of it finds.
type Conversion struct {
	Verdict // Canonical and Hash also of documents that are not valid, as long as their shape is right

	Definition json.RawMessage // with comments under #; nil where Canonical is empty
}

// ForecastRequest asks when triggers would be due.
type ForecastRequest struct {
	Timezone string            // UTC if empty
	Triggers []json.RawMessage // as in a document
	After    time.Time
	Count    int
}

// Forecast is when triggers are due, earliest first. Faulty triggers have no moments.
type Forecast struct {
	Moments []ForecastMoment
	Faults  []Fault // by triggers[i] of the request
}

// ForecastMoment is one moment, with the position of the first trigger that is due then.
type ForecastMoment struct {
	At      time.Time
	Trigger int
}

// PreviewRequest asks what a task would hand to its executor.
type PreviewRequest struct {
	Definition json.RawMessage // of the whole schedule; its faults matter where they concern the task
	Task       string          // key
	Params     map[string]any  // of the batch
	At         time.Time       // logical time; zero: now
}

// Preview is what a task would hand to its executor.
type Preview struct {
	Params []byte            // JSON, rendered; nil if they cannot be
	Env    map[string]string // beside a clean environment
	Values []byte            // JSON: the typed parameters
	When   *bool             // what its condition would decide; nil if it has none, or it cannot be evaluated
	Faults []Fault           // by fields of the task: params.command, when
}
