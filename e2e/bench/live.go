package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/server/api/model"
)

// The size of the live measure.
const (
	followers  = 1000
	liveTasks  = 20
	liveEvery  = 250 * time.Millisecond // a task
	liveUsers  = 4                      // users that share the followers, as one user may have only so many
	dialAtOnce = 50
)

// beat is a handler that works for a while and records when it was done.
type beat struct {
	mu   sync.Mutex
	done map[string]time.Time // by task
}

// Info describes it.
func (h *beat) Info() sdk.Info { return sdk.Info{Name: "beat", ParamsSchema: `{"type":"object"}`} }

// Run works.
func (h *beat) Run(_ context.Context, t *sdk.Task) error {
	time.Sleep(liveEvery)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done[t.Name] = time.Now()
	return nil
}

// live measures the time from the end of a task to the moment at which its followers see it: the executor's report, the
// commit, and a frame to each of them. The clients are in the bench's process and share its cores with the server.
func (b *bench) live(ctx context.Context, s *system, database string) error {
	if err := s.save(ctx, "beat", beats()); err != nil {
		return err
	}
	s.beat.done = map[string]time.Time{}
	r, err := s.api.RunScheduleWithResponse(ctx, "beat", nil, model.RunRequest{})
	if err != nil {
		return err
	}
	if r.JSON201 == nil {
		return fmt.Errorf("run beat: %s", r.Body)
	}
	seen := make([][liveTasks]time.Time, followers)
	all, ctx := errgroup.WithContext(ctx)
	places := make(chan struct{}, dialAtOnce)
	for i := range followers {
		all.Go(func() error {
			places <- struct{}{}
			ws, err := s.follow(ctx, s.tokens[i%len(s.tokens)], r.JSON201.ID)
			<-places
			if err != nil {
				return err
			}
			defer ws.Close() //nolint:errcheck // it has seen what it came for
			return recordSeen(ws, &seen[i])
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	b.addLive(database, s.latencies(seen))
	return nil
}

// latencies returns how long the changes took that happened after all clients had connected, in ms, sorted.
func (s *system) latencies(seen [][liveTasks]time.Time) []float64 {
	s.beat.mu.Lock()
	defer s.beat.mu.Unlock()
	var all []float64
	for n := range liveTasks {
		ended := s.beat.done["t"+strconv.Itoa(n)]
		for i := range seen {
			at := seen[i][n]
			if at.IsZero() { // some client was not connected yet
				all = all[:0]
				break
			}
			all = append(all, micros(at.Sub(ended))/1000)
		}
	}
	slices.Sort(all)
	return all
}

func (b *bench) addLive(database string, ms []float64) {
	if len(ms) == 0 {
		return
	}
	at := func(p int) stat {
		v := ms[(len(ms)-1)*p/100]
		return stat{Median: v, Min: v, Max: v, N: 1}
	}
	name := fmt.Sprintf("%d browsers on one batch, end of a task → seen, %d times, %s", followers, len(ms)/followers,
		database)
	b.rep.Measures = append(b.rep.Measures,
		row{Name: name + ", p50", Unit: "ms", Stat: at(50)},
		row{Name: "  p99", Unit: "ms", Stat: at(99), Floor: "500 ms", Goal: "150 ms"})
}

// follow connects a client that follows a batch.
func (s *system) follow(ctx context.Context, token string, batch int64) (*websocket.Conn, error) {
	ws, resp, err := websocket.DefaultDialer.DialContext(ctx,
		"ws"+strings.TrimPrefix(s.app.URL(), "http")+"/api/v1/live",
		http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, fmt.Errorf("connect a client: %w", err)
	}
	_ = resp.Body.Close()
	request := fmt.Sprintf(`{"op":"follow","id":1,"topic":"batch","batch":%d}`, batch)
	return ws, errors.Join(ws.SetReadDeadline(time.Now().Add(patience)),
		ws.WriteMessage(websocket.TextMessage, []byte(request)))
}

// recordSeen records when a client sees each task as succeeded, until it has seen the last one.
func recordSeen(ws *websocket.Conn, seen *[liveTasks]time.Time) error {
	for seen[liveTasks-1].IsZero() {
		_, raw, err := ws.ReadMessage()
		if err != nil {
			return fmt.Errorf("follow: %w", err)
		}
		at := time.Now()
		var f struct {
			Runs []struct {
				Number int    `json:"number"`
				State  string `json:"state"`
			} `json:"runs"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return fmt.Errorf("read a frame: %w", err)
		}
		for _, r := range f.Runs {
			if r.State == "succeeded" && seen[r.Number].IsZero() {
				seen[r.Number] = at
			}
		}
	}
	return nil
}

// beats returns a chain: one task after the other.
func beats() string {
	var w strings.Builder
	w.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: beat\njobs:\n")
	for i := range liveTasks {
		fmt.Fprintf(&w, "  - {key: j%d, tasks: [{key: t%d, handler: beat}]}\n", i, i)
	}
	return w.String()
}
