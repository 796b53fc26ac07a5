package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func encode(b hive.LiveBody) []byte { return api.EncodeLiveBody(&b) }

// snapshotOf returns the body of a snapshot of a batch.
func snapshotOf(v *hive.BatchView) []byte {
	b := hive.LiveBody{Snapshot: true, Batch: &hive.BatchView{Batch: v.Batch, Stuck: v.Stuck}}
	for i := range v.Runs {
		b.Runs = append(b.Runs, &v.Runs[i])
	}
	return encode(b)
}

// hub is a live hub of one client. Its calls come out of the channel asked, and frames for the client go into frames.
type hub struct {
	asked  chan string
	frames chan hive.LiveFrame
	end    chan error
	closed chan struct{}
	refuse error
}

func newHub() *hub {
	return &hub{
		asked: make(chan string, 100), frames: make(chan hive.LiveFrame, 10), end: make(chan error,
			10), closed: make(chan struct{}),
	}
}

func (h *hub) Connect(int64, string, <-chan struct{}) (api.LiveClient, error) {
	if h.refuse != nil {
		return nil, h.refuse
	}
	return h, nil
}

func (h *hub) Follow(id int, topic hive.LiveTopic, batch int64) error {
	b, _ := json.Marshal([]any{"follow", id, topic, batch})
	h.asked <- string(b)
	if id == 65 {
		return errors.New("at most 64 topics at a time")
	}
	return nil
}

func (h *hub) Join(id int, schedule string, p hive.Presence) error {
	b, _ := json.Marshal([]any{"join", id, schedule, p})
	h.asked <- string(b)
	if id == 65 {
		return errors.New("at most 4 schedules at a time")
	}
	return nil
}

func (h *hub) Present(id int, p hive.Presence) {
	b, _ := json.Marshal([]any{"present", id, p})
	h.asked <- string(b)
}

func (h *hub) Drop(id int) {
	b, _ := json.Marshal([]any{"drop", id})
	h.asked <- string(b)
}

func (h *hub) Next(ctx context.Context) (hive.LiveFrame, error) {
	select {
	case f := <-h.frames:
		return f, nil
	case err := <-h.end:
		return hive.LiveFrame{}, err
	case <-ctx.Done():
		return hive.LiveFrame{}, ctx.Err()
	}
}

func (h *hub) End(why error) { h.end <- why }

func (h *hub) Close() { close(h.closed) }

// line is a real listener that counts its connections.
type line struct {
	net.Listener

	open sync.WaitGroup
}

func (l *line) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.open.Add(1)
	return &counted{Conn: c, out: sync.OnceFunc(l.open.Done)}, nil
}

type counted struct {
	net.Conn

	out func()
}

func (c *counted) Close() error {
	defer c.out()
	return c.Conn.Close()
}

// listen serves an app with a hub on a real listener. The test ends once all its connections are closed.
func listen(t *testing.T, h *hub) (address string) {
	t.Helper()
	f := apitest.Sample()
	ports := f.Ports()
	ports.Live = h
	app := api.NewApp(api.Config{Log: slog.New(slog.DiscardHandler), Now: time.Now}, ports)
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &line{Listener: ln}
	served := make(chan error, 1)
	go func() { served <- app.Listener(l) }()
	t.Cleanup(func() {
		require.NoError(t, app.Shutdown())
		require.NoError(t, <-served)
		l.open.Wait()
	})
	return ln.Addr().String()
}

// dial opens a socket as ada and reads its first frame.
func dial(t *testing.T, address string) *websocket.Conn {
	t.Helper()
	ws, resp, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://"+address+"/api/v1/live",
		http.Header{"Authorization": {"Bearer " + apitest.Token}})
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	t.Cleanup(func() { _ = ws.Close() })
	var hello model.LiveFrame
	require.NoError(t, ws.ReadJSON(&hello))
	assert.Equal(t, model.LiveFrameOpHello, hello.Op)
	assert.Equal(t, int64(4), hello.Epoch)
	return ws
}

