package live

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// feed is a topic that somebody follows.
type feed struct {
	key     key
	picture picture
	follows map[*follow]bool

	shown   bool  // there is a picture, and it is of this session
	version int64 // of the latest cut
	cut     time.Time
	due     time.Time                // of the next cut, while something is staged
	bodies  map[int64]*hive.LiveBody // what brings a client from an earlier version to this one
	reading bool
	again   bool // read once more
	failed  bool // the last read, which is tried again with the next sample
}

// picture is what a feed shows, in one of three kinds.
type picture interface {
	// observe takes a durable change: staged if the picture will change, reread if it must be read anew for that.
	// While it is being read, what comes is laid aside for the end of the read, too.
	observe(d *hive.Delta, reading bool) (staged, reread bool)
	// begin says that a read begins.
	begin()
	// publish makes what is due of the staged part of the picture as this version, if anything is, and answers when the
	// rest is due; zero: there is none.
	publish(version int64, now time.Time) (changed bool, rest time.Time)
	// floor is the oldest version from which the picture still knows what changed.
	floor() int64
	// body is all that changed after a version, or everything for 0.
	body(from int64) *hive.LiveBody
}

// follow is one client's number for a feed.
type follow struct {
	client *Client
	id     int
	feed   *feed
	at     int64 // version that the client has; 0: none
	epoch  int64 // of its last frame
	n      int64 // of its last frame
	refuse error
}

// publish makes a cut, and answers when the next one is due; zero: nothing is left.
func (f *feed) publish(now time.Time) time.Time {
	changed, rest := f.picture.publish(f.version+1, now)
	if changed {
		f.version++
		f.cut = now
		f.changed()
	}
	return rest
}

// changed has all who follow look again.
func (f *feed) changed() {
	clear(f.bodies)
	for fo := range f.follows {
		fo.client.wake()
	}
}

// restart has all who follow begin anew, with a snapshot.
func (f *feed) restart() {
	for fo := range f.follows {
		fo.at = 0
	}
}

// next is the frame that a client which waits for one gets.
func (f *feed) next(fo *follow, epoch int64) *hive.LiveFrame {
	if fo.epoch != epoch {
		fo.epoch, fo.n, fo.at = epoch, 0, 0
	}
	if fo.at < f.picture.floor() {
		fo.at = 0
	}
	b := f.bodies[fo.at]
	if b == nil {
		b = f.picture.body(fo.at)
		f.bodies[fo.at] = b
	}
	frame := &hive.LiveFrame{ID: fo.id, Epoch: epoch, N: fo.n + 1, Snapshot: fo.at == 0, Body: b}
	fo.n, fo.at = frame.N, f.version
	return frame
}
