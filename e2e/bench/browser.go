package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// browser is one client that follows a batch, and keeps its own copy of it.
type browser struct {
	ws     *websocket.Conn
	shared *sharedFrames
	beat   *beat
	state  string
	runs   []*seenRun
	delays delays
}

// seenRun is a run as the server has sent it. Clients that got the same frame share it.
type seenRun struct {
	number int
	state  string
	text   string // all fields that a frame and the API's answer have in common
}

// content is what a frame holds after its head.
type content struct {
	once  sync.Once
	err   error
	state string // of the batch; empty if it is left out
	runs  []*seenRun
}

// sharedFrames decodes each content once. The server sends the same bytes to all clients at one version; a thousand
// browsers would decode them on machines of their own.
type sharedFrames struct {
	seed     maphash.Seed
	frames   atomic.Int64
	contents atomic.Int64

	mu    sync.Mutex
	known map[uint64]*content
}

// keptContents is how many contents are kept for slower clients.
const keptContents = 2000

func newSharedFrames() *sharedFrames {
	return &sharedFrames{seed: maphash.MakeSeed(), known: map[uint64]*content{}}
}

// read returns the content of a frame.
func (s *sharedFrames) read(raw []byte, snapshot bool) (*content, error) {
	at := bytes.Index(raw, []byte(`,"n":`))
	if at < 0 {
		return nil, fmt.Errorf("not a frame of a topic: %.200s", raw)
	}
	body := raw[at+1:]
	body = body[max(0, bytes.IndexAny(body, ",}")):]
	s.frames.Add(1)
	h := maphash.Bytes(s.seed, body)
	s.mu.Lock()
	c := s.known[h]
	if c == nil {
		if len(s.known) >= keptContents {
			clear(s.known)
		}
		c = new(content)
		s.known[h] = c
		s.contents.Add(1)
	}
	s.mu.Unlock()
	c.once.Do(func() {
		read, err := readContent(append([]byte("{"), bytes.TrimPrefix(body, []byte(","))...), false)
		if err != nil {
			c.err = err
			return
		}
		c.state, c.runs = read.state, read.runs
		if snapshot && c.runs == nil {
			c.err = errors.New("a snapshot without tasks")
		}
	})
	return c, c.err
}

// readContent reads the runs of a frame, or of the API's answer, which is a batch itself.
func readContent(raw []byte, answer bool) (*content, error) {
	type batch struct {
		State string           `json:"state"`
		Tasks []map[string]any `json:"tasks"`
	}
	var f struct {
		Batch *batch           `json:"batch"`
		Runs  []map[string]any `json:"runs"`
	}
	into := any(&f)
	if answer {
		f.Batch = new(batch)
		into = f.Batch
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return nil, fmt.Errorf("read a frame: %w", err)
	}
	c := new(content)
	if f.Batch != nil {
		c.state = f.Batch.State
		f.Runs = append(f.Batch.Tasks, f.Runs...)
	}
	for _, run := range f.Runs {
		for _, only := range []string{"key", "job", "outputs"} { // of snapshots
			delete(run, only)
		}
		text, err := json.Marshal(run)
		if err != nil {
			return nil, fmt.Errorf("write a run: %w", err)
		}
		number, _ := run["number"].(float64)
		state, _ := run["state"].(string)
		c.runs = append(c.runs, &seenRun{number: int(number), state: state, text: string(text)})
	}
	return c, nil
}

// followBatch connects a client that follows a batch.
func followBatch(ctx context.Context, addr, token string, batch int64) (*websocket.Conn, error) {
	ws, resp, err := websocket.DefaultDialer.DialContext(ctx, "ws://"+addr+"/api/v1/live",
		http.Header{"Authorization": {"Bearer " + token}})
	if err != nil {
		return nil, fmt.Errorf("connect a client: %w", err)
	}
	_ = resp.Body.Close()
	request := fmt.Sprintf(`{"op":"follow","id":1,"topic":"batch","batch":%d}`, batch)
	return ws, errors.Join(ws.SetReadDeadline(time.Now().Add(5*patience)),
		ws.WriteMessage(websocket.TextMessage, []byte(request)))
}

// open connects a client, and returns when it has the batch.
func (a *audience) open(ctx context.Context, token string) (*browser, error) {
	ws, err := followBatch(ctx, a.program.addr, token, a.batch)
	if err != nil {
		return nil, err
	}
	c := &browser{ws: ws, shared: a.shared, beat: a.beat}
	for c.runs == nil {
		if err := c.next(); err != nil {
			return nil, errors.Join(err, ws.Close())
		}
	}
	return c, nil
}

func (c *browser) untilEnd() error {
	for c.state != "succeeded" {
		if c.state == "failed" || c.state == "canceled" {
			return fmt.Errorf("the batch has %s", c.state)
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// next reads one frame into the copy, and records how long it took from the end of each task.
func (c *browser) next() error {
	_, raw, err := c.ws.ReadMessage()
	if err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	head := raw[:min(len(raw), 100)]
	if bytes.Contains(head, []byte(`"op":"hello"`)) {
		return nil
	}
	at := time.Now().UnixNano()
	snapshot := bytes.Contains(head, []byte(`"op":"snapshot"`))
	f, err := c.shared.read(raw, snapshot)
	if err != nil {
		return err
	}
	if snapshot {
		c.runs = make([]*seenRun, len(f.runs))
	}
	if f.state != "" {
		c.state = f.state
	}
	for _, r := range f.runs {
		if r.number >= len(c.runs) {
			return fmt.Errorf("the frame has a run %d of %d", r.number, len(c.runs))
		}
		if was := c.runs[r.number]; !snapshot && r.state == "succeeded" && was.state != "succeeded" {
			c.delays.add(time.Duration(at - c.beat.done[r.number].Load()))
		}
		c.runs[r.number] = r
	}
	return nil
}

// delays counts delays by milliseconds.
type delays struct {
	n  int64
	by [10_000]int32
}

func (d *delays) add(t time.Duration) {
	d.n++
	d.by[min(max(t.Milliseconds(), 0), int64(len(d.by)-1))]++
}

func (d *delays) merge(o *delays) {
	d.n += o.n
	for i := range o.by {
		d.by[i] += o.by[i]
	}
}

// at returns the delay that a share of all does not exceed, in ms.
func (d *delays) at(share float64) float64 {
	left := int64(share * float64(d.n))
	for i := range d.by {
		if left -= int64(d.by[i]); left < 0 {
			return float64(i)
		}
	}
	return float64(len(d.by))
}