// A socket over the real HTTP server: messages go in, frames come out, and when the client goes, the connection is
// closed and the hub knows.
func TestSocket(t *testing.T) {
	t.Parallel()
	h := newHub()
	ws := dial(t, listen(t, h))
	send := func(text string) { require.NoError(t, ws.WriteMessage(websocket.TextMessage, []byte(text))) }
	send(`{"op":"follow","id":3,"topic":"batch","batch":7}`)
	assert.Equal(t, `["follow",3,"batch",7]`, <-h.asked)
	send(`{"op":"drop","id":3}`)
	assert.Equal(t, `["drop",3]`, <-h.asked)
	send(`{"op":"follow","id":4,"topic":"presence","schedule":"orders","window":9}`)
	assert.JSONEq(t, `["join",4,"orders",{"w":9}]`, <-h.asked)
	send(`{"op":"present","id":4,"changes":2,"tasks":["load"]}`)
	assert.JSONEq(t, `["present",4,{"w":0,"c":2,"t":["load"]}]`, <-h.asked)

	batch := apitest.SampleBatch()
	h.frames <- hive.LiveFrame{ID: 3, Epoch: 4, N: 1, Snapshot: true, Body: snapshotOf(&batch)}
	var f model.LiveFrame
	require.NoError(t, ws.ReadJSON(&f))
	assert.Equal(t, model.LiveFrameOpSnapshot, f.Op)
	assert.Equal(t, []any{3, int64(4), int64(1)}, []any{f.ID, f.Epoch, f.N})
	assert.Len(t, f.Batch.Tasks, 3)

	changed := encode(hive.LiveBody{Runs: []*hive.RunView{&batch.Runs[1]}})
	h.frames <- hive.LiveFrame{ID: 3, Epoch: 4, N: 2, Body: changed}
	f = model.LiveFrame{}
	require.NoError(t, ws.ReadJSON(&f))
	assert.Equal(t, model.LiveFrameOpDelta, f.Op)
	require.Len(t, f.Runs, 1)
	assert.Equal(t, "exit status 3", f.Runs[0].Error)
	assert.Equal(t, 3, *f.Runs[0].ExitCode)

	raw := func() string {
		_, b, err := ws.ReadMessage()
		require.NoError(t, err)
		return string(b)
	}
	none := encode(hive.LiveBody{Snapshot: true, Batches: []hive.Batch{}})
	h.frames <- hive.LiveFrame{ID: 1, Epoch: 4, N: 1, Snapshot: true, Body: none}
	assert.JSONEq(t, `{"op":"snapshot","id":1,"epoch":4,"n":1,"batches":[]}`, raw())
	h.frames <- hive.LiveFrame{ID: 2, Epoch: 4, N: 9, Body: encode(hive.LiveBody{})}
	assert.JSONEq(t, `{"op":"delta","id":2,"epoch":4,"n":9}`, raw())
	here := encode(hive.LiveBody{People: []hive.PersonHere{{Name: "ada", Windows: []int64{9}}}, MorePeople: 1})
	h.frames <- hive.LiveFrame{ID: 4, Epoch: 4, N: 2, Body: here}
	assert.JSONEq(t, `{"op":"delta","id":4,"epoch":4,"n":2,"morePeople":1,
		"people":[{"name":"ada","windows":[9],"changes":0,"tasks":[]}]}`, raw())
	h.frames <- hive.LiveFrame{ID: 5, Refused: hive.Errorf(hive.CodeNotFound, "there is no batch 9")}
	f = model.LiveFrame{}
	require.NoError(t, ws.ReadJSON(&f))
	assert.Equal(t, model.LiveFrameOpRefused, f.Op)
	assert.Equal(t, "there is no batch 9", f.Problem.Detail)
	require.NoError(t, ws.Close())
	<-h.closed
}

func tasks(n int) string { return `"schedule":"s","tasks":["a"` + strings.Repeat(`,"a"`, n-1) + `]` }

func joining(rest string) string {
	return `{"op":"follow","id":1,"topic":"presence","window":1,` + rest + `}`
}

