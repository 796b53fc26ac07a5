package ledger

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// Encode writes exactly the same bytes as encoding/json, because all versions read their journals with it.
func TestRecordsAreEncodedLikeEncodingJSON(t *testing.T) {
	t.Parallel()
	words := rapid.OneOf(rapid.StringMatching(`[ -~]{0,20}`), rapid.String(), rapid.Just("shell"))
	number := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64())
	rapid.Check(t, func(t *rapid.T) {
		some := func(what string) bool { return rapid.Bool().Draw(t, what) }
		records := make([]Record, rapid.IntRange(1, 5).Draw(t, "records"))
		for i := range records {
			r := &records[i]
			r.Kind = rapid.SampledFrom([]RecordKind{
				recordBoot, recordAccept, recordEnd, recordAck,
				recordRelease,
			}).Draw(t, "kind")
			r.Attempt, r.Epoch, r.At = number.Draw(t, "attempt"), number.Draw(t, "epoch"), number.Draw(t, "at")
			r.Seq, r.Acked, r.Boots = number.Draw(t, "seq"), number.Draw(t, "acked"), number.Draw(t, "boots")
			r.Server, r.Cluster, r.Handler = words.Draw(t, "server"), words.Draw(t, "cluster"), words.Draw(t, "handler")
			r.Key, r.Schedule, r.Task = words.Draw(t, "key"), words.Draw(t, "schedule"), words.Draw(t, "task")
			r.Survives, r.Old, r.Batch = some("survives"), some("old"), number.Draw(t, "batch")
			if some("session") {
				r.Session = new(words.Draw(t, "session's text"))
			}
			if some("outcome") {
				r.Outcome = &Outcome{
					Kind: rapid.SampledFrom([]OutcomeKind{Success, Failure, Lost, "", "ANOTHER"}).Draw(t,
						"outcome's kind"), Error: words.Draw(t, "error"),
					StartedAt: number.Draw(t, "started"), FinishedAt: number.Draw(t,
						"finished"), LogBytes: number.Draw(t, "log"), NoRetry: some("no retry"),
				}
				if some("exit code") {
					r.Outcome.ExitCode = new(int(number.Draw(t, "exit")))
				}
				if some("reason") {
					r.Outcome.Reason, r.Outcome.Params = "code", map[string]string{words.Draw(t, "param"): "1"}
				}
				if some("outputs") {
					r.Outcome.Outputs = map[string]string{words.Draw(t, "output"): "1"}
				}
			}
			if some("kill") {
				r.Kill = &KillOrder{Reason: words.Draw(t, "reason")}
			}
			if some("block") {
				r.Block = []byte{1, 2}
			}
		}
		for i, got := range Encode(records) {
			want, err := json.Marshal(records[i])
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("written as\n%s, want\n%s", got, want)
			}
		}
	})
}

// If a field is added to Record but not to Encode, the test fails with the field's name.
func TestEveryFieldOfARecordIsWritten(t *testing.T) {
	t.Parallel()
	same := func(name string, r Record) {
		t.Helper()
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := Encode([]Record{r})[0]; !bytes.Equal(got, want) {
			t.Errorf("%s: written as\n%s, want\n%s", name, got, want)
		}
	}
	for f := range reflect.TypeFor[Record]().Fields() {
		var r Record
		set(reflect.ValueOf(&r).Elem().FieldByIndex(f.Index))
		same(f.Name, r)
	}
	for f := range reflect.TypeFor[Outcome]().Fields() {
		var o Outcome
		set(reflect.ValueOf(&o).Elem().FieldByIndex(f.Index))
		same("Outcome."+f.Name, Record{Outcome: &o})
	}
}

// set makes a value that is not the zero value of its type.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf("y"))
	default:
		panic("no value of " + v.Type().String())
	}
}
