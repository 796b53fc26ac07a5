package conform_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// fault is a mistake that an author of a durable executor can make. planted is an executor that is honest but for one.
type fault string

// journal is what the planted executor writes down before it answers.
type journal struct {
	Executor string
	Cluster  string
	Boots    int64
	Issued   int64 // the highest number of an answer that may have been sent
	Servers  map[string]*plantedServer
	Attempts map[string]*plantedAttempt // by name
	Tombs    map[string]bool            // by name
	Lost     map[string]*plantedAttempt // whose release is lost with the process
}

type plantedServer struct {
	Epoch   int64
	Session string
}

type plantedAttempt struct {
	ID      int64
	Key     string
	Owner   owner
	Started int64
	Outcome *hivego.Outcome
	Seq     int64
	Acked   int64

	progress float64
	sent     int64 // number of the first answer that had its latest event
	stop     *stopping
}

// owner is the session that submitted or attached an attempt last.
type owner struct {
	Server, Session string
	Epoch           int64
}

// outranks reports whether the owner comes after a caller.
func (o owner) outranks(c owner) bool {
	return o.Epoch > c.Epoch || o.Epoch == c.Epoch && o.Server == c.Server && o.Session != c.Session
}

func (o owner) lease() string { return fmt.Sprintf("%s@%d", o.Server, o.Epoch) }

// stopping asks work to end.
type stopping struct {
	once  sync.Once
	ask   chan struct{} // closed: it should end
	force chan struct{} // closed: it must end
	kind  hivego.OutcomeKind
}

// planted is a durable executor in one process, as simple as the contract allows.
type planted struct {
	fault fault
	dir   string
	slots int
	token string

	mu       sync.Mutex
	j        journal
	boot     string
	began    time.Time
	ticks    int64
	leases   map[string]*plantedLease
	polls    map[string]int
	news     chan struct{} // closed and made anew at each change
	draining bool
	running  int
	late     []byte // what journal-late writes at the next change
	slow     atomic.Bool
	done     chan struct{}
	work     sync.WaitGroup
}

func (x *planted) has(f fault) bool { return x.fault == f }

// newPlanted reads the journal of a folder, and begins a life of the executor.
func newPlanted(dir string, f fault, token string) (*planted, error) {
	x := &planted{
		fault: f, dir: dir, slots: 6, token: token, boot: fmt.Sprint(time.Now().UnixNano()), began: time.Now(),
		leases: map[string]*plantedLease{}, polls: map[string]int{}, news: make(chan struct{}),
		done: make(chan struct{}),
	}
	raw, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err == nil {
		err = json.Unmarshal(raw, &x.j)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if x.j.Executor == "" || x.has("restart-new-id") {
		x.j.Executor = "planted-" + x.boot
	}
	if x.has("restart-same-boot") {
		x.boot = "always"
	}
	if x.j.Servers == nil { // there was no journal
		x.j.Servers, x.j.Attempts = map[string]*plantedServer{}, map[string]*plantedAttempt{}
		x.j.Tombs = map[string]bool{}
	}
	if err := x.replay(); err != nil {
		return nil, err
	}
	x.j.Boots++
	x.save()
	x.work.Go(x.watch)
	return x, nil
}

// replay continues from the journal of a former life: what ran is lost.
func (x *planted) replay() error {
	switch {
	case x.has("restart-without-tombs"):
		x.j.Tombs = map[string]bool{}
	case x.has("restart-without-epochs"):
		x.j.Servers = map[string]*plantedServer{}
	case x.has("restart-low-numbers"):
		x.j.Issued = 0
	case x.has("restart-without-cluster"):
		x.j.Cluster = ""
	}
	if x.j.Issued == 0 && !x.has("restart-low-numbers") {
		x.j.Issued = time.Now().UnixMicro()
	}
	for name, a := range x.j.Lost {
		x.j.Attempts[name] = a
		delete(x.j.Tombs, name)
	}
	x.j.Lost = nil
	for name, a := range x.j.Attempts {
		switch {
		case a.Outcome != nil:
			if x.has("restart-ends-untold") {
				a.Acked = a.Seq
			}
			if x.has("restart-without-logs") {
				_ = os.Remove(x.log(name))
			}
			if x.has("restart-without-outputs") {
				a.Outcome.Outputs = nil
			}
		case x.has("restart-dies-of-work"):
			return fmt.Errorf("%s: this cannot be replayed", name)
		case x.has("restart-runs-again"):
			a.Started = 0
			x.start(name, a, `{"do": "long"}`)
		default:
			x.end(name, a, hivego.OutcomeKind_LOST, "the executor was killed")
		}
	}
	return nil
}

// save writes the journal. The caller holds the lock, or is alone.
func (x *planted) save() {
	j := x.j
	if x.has("journal-none") {
		j = journal{Executor: j.Executor, Cluster: j.Cluster}
	}
	raw, err := json.Marshal(&j)
	if x.has("journal-late") {
		raw, x.late = x.late, raw // a change is answered before its record is there
		if raw == nil {
			return
		}
	}
	file := filepath.Join(x.dir, "journal")
	if err == nil {
		err = os.WriteFile(file+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil && !x.stopped() {
		panic(err)
	}
}

func (x *planted) stopped() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}

func (x *planted) log(name string) string { return filepath.Join(x.dir, name+".log") }

// changed wakes the polls that wait. The caller holds the lock.
func (x *planted) changed() {
	close(x.news)
	x.news = make(chan struct{})
}

// now is the time by which leases are counted.
func (x *planted) now() time.Duration {
	if x.has("lease-by-ticks") {
		return time.Duration(x.ticks) * plantedTick
	}
	return time.Since(x.began)
}

const plantedTick = 20 * time.Millisecond

// watch kills what has no lease any more.
func (x *planted) watch() {
	ticker := time.NewTicker(plantedTick)
	defer ticker.Stop()
	for {
		select {
		case <-x.done:
			return
		case <-ticker.C:
		}
		x.mu.Lock()
		x.ticks++
		x.killExpired()
		x.mu.Unlock()
	}
}

// killExpired kills attempts whose lease has passed. The caller holds the lock.
func (x *planted) killExpired() {
	for name, a := range x.j.Attempts {
		if a.Outcome == nil && !x.leaseOf(a.Owner).live(x.now()) {
			x.kill(name, a, hivego.OutcomeKind_LOST, 0)
		}
	}
}

// close ends the executor and its work.
func (x *planted) close() {
	x.mu.Lock()
	close(x.done)
	for name, a := range x.j.Attempts {
		if a.Outcome == nil {
			x.kill(name, a, hivego.OutcomeKind_LOST, 0)
		}
	}
	x.changed()
	x.mu.Unlock()
	x.work.Wait()
}
