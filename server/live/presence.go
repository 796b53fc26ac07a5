package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const (
	presenceEvery = 250 * time.Millisecond // between two changes of the topic presence of a schedule
	maxJoined     = 4                      // schedules that a client has open at a time
)

// errJoined reports that a client has too many schedules open.
var errJoined = fmt.Errorf("at most %d schedules at a time for the topic presence", maxJoined)

// window is a window that has a schedule open, and the name of its user. It never changes: another one replaces it.
type window struct {
	hive.Presence

	Name string `json:"n"`
}

func (w *window) same(other *window) bool {
	return w.Name == other.Name && w.Window == other.Window && w.Changes == other.Changes &&
		slices.Equal(w.Tasks, other.Tasks)
}

// presenceProjection is who has a schedule open. No store has it: it lives as long as the connections of the windows.
type presenceProjection struct {
	schedule string
	hub      *Hub // knows the windows at other servers
	here     map[*follow]*window
	shown    []hive.PersonHere
	more     int
	at       time.Time // of the latest change of shown
}

func newPresenceProjection(h *Hub, schedule string) *presenceProjection {
	return &presenceProjection{schedule: schedule, hub: h, here: map[*follow]*window{}}
}

func (p *presenceProjection) observe(*hive.Delta, bool) (staged, reread bool) { return false, false }

func (p *presenceProjection) begin() {}

func (p *presenceProjection) floor() int64 { return 0 }

func (p *presenceProjection) publish(_ int64, now time.Time) (changed bool, rest time.Time) {
	if due := p.at.Add(presenceEvery); now.Before(due) {
		return false, due
	}
	list, more := people(p.windows())
	if more == p.more && slices.EqualFunc(list, p.shown, samePerson) {
		return false, time.Time{}
	}
	p.shown, p.more, p.at = list, more, now
	return true, time.Time{}
}

// body returns everybody, after any version: the list is short, and who has gone need not be named.
func (p *presenceProjection) body(from int64) *hive.LiveBody {
	b := &hive.LiveBody{Snapshot: from == 0, People: p.shown, MorePeople: p.more}
	if b.People == nil {
		b.People = []hive.PersonHere{}
	}
	return b
}

// windows lists the windows here and at other servers. A window that has come here from another server counts here.
func (p *presenceProjection) windows() []*window {
	type id struct {
		name   string
		window int64
	}
	known := map[id]bool{}
	all := slices.Collect(maps.Values(p.here))
	for _, w := range all {
		known[id{w.Name, w.Window}] = true
	}
	for _, s := range p.hub.others {
		for _, w := range s.schedules[p.schedule].windows {
			if !known[id{w.Name, w.Window}] {
				all = append(all, w)
			}
		}
	}
	return all
}

// people makes persons of windows, those with changes first.
func people(windows []*window) (list []hive.PersonHere, more int) {
	byName := map[string]*hive.PersonHere{}
	for _, w := range windows {
		p := byName[w.Name]
		if p == nil {
			p = &hive.PersonHere{Name: w.Name}
			byName[w.Name] = p
		}
		p.Windows = append(p.Windows, w.Window)
		p.Changes = max(p.Changes, w.Changes)
		p.Tasks = append(p.Tasks, w.Tasks...)
	}
	for _, p := range byName {
		p.Windows = distinct(p.Windows, hive.MaxWindows)
		p.Tasks = distinct(p.Tasks, hive.MaxPresenceTasks)
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b hive.PersonHere) int {
		if (a.Changes > 0) != (b.Changes > 0) {
			return cmp.Compare(min(b.Changes, 1), min(a.Changes, 1))
		}
		return strings.Compare(a.Name, b.Name)
	})
	if more = len(list) - hive.MaxPeople; more > 0 {
		return list[:hive.MaxPeople], more
	}
	return list, 0
}

// distinct returns the different values, sorted, at most so many.
func distinct[T cmp.Ordered](list []T, most int) []T {
	slices.Sort(list)
	list = slices.Compact(list)
	return list[:min(len(list), most)]
}

func samePerson(a, b hive.PersonHere) bool {
	return a.Name == b.Name && a.Changes == b.Changes && slices.Equal(a.Windows, b.Windows) &&
		slices.Equal(a.Tasks, b.Tasks)
}

// Join begins the topic presence of a schedule, and shows the client to all who follow it. A window that was here
// before, over another connection of the same user, is replaced.
func (c *Client) Join(id int, schedule string, p hive.Presence) error {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	c.dropID(id)
	joined := 0
	for _, fo := range c.follows {
		if fo.topic.key.topic == hive.TopicPresence {
			joined++
		}
	}
	if joined >= maxJoined {
		return errJoined
	}
	fo, err := c.followLocked(id, key{topic: hive.TopicPresence, schedule: schedule})
	if err != nil {
		return err
	}
	shown := fo.topic.projection.(*presenceProjection) //nolint:forcetypeassert // by the topic
	w := &window{Name: c.name, Presence: p}
	maps.DeleteFunc(shown.here, func(_ *follow, old *window) bool {
		return old.Name == w.Name && old.Window == w.Window
	})
	shown.here[fo] = w
	h.presentLocked(fo.topic)
	return nil
}

// Present replaces what the client says of itself in the topic with this number. Its window stays the same. Without
// such a topic nothing happens: another connection may have replaced the window.
func (c *Client) Present(id int, p hive.Presence) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	at := slices.IndexFunc(c.follows, func(fo *follow) bool { return fo.id == id })
	if at < 0 {
		return
	}
	fo := c.follows[at]
	shown, ok := fo.topic.projection.(*presenceProjection)
	if !ok || shown.here[fo] == nil {
		return
	}
	w := &window{Name: c.name, Presence: p}
	w.Window = shown.here[fo].Window
	if w.same(shown.here[fo]) {
		return
	}
	shown.here[fo] = w
	c.hub.presentLocked(fo.topic)
}

// leaveLocked removes the window of a follower that goes.
func (h *Hub) leaveLocked(fo *follow) {
	if p, ok := fo.topic.projection.(*presenceProjection); ok && p.here[fo] != nil {
		delete(p.here, fo)
		h.presentLocked(fo.topic)
	}
}

// presentLocked shows a change of who is here, and has it sent to other servers.
func (h *Hub) presentLocked(f *topic) {
	h.stageLocked(f)
	h.tellLocked(f.key.schedule)
}
