package ledger

import (
	"encoding/json"
	"strconv"
)

// Encode encodes the records of a step like encoding/json. A task has four records, and encoding them by reflection
// would cost more than everything else that the ledger does for it.
func Encode(records []Record) [][]byte {
	payloads := make([][]byte, 0, len(records))
	buf := make([]byte, 0, recordRoom*len(records))
	for i := range records {
		from := len(buf)
		buf = records[i].appendJSON(buf)
		payloads = append(payloads, buf[from:len(buf):len(buf)])
	}
	return payloads
}

// recordRoom is the size, in bytes, that suffices for a record of an attempt that succeeds.
const recordRoom = 256

// appendJSON appends what json.Marshal makes of r.
func (r *Record) appendJSON(b []byte) []byte {
	if r.Kill != nil || len(r.Block) > 0 || r.Outcome != nil && !r.Outcome.plain() ||
		!plain(string(r.Kind)) || !plain(r.Key) || !plain(r.Server) || !plain(r.Cluster) || !plain(r.Handler) ||
		r.Session != nil && !plain(*r.Session) || !plain(r.Schedule) || !plain(r.Task) {
		data, err := json.Marshal(r)
		if err != nil {
			panic("a record cannot be written as JSON: " + err.Error()) // plain fields: it cannot happen
		}
		return append(b, data...)
	}
	b = append(append(append(b, `{"k":"`...), r.Kind...), '"')
	b = appendNumber(b, `,"a":`, r.Attempt)
	b = appendText(b, `,"y":"`, r.Key)
	b = appendText(b, `,"s":"`, r.Server)
	b = appendNumber(b, `,"e":`, r.Epoch)
	if r.Session != nil { // also an empty one
		b = append(append(append(b, `,"z":"`...), *r.Session...), '"')
	}
	b = appendText(b, `,"c":"`, r.Cluster)
	b = appendText(b, `,"h":"`, r.Handler)
	b = appendNumber(b, `,"g":`, r.Batch)
	b = appendText(b, `,"j":"`, r.Schedule)
	b = appendText(b, `,"w":"`, r.Task)
	b = appendTrue(b, `,"v":`, r.Survives)
	b = appendNumber(b, `,"t":`, r.At)
	b = appendNumber(b, `,"n":`, r.Seq)
	b = appendNumber(b, `,"d":`, r.Acked)
	if r.Outcome != nil {
		b = r.Outcome.append(append(b, `,"o":`...))
	}
	b = appendNumber(b, `,"b":`, r.Boots)
	b = appendTrue(b, `,"p":`, r.Old)
	return append(b, '}')
}

// plain reports whether append can encode o.
func (o *Outcome) plain() bool {
	return len(o.Outputs) == 0 && o.Reason == "" && len(o.Params) == 0 && plain(o.Error) && plain(string(o.Kind))
}

func (o *Outcome) append(b []byte) []byte {
	b = append(append(append(b, `{"kind":"`...), o.Kind...), '"')
	if o.ExitCode != nil {
		b = strconv.AppendInt(append(b, `,"exitCode":`...), int64(*o.ExitCode), 10)
	}
	b = appendText(b, `,"error":"`, o.Error)
	b = appendNumber(b, `,"startedAt":`, o.StartedAt)
	b = appendNumber(b, `,"finishedAt":`, o.FinishedAt)
	b = appendNumber(b, `,"logBytes":`, o.LogBytes)
	b = appendTrue(b, `,"noRetry":`, o.NoRetry)
	return append(b, '}')
}

// plain reports whether s needs no escapes in JSON.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}

func appendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(append(b, name...), n, 10)
}

func appendText(b []byte, name, s string) []byte {
	if s == "" {
		return b
	}
	return append(append(append(b, name...), s...), '"')
}

func appendTrue(b []byte, name string, is bool) []byte {
	if !is {
		return b
	}
	return append(append(b, name...), "true"...)
}