// A client that breaks a rule is closed with a code for that rule.
func TestSocketIsStrict(t *testing.T) {
	t.Parallel()
	const text, binary = websocket.TextMessage, websocket.BinaryMessage
	for name, c := range map[string]struct {
		kind    int
		message string
		times   int
		code    int
	}{
		"no JSON":             {text, "hello", 1, 4400},
		"not an object":       {text, "[]", 1, 4400},
		"nothing":             {text, "", 1, 4400},
		"an unknown field":    {text, `{"op":"drop","id":1,"x":2}`, 1, 4400},
		"a field twice":       {text, `{"op":"drop","id":1,"id":2}`, 1, 4400},
		"an unknown op":       {text, `{"op":"stop","id":1}`, 1, 4400},
		"an unknown topic":    {text, `{"op":"follow","id":1,"topic":"users"}`, 1, 4400},
		"no topic":            {text, `{"op":"follow","id":1}`, 1, 4400},
		"no id":               {text, `{"op":"drop"}`, 1, 4400},
		"an id below one":     {text, `{"op":"drop","id":0}`, 1, 4400},
		"an id out of range":  {text, `{"op":"drop","id":99999999999}`, 1, 4400},
		"no batch":            {text, `{"op":"follow","id":1,"topic":"batch"}`, 1, 4400},
		"a batch of nothing":  {text, `{"op":"follow","id":1,"topic":"batches","batch":1}`, 1, 4400},
		"a batch below zero":  {text, `{"op":"follow","id":1,"topic":"batch","batch":-1}`, 1, 4400},
		"a drop with a topic": {text, `{"op":"drop","id":1,"topic":"batches"}`, 1, 4400},
		"bad UTF-8":           {text, "{\"op\":\"\xff\"}", 1, 4400},
		"binary":              {binary, `{"op":"drop","id":1}`, 1, websocket.CloseUnsupportedData},
		"too much":            {text, strings.Repeat(" ", 5000), 1, websocket.CloseMessageTooBig},
		"too many topics":     {text, `{"op":"follow","id":65,"topic":"batches"}`, 1, websocket.ClosePolicyViolation},
		"a schedule for another topic": {
			text, `{"op":"follow","id":1,"topic":"batches","schedule":"orders"}`, 1, 4400,
		},
		"no schedule":              {text, `{"op":"follow","id":1,"topic":"presence","window":1}`, 1, 4400},
		"no window":                {text, `{"op":"follow","id":1,"topic":"presence","schedule":"s"}`, 1, 4400},
		"a schedule of free text":  {text, joining(`"schedule":"<b>hi"`), 1, 4400},
		"a schedule with a break":  {text, joining(`"schedule":"s\n"`), 1, 4400},
		"a task of free text":      {text, joining(`"schedule":"s","tasks":["look here"]`), 1, 4400},
		"too many tasks":           {text, joining(tasks(21)), 1, 4400},
		"fewer changes than none":  {text, joining(`"schedule":"s","changes":-1`), 1, 4400},
		"a presence with a batch":  {text, joining(`"schedule":"s","batch":1`), 1, 4400},
		"a name of one's own":      {text, joining(`"schedule":"s","name":"root"`), 1, 4400},
		"a drop with tasks":        {text, `{"op":"drop","id":1,"tasks":["a"]}`, 1, 4400},
		"a present with a window":  {text, `{"op":"present","id":1,"window":1}`, 1, 4400},
		"a present with free text": {text, `{"op":"present","id":1,"tasks":["<b>"]}`, 1, 4400},
		"a flood of presence":      {text, `{"op":"present","id":1}`, 1000, websocket.ClosePolicyViolation},
		"too many schedules": {
			text, `{"op":"follow","id":65,"topic":"presence","schedule":"s","window":1}`, 1,
			websocket.ClosePolicyViolation,
		},
		"a flood":          {text, `{"op":"drop","id":1}`, 1000, websocket.ClosePolicyViolation},
		"a flood of pings": {websocket.PingMessage, "", 1000, websocket.ClosePolicyViolation},
		"a flood of pongs": {websocket.PongMessage, "", 1000, websocket.ClosePolicyViolation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHub()
			h.asked = make(chan string, 2000)
			ws := dial(t, listen(t, h))
			for range c.times {
				if ws.WriteMessage(c.kind, []byte(c.message)) != nil {
					break // it is closed already
				}
			}
			_, _, err := ws.ReadMessage()
			closed, ok := errors.AsType[*websocket.CloseError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, c.code, closed.Code, closed.Text)
			require.NoError(t, ws.Close())
			<-h.closed
		})
	}
}

// The hub's reasons to end a socket have codes of their own.
func TestSocketIsEnded(t *testing.T) {
	t.Parallel()
	for why, code := range map[error]int{hive.ErrStopping: websocket.CloseGoingAway, hive.ErrEnded: 4401} {
		h := newHub()
		ws := dial(t, listen(t, h))
		h.end <- why
		_, _, err := ws.ReadMessage()
		assert.True(t, websocket.IsCloseError(err, code), "%v", err)
		<-h.closed // the answer to the closing frame is enough
	}
}

// A client that vanishes without closing is dropped.
func TestSocketIsCut(t *testing.T) {
	t.Parallel()
	h := newHub()
	ws := dial(t, listen(t, h))
	require.NoError(t, ws.NetConn().Close())
	<-h.closed
}

// A request that is not a proper upgrade gets an ordinary answer, and uses no place in the hub.
func TestUpgradeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHub()
	address := listen(t, h)
	try := func(h http.Header) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/api/v1/live", http.NoBody)
		require.NoError(t, err)
		r.Header = h
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		var p problem
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&p))
		return resp.StatusCode, p.Detail
	}
	upgrade := func(more ...string) http.Header {
		h := http.Header{
			"Authorization": {"Bearer " + apitest.Token}, "Connection": {"Upgrade"}, "Upgrade": {"websocket"},
			"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
		}
		for i := 0; i < len(more); i += 2 {
			if h.Del(more[i]); more[i+1] != "" {
				h.Set(more[i], more[i+1])
			}
		}
		return h
	}
	for name, c := range map[string]struct {
		header http.Header
		status int
		words  string
	}{
		"a plain GET":    {upgrade("Upgrade", ""), http.StatusBadRequest, "websocket"},
		"another kind":   {upgrade("Upgrade", "h2c"), http.StatusBadRequest, "websocket"},
		"an old version": {upgrade("Sec-Websocket-Version", "8"), http.StatusBadRequest, "version 13"},
		"no key":         {upgrade("Sec-Websocket-Key", ""), http.StatusBadRequest, "websocket"},
		"a bad key":      {upgrade("Sec-Websocket-Key", "x"), http.StatusBadRequest, "websocket"},
		"no token":       {upgrade("Authorization", ""), http.StatusUnauthorized, "token"},
		"a wrong token":  {upgrade("Authorization", "Bearer x"), http.StatusUnauthorized, "token"},
		"another page":   {upgrade("Origin", "https://evil.example"), http.StatusForbidden, "evil.example"},
	} {
		status, words := try(c.header)
		assert.Equal(t, c.status, status, name)
		assert.Contains(t, words, c.words, name)
	}
	h.refuse = hive.Errorf(hive.CodeUnavailable, "500 clients follow live changes already")
	status, words := try(upgrade())
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, words, "500 clients")
}
