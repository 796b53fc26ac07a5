package live

import (
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// topic is one topic with its projection and its followers.
type topic struct {
	key        key
	projection projection
	follows    map[*follow]bool

	shown   bool  // the projection was read in this session
	version int64 // of the latest flush
	flushed time.Time
	due     time.Time       // of the next flush, while something is staged
	bodies  map[int64]*body // changes since an earlier version, by that version
	reading bool
	again   bool // read once more
	failed  bool // the last read failed; the next sample tries again
	marks   marks
}

// projection is the content of a topic, of one of four kinds.
type projection interface {
	// observe applies a durable change. staged reports that the projection will change, reread that it must be read
	// again first. During a read the change is also buffered until the read ends.
	observe(d *hive.Delta, reading bool) (staged, reread bool)
	// begin is called when a read begins.
	begin()
	// publish moves the staged changes that are due into the projection, under this version. It returns when the rest
	// is due, or zero if nothing is left.
	publish(version int64, now time.Time) (changed bool, rest time.Time)
	// floor returns the oldest version since which the projection still knows all changes.
	floor() int64
	// body returns everything that changed after a version, or the whole projection for 0.
	body(from int64) *hive.LiveBody
}

// follow is one client's number for a topic.
type follow struct {
	client *Client
	id     int
	topic  *topic
	at     int64 // version that the client has seen; 0: none
	epoch  int64 // of its last frame
	n      int64 // of its last frame
	refuse error
}

// publish makes a flush, and returns when the next one is due, or zero if nothing is left.
func (f *topic) publish(now time.Time) time.Time {
	changed, rest := f.projection.publish(f.version+1, now)
	if changed {
		f.version++
		f.flushed = now
		f.changed()
	}
	return rest
}

// changed wakes all followers.
func (f *topic) changed() {
	clear(f.bodies)
	for fo := range f.follows {
		fo.client.wake()
	}
}

// restart makes all followers begin again with a snapshot.
func (f *topic) restart() {
	for fo := range f.follows {
		fo.at = 0
	}
}

// next builds the next frame for a follower.
func (f *topic) next(fo *follow, epoch int64) *frame {
	if fo.epoch != epoch {
		fo.epoch, fo.n, fo.at = epoch, 0, 0
	}
	if fo.at < f.projection.floor() {
		fo.at = 0
	}
	b := f.bodies[fo.at]
	if b == nil {
		b = &body{content: f.projection.body(fo.at)}
		f.bodies[fo.at] = b
	}
	next := &frame{
		LiveFrame: hive.LiveFrame{ID: fo.id, Epoch: epoch, N: fo.n + 1, Snapshot: fo.at == 0}, body: b,
	}
	fo.n, fo.at = next.N, f.version
	return next
}

// dropBodies removes the bodies of frames if no follower is behind. A later follower gets a new one.
func (f *topic) dropBodies(epoch int64) {
	for fo := range f.follows {
		if fo.waits(epoch) {
			return
		}
	}
	clear(f.bodies)
}

// frame is a frame whose body is not encoded yet.
type frame struct {
	hive.LiveFrame

	body *body // nil if the topic is refused
}

// encoded returns the frame with its body as bytes. It is called without the hub's lock.
func (f *frame) encoded(encode func(*hive.LiveBody) []byte) hive.LiveFrame {
	if f.body != nil {
		f.Body = f.body.encoded(encode)
	}
	return f.LiveFrame
}

// body is the body of the frames to all clients at one version. The first of them encodes it.
type body struct {
	once    sync.Once
	content *hive.LiveBody // nil once it is encoded
	bytes   []byte
}

func (b *body) encoded(encode func(*hive.LiveBody) []byte) []byte {
	b.once.Do(func() {
		b.bytes = encode(b.content)
		b.content = nil
	})
	return b.bytes
}
