package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Guest has a schedule open in the editor, as far as the server knows.
type Guest struct {
	t  testing.TB
	ws *websocket.Conn
}

// Join connects to the server, and says that a window has a schedule open.
func (s *Server) Join(schedule string, window int) *Guest {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	ws, resp, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+"/api/v1/live",
		http.Header{"Authorization": {"Bearer " + s.Token}})
	if err != nil {
		s.t.Fatalf("join: %v\n%s", err, s.Output())
	}
	_ = resp.Body.Close()
	s.t.Cleanup(func() { _ = ws.Close() })
	g := &Guest{t: s.t, ws: ws}
	g.say(fmt.Sprintf(`{"op":"follow","id":1,"topic":"presence","schedule":%q,"window":%d}`, schedule, window))
	return g
}

// Present says how many changes the draft has.
func (g *Guest) Present(changes int) {
	g.t.Helper()
	g.say(fmt.Sprintf(`{"op":"present","id":1,"changes":%d}`, changes))
}

func (g *Guest) say(request string) {
	g.t.Helper()
	if err := g.ws.WriteMessage(websocket.TextMessage, []byte(request)); err != nil {
		g.t.Fatal(err)
	}
}

// Leave closes the connection.
func (g *Guest) Leave() { _ = g.ws.Close() }

// Sees waits for a frame with these people: for each the name, the windows and the changes.
func (g *Guest) Sees(people string) {
	g.t.Helper()
	_ = g.ws.SetReadDeadline(time.Now().Add(Patience))
	last := ""
	for last != people {
		var frame struct {
			Op     string `json:"op"`
			People []struct {
				Name    string  `json:"name"`
				Windows []int64 `json:"windows"`
				Changes int     `json:"changes"`
			} `json:"people"`
		}
		_, raw, err := g.ws.ReadMessage()
		if err != nil {
			g.t.Fatalf("it sees %s, not %s: %v", last, people, err)
		}
		if err := json.Unmarshal(raw, &frame); err != nil {
			g.t.Fatalf("%v: %s", err, raw)
		}
		if frame.Op != "hello" {
			last = fmt.Sprint(frame.People)
		}
	}
}
