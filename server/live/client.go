package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Limits of clients.
const (
	maxClients = 3000
	maxOfUser  = 500
	maxTopics  = 64
)

// The pace of a client: at most 20 frames in any second. After a quiet time some go at once.
const (
	frameEvery = 60 * time.Millisecond
	frameBurst = 3
)

// errLeft is for a client that is closed while it waits.
var errLeft = errors.New("the client has left")

// errTopics reports that a client follows too many topics.
var errTopics = fmt.Errorf("at most %d topics at a time", maxTopics)

// Client follows topics. Its methods may be called from any goroutine, Next from only one at a time.
type Client struct {
	hub    *Hub
	user   int64
	name   string // of the user
	ended  <-chan struct{}
	signal chan struct{}

	// The hub's lock protects the fields below.
	follows []*follow // in the order of their turns
	closed  error
	paced   time.Time // when the last frame would have been sent at an even pace
}

// Connect adds a client of a user by id and name. Next returns hive.ErrEnded once ended is closed; a nil channel never
// ends it.
func (h *Hub) Connect(user int64, name string, ended <-chan struct{}) (*Client, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.stopping:
		return nil, hive.Errorf(hive.CodeUnavailable, "the server is stopping")
	case len(h.clients) >= maxClients:
		return nil, hive.Errorf(hive.CodeUnavailable, "%d clients follow live changes already; try again later",
			maxClients)
	case h.users[user] >= maxOfUser:
		return nil, hive.Errorf(hive.CodeUnavailable,
			"you follow live changes with %d connections already; close some of them", maxOfUser)
	}
	c := &Client{hub: h, user: user, name: name, ended: ended, signal: make(chan struct{}, 1)}
	h.clients[c] = true
	h.users[user]++
	return c, nil
}

// Clients returns the number of clients that are connected.
func (h *Hub) Clients() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.clients)
}

// Close removes the client. It may be called twice.
func (c *Client) Close() {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.clients[c] {
		return
	}
	delete(h.clients, c)
	if h.users[c.user]--; h.users[c.user] == 0 {
		delete(h.users, c.user)
	}
	for _, fo := range slices.Clone(c.follows) {
		c.dropLocked(fo)
	}
	c.end(errLeft)
	h.goneLocked()
}

// End makes Next return why from now on.
func (c *Client) End(why error) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.end(why)
}

func (c *Client) end(why error) {
	if c.closed == nil {
		c.closed = why
	}
	c.wake()
}

// wake makes Next check for a frame again.
func (c *Client) wake() {
	select {
	case c.signal <- struct{}{}:
	default:
	}
}

// Follow begins a topic under a number that the client chose. It ends a topic that already has that number.
func (c *Client) Follow(id int, topic hive.LiveTopic, batch int64) error {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.dropID(id)
	k := key{topic: topic}
	if topic == hive.TopicBatch {
		k.batch = batch
	}
	_, err := c.followLocked(id, k)
	return err
}

// followLocked begins a topic under a number that no other topic of the client has.
func (c *Client) followLocked(id int, k key) (*follow, error) {
	h := c.hub
	switch {
	case c.closed != nil:
		return nil, c.closed
	case len(c.follows) >= maxTopics:
		return nil, errTopics
	}
	f := h.topics[k]
	if f == nil {
		f = h.openLocked(k)
	}
	fo := &follow{client: c, id: id, topic: f}
	f.follows[fo] = true
	c.follows = append(c.follows, fo)
	if !f.shown && !f.reading { // the others who follow it are about to be refused
		h.readLocked(f)
	}
	c.wake()
	return fo, nil
}

// openLocked creates a topic for its first follower.
func (h *Hub) openLocked(k key) *topic {
	f := &topic{key: k, follows: map[*follow]bool{}, bodies: map[int64]*body{}}
	switch k.topic {
	case hive.TopicBatches:
		f.projection = newListProjection()
	case hive.TopicExecutors:
		f.projection = new(executorsProjection)
	case hive.TopicPresence:
		f.projection = newPresenceProjection(h, k.schedule)
	default:
		f.projection = newBatchProjection()
	}
	if len(h.topics) == 0 {
		h.sampleAt = h.cfg.Now().Add(sampleEvery)
		h.lookAt = h.cfg.Now().Add(h.lookPause())
		h.in.wake()
	}
	h.topics[k] = f
	return f
}

// Drop ends the topic with this number, if there is one.
func (c *Client) Drop(id int) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.dropID(id)
}

func (c *Client) dropID(id int) {
	if at := slices.IndexFunc(c.follows, func(fo *follow) bool { return fo.id == id }); at >= 0 {
		c.dropLocked(c.follows[at])
	}
}

func (c *Client) dropLocked(fo *follow) {
	c.follows = slices.DeleteFunc(c.follows, func(x *follow) bool { return x == fo })
	f := fo.topic
	delete(f.follows, fo)
	c.hub.leaveLocked(fo)
	if len(f.follows) == 0 {
		delete(c.hub.topics, f.key)
		delete(c.hub.staged, f)
		delete(c.hub.marked, f)
	}
}

// Next waits for the next frame. An error is final: hive.ErrStopping, hive.ErrEnded, the argument of End, or the error
// of ctx.
func (c *Client) Next(ctx context.Context) (hive.LiveFrame, error) {
	for {
		frame, wait, err := c.take(c.hub.cfg.Now())
		if err != nil || frame != nil {
			if err != nil {
				return hive.LiveFrame{}, err
			}
			return frame.encoded(c.hub.cfg.Encode), nil
		}
		if err := c.rest(ctx, wait); err != nil {
			return hive.LiveFrame{}, err
		}
	}
}

// rest waits for a signal, or for the end of a pause if it is not 0.
func (c *Client) rest(ctx context.Context, pause time.Duration) error {
	var over <-chan time.Time
	signal := c.signal
	if pause > 0 {
		t := time.NewTimer(pause)
		defer t.Stop()
		over = t.C
		signal = nil // nothing can be sent before; an end waits as long
	}
	select {
	case <-signal:
	case <-over:
	case <-c.ended:
		return hive.ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// take returns the frame that is due now, or how long the client's pace still forbids one. Without either there is
// nothing to send.
func (c *Client) take(now time.Time) (next *frame, wait time.Duration, err error) {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.closed != nil {
		return nil, 0, c.closed
	}
	for i, fo := range c.follows {
		if fo.refuse == nil && !fo.waits(h.epoch) {
			continue
		}
		if ahead := c.paced.Sub(now); ahead > (frameBurst-1)*frameEvery {
			return nil, ahead - (frameBurst-1)*frameEvery, nil
		}
		if c.paced.Before(now) {
			c.paced = now
		}
		c.paced = c.paced.Add(frameEvery)
		if fo.refuse != nil {
			c.dropLocked(fo)
			return &frame{LiveFrame: hive.LiveFrame{ID: fo.id, Refused: fo.refuse}}, 0, nil
		}
		c.follows = append(slices.Delete(c.follows, i, i+1), fo) // the others are first now
		return fo.topic.next(fo, h.epoch), 0, nil
	}
	return nil, 0, nil
}

// waits reports whether there is something to send.
func (fo *follow) waits(epoch int64) bool {
	return fo.topic.shown && (fo.at != fo.topic.version || fo.epoch != epoch)
}
