package live

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const (
	presencePace  = 500 * time.Millisecond // between two rounds of messages about presence
	presenceRound = 100                    // schedules in a round
	presenceBeat  = 10 * time.Second       // a server repeats who is there
	// presenceFor is how long that holds. A server that has died repeats nothing.
	presenceFor = 3 * presenceBeat
	// presenceSign begins the second word of a message about presence, before the mark of the server's process. No
	// message about batches has it there.
	presenceSign = "@"
	// maxWindowBytes is the room for the windows of a schedule in a message.
	maxWindowBytes = maxNoticeBytes - 200
)

// presenceNotice is the content of a message about presence.
type presenceNotice struct {
	Ask  bool                 `json:"ask,omitempty"`  // the others repeat who is there
	Here map[string][]*window `json:"here,omitempty"` // by schedule, all windows; none if the last has gone
}

// otherServer is who has schedules open at another server.
type otherServer struct {
	process   string // changes with each start of the server
	schedules map[string]otherWindows
}

type otherWindows struct {
	windows []*window
	until   time.Time
}

// presenceEvent is a message of another server.
type presenceEvent struct {
	server, process string
	presenceNotice
}

// FarPresence queues a message of another server about presence.
func (h *Hub) FarPresence(server, process string, n *presenceNotice) {
	h.in.put(event{presence: &presenceEvent{server: server, process: process, presenceNotice: *n}})
}

func (h *Hub) farPresenceLocked(e *presenceEvent) {
	s := h.others[e.server]
	if s != nil && s.process != e.process { // it was restarted, so all its connections are gone
		h.forgetLocked(e.server, func(otherWindows) bool { return true })
		s = nil
	}
	if s == nil {
		s = &otherServer{process: e.process, schedules: map[string]otherWindows{}}
		h.others[e.server] = s
	}
	until := h.cfg.Now().Add(presenceFor)
	for schedule, windows := range e.Here {
		if len(windows) == 0 {
			delete(s.schedules, schedule)
		} else {
			s.schedules[schedule] = otherWindows{windows: windows, until: until}
			h.expireAt = earlier(h.expireAt, until)
		}
		h.stagePresenceLocked(schedule)
	}
	if len(s.schedules) == 0 {
		delete(h.others, e.server)
	}
	if e.Ask {
		h.tellAllLocked()
	}
}

// forgetLocked forgets windows of another server.
func (h *Hub) forgetLocked(server string, which func(otherWindows) bool) {
	s := h.others[server]
	for schedule, w := range s.schedules {
		if which(w) {
			delete(s.schedules, schedule)
			h.stagePresenceLocked(schedule)
		}
	}
	if len(s.schedules) == 0 {
		delete(h.others, server)
	}
}

func (h *Hub) stagePresenceLocked(schedule string) {
	if f := h.topics[presenceOf(schedule)]; f != nil {
		h.stageLocked(f)
	}
}

// expireLocked forgets the windows of servers that repeat nothing any more, and returns when the next ones are due.
func (h *Hub) expireLocked(now time.Time) time.Time {
	if h.expireAt.IsZero() || now.Before(h.expireAt) {
		return h.expireAt
	}
	h.expireAt = time.Time{}
	for server, s := range h.others {
		h.forgetLocked(server, func(w otherWindows) bool { return !now.Before(w.until) })
		for _, w := range s.schedules {
			h.expireAt = earlier(h.expireAt, w.until)
		}
	}
	return h.expireAt
}

// tellLocked has the windows of a schedule here sent to other servers.
func (h *Hub) tellLocked(schedule string) {
	if !h.cfg.Shared {
		return
	}
	h.unsent[schedule] = true
	h.wakeTelling()
}

func (h *Hub) wakeTelling() {
	select {
	case h.tell <- struct{}{}:
	default:
	}
}

// tellAllLocked is tellLocked for all schedules that somebody here has open.
func (h *Hub) tellAllLocked() {
	for k := range h.topics {
		if k.topic == hive.TopicPresence {
			h.tellLocked(k.schedule)
		}
	}
}

