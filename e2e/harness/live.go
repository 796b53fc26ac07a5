package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Follower follows one batch over the websocket, as the browser does, and keeps its latest state.
type Follower struct {
	State string                 // of the batch
	Tasks map[int]map[string]any // by number, as JSON, without outputs: only snapshots have them

	t     testing.TB
	ws    *websocket.Conn
	epoch float64
	n     float64
}

// Follow connects to the server and follows a batch. It has the snapshot when it returns.
func (s *Server) Follow(batch int64) *Follower {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	ws, resp, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/live",
		http.Header{"Authorization": {"Bearer " + s.Token}})
	if err != nil {
		s.t.Fatalf("follow: %v\n%s", err, s.Output())
	}
	_ = resp.Body.Close()
	s.t.Cleanup(func() { _ = ws.Close() })
	f := &Follower{t: s.t, ws: ws}
	request := fmt.Sprintf(`{"op":"follow","id":1,"topic":"batch","batch":%d}`, batch)
	if err := ws.WriteMessage(websocket.TextMessage, []byte(request)); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Until(func() bool { return f.Tasks != nil }); err != nil {
		s.t.Fatalf("follow batch %d: %v", batch, err)
	}
	return f
}

// Until takes frames until ok accepts the state. An error says why the socket was closed.
func (f *Follower) Until(ok func() bool) error {
	f.t.Helper()
	_ = f.ws.SetReadDeadline(time.Now().Add(Patience)) // for the whole wait, since the server sends frames all the time
	for !ok() {
		if err := f.next(); err != nil {
			return fmt.Errorf("the picture is %s, %v: %w", f.State, f.Tasks, err)
		}
	}
	return nil
}

func (f *Follower) next() error {
	f.t.Helper()
	var frame struct {
		Op    string           `json:"op"`
		Epoch float64          `json:"epoch"`
		N     float64          `json:"n"`
		Batch map[string]any   `json:"batch"`
		Runs  []map[string]any `json:"runs"`
	}
	_, raw, err := f.ws.ReadMessage()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &frame); err != nil {
		f.t.Fatalf("%v: %s", err, raw)
	}
	switch frame.Op {
	case "hello":
		return nil
	case "refused":
		f.t.Fatalf("refused: %s", raw)
	}
	if frame.Epoch != f.epoch {
		f.epoch, f.n, f.Tasks = frame.Epoch, 0, nil
	}
	if f.n++; frame.N != f.n || f.Tasks == nil && frame.Op != "snapshot" {
		f.t.Fatalf("frame %v after %v: %s", frame.N, f.n-1, raw)
	}
	before := f.Tasks
	f.Tasks = maps.Clone(before)
	if frame.Op == "snapshot" {
		f.Tasks = map[int]map[string]any{}
		for _, t := range frame.Batch["tasks"].([]any) {
			f.put(t.(map[string]any))
		}
	}
	if frame.Batch != nil {
		f.State = frame.Batch["state"].(string)
	}
	for _, r := range frame.Runs {
		f.put(r)
	}
	for n, was := range before {
		if now := f.Tasks[n]; rank(now) < rank(was) {
			f.t.Errorf("task %d goes back from %v to %v", n, was, now)
		}
	}
	return nil
}

func (f *Follower) put(run map[string]any) {
	n := int(run["number"].(float64))
	for _, name := range []string{"key", "job"} {
		if run[name] == nil && f.Tasks[n] != nil {
			run[name] = f.Tasks[n][name]
		}
	}
	delete(run, "outputs")
	f.Tasks[n] = run
}

// rank orders the states of a task that has no trouble with its executor.
func rank(task map[string]any) int {
	state := map[string]int{"waiting": 0, "ready": 1, "unknown": 2, "running": 2}
	at, open := state[task["state"].(string)]
	if !open {
		at = 3
	}
	return int(task["round"].(float64))*10_000 + int(task["attempts"].(float64))*10 + at
}

// In counts the tasks in a state.
func (f *Follower) In(state string) (n int) {
	for _, t := range f.Tasks {
		if t["state"] == state {
			n++
		}
	}
	return n
}

// Equals compares the followed state with the API's answer.
func (f *Follower) Equals(s *Server, batch int64) {
	f.t.Helper()
	var want struct {
		State string           `json:"state"`
		Tasks []map[string]any `json:"tasks"`
	}
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet,
		fmt.Sprintf("%s/api/v1/batches/%d", s.URL, batch), http.NoBody)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	resp, err := s.Client().Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&want); err != nil {
		f.t.Fatal(err)
	}
	if f.State != want.State || len(f.Tasks) != len(want.Tasks) {
		f.t.Errorf("batch %d is %s with %d tasks; the picture is %s with %d", batch, want.State, len(want.Tasks),
			f.State, len(f.Tasks))
	}
	for n, task := range want.Tasks {
		delete(task, "outputs")
		if !reflect.DeepEqual(task, f.Tasks[n]) {
			f.t.Errorf("task %d is\n%v, the picture is\n%v", n, task, f.Tasks[n])
		}
	}
}