// unsentPresence takes schedules whose windows other servers do not know yet. all adds all with windows here.
func (h *Hub) unsentPresence(all bool) map[string][]*window {
	h.mu.Lock()
	defer h.mu.Unlock()
	if all {
		h.tellAllLocked()
	}
	out := map[string][]*window{}
	for schedule := range h.unsent {
		if len(out) == presenceRound {
			h.wakeTelling()
			break
		}
		delete(h.unsent, schedule)
		out[schedule] = nil
		if f := h.topics[presenceOf(schedule)]; f != nil {
			p := f.projection.(*presenceProjection) //nolint:forcetypeassert // by the topic
			out[schedule] = slices.Collect(maps.Values(p.here))
		}
	}
	return out
}

// tellAgain marks schedules whose windows could not be sent.
func (h *Hub) tellAgain(schedules map[string][]*window) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for schedule := range schedules {
		h.tellLocked(schedule)
	}
}

// presenceMessages writes who is here as few texts that are short enough: the server's id, the mark of its process, and
// a presenceNotice.
func presenceMessages(server, process string, here map[string][]*window) []string {
	head := server + " " + presenceSign + process + " "
	var out []string
	body := ""
	for _, schedule := range slices.Sorted(maps.Keys(here)) {
		name, windows := encoded(schedule), fitting(here[schedule])
		word := name + ":" + windows
		if body != "" && len(body)+len(word) > maxNoticeBytes {
			out, body = append(out, head+`{"here":{`+body+"}}"), ""
		}
		if body != "" {
			body += ","
		}
		body += word
	}
	if body != "" {
		out = append(out, head+`{"here":{`+body+"}}")
	}
	return out
}

// fitting writes the windows of a schedule. If they have no room in a message, it leaves out the chosen tasks, and then
// windows.
func fitting(windows []*window) string {
	windows = slices.SortedFunc(slices.Values(windows), func(a, b *window) int {
		return strings.Compare(a.Name, b.Name)
	})
	text := encoded(append([]*window{}, windows...))
	if len(text) <= maxWindowBytes {
		return text
	}
	for i, w := range windows {
		bare := *w
		bare.Tasks = nil
		windows[i] = &bare
	}
	for text = encoded(windows); len(text) > maxWindowBytes; text = encoded(windows) {
		windows = windows[:len(windows)*3/4]
	}
	return text
}

// encoded writes a value as JSON. All values written here can be encoded.
func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// readPresence reads a message about presence. It reports false for other messages. A notice that this version cannot
// read is empty.
func readPresence(message string) (server, process string, n *presenceNotice, ok bool) {
	words := strings.SplitN(message, " ", 3)
	if len(words) != 3 || !strings.HasPrefix(words[1], presenceSign) {
		return "", "", nil, false
	}
	n = new(presenceNotice)
	if json.Unmarshal([]byte(words[2]), n) != nil {
		n = new(presenceNotice)
	}
	for schedule, windows := range n.Here {
		n.Here[schedule] = slices.DeleteFunc(windows, func(w *window) bool { return w == nil })
	}
	return words[0], words[1][len(presenceSign):], n, true
}

// sharePresence sends who is here to other servers: after a change, and regularly, because a message may get lost.
func (p *Peers) sharePresence(ctx context.Context) {
	beat := time.NewTicker(presenceBeat)
	defer beat.Stop()
	for {
		all := false
		select {
		case <-ctx.Done():
			return
		case <-p.cfg.Hub.tell:
		case <-beat.C:
			all = true
		}
		pause := presencePace
		if !p.sendPresence(ctx, all) {
			pause = listenAgain
		}
		if !rest(ctx, pause) {
			return
		}
	}
}

// sendPresence reports whether everything was sent. What was not sent waits for the next call.
func (p *Peers) sendPresence(ctx context.Context, all bool) bool {
	var messages []string
	asks := p.ask.Swap(false)
	if asks {
		messages = append(messages, p.cfg.Server+" "+presenceSign+p.process+" "+encoded(presenceNotice{Ask: true}))
	}
	here := p.cfg.Hub.unsentPresence(all)
	limited, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	for _, m := range append(messages, presenceMessages(p.cfg.Server, p.process, here)...) {
		if err := p.cfg.Send(limited, m); err != nil {
			p.cfg.Log.Debug("other servers do not learn who is here", "error", err)
			if asks {
				p.ask.Store(true)
			}
			p.cfg.Hub.tellAgain(here)
			return false
		}
	}
	return true
}

// askPresence asks the other servers who is there.
func (p *Peers) askPresence() {
	p.ask.Store(true)
	p.cfg.Hub.wakeTelling()
}
