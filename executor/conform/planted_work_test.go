package conform_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// bigOutput is an output that an executor might cut.
var bigOutput = strings.Repeat("0123456789", 500) //nolint:gochecknoglobals // a constant that Go cannot write

// start begins the work of an attempt. The caller holds the lock, or is alone.
func (x *planted) start(name string, a *plantedAttempt, params string) {
	if a.stop == nil || a.Started == 0 {
		a.stop = &stopping{ask: make(chan struct{}), force: make(chan struct{})}
	}
	if a.Started == 0 {
		a.Started = x.clock()
	}
	x.running++
	stop := a.stop
	x.work.Go(func() { x.run(name, a, stop, params) })
}

// clock is the wall clock.
func (x *planted) clock() int64 {
	if x.has("times-of-another-clock") {
		return time.Now().Add(time.Hour).UnixMilli()
	}
	return time.Now().UnixMilli()
}

// run does the work. Long work has a child, which writes to the same log.
func (x *planted) run(name string, a *plantedAttempt, stop *stopping, params string) {
	var p struct{ Do string }
	_ = json.Unmarshal([]byte(params), &p)
	kind, words := hivego.OutcomeKind_SUCCESS, ""
	var child sync.WaitGroup
	switch p.Do {
	case "good":
		if x.has("end-before-work") {
			x.work.Go(func() { x.talk(name, x.done) })
		}
		for n := range 5 {
			if n != 3 || !x.has("log-loses-lines") {
				x.print(name, fmt.Sprintf("line %d", n))
			}
		}
	case "long", "stubborn":
		child.Go(func() { x.last(name, stop, p.Do) })
		x.mu.Lock()
		x.advance(a, firstProgress)
		x.mu.Unlock()
		if p.Do == "stubborn" {
			x.resist(stop)
		}
		<-stop.ask
		kind, words = stop.kind, "stopped"
		if x.has("kill-parent-only") {
			x.work.Go(child.Wait)
		} else {
			child.Wait()
		}
	default:
		kind, words = hivego.OutcomeKind_FAILURE, "failed as requested"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.running--
	x.end(name, a, kind, words)
}

// last writes a line now and then until the attempt must stop.
func (x *planted) last(name string, s *stopping, do string) {
	stop := s.ask
	switch {
	case x.has("kill-parent-only"):
		stop = x.done
	case do == "stubborn" && !x.has("stubborn-late"):
		stop = s.force
	}
	if !x.has("long-is-silent") {
		x.talk(name, stop)
	}
}

// resist ignores the request to end. Work that begins slowly ends if the request comes before.
func (x *planted) resist(s *stopping) {
	if x.has("stubborn-late") {
		select {
		case <-s.ask:
			return
		case <-time.After(stubbornLate):
		}
	}
	<-s.force
}

// stubbornLate is after the first start that the check gives to stubborn work, and before the second.
const stubbornLate = 1500 * time.Millisecond

const firstProgress = 0.25

// advance reports a progress. The caller holds the lock.
func (x *planted) advance(a *plantedAttempt, progress float64) {
	a.Seq++
	a.progress, a.sent = progress, 0
	if x.has("progress-in-percent") || x.has("progress-later-in-percent") && progress > firstProgress {
		a.progress *= 100
	}
	x.changed()
}

// talk writes a line now and then.
func (x *planted) talk(name string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(plantedTick):
			x.print(name, "goes on")
		}
	}
}

func (x *planted) print(name, text string) {
	line := time.Now().UTC().Format("2006-01-02T15:04:05.000Z") + " out " + text + "\n"
	if x.has("log-plain-lines") {
		line = text + "\n"
	}
	f, err := os.OpenFile(x.log(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return // its folder is gone
	}
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// end notes the first outcome of an attempt. The caller holds the lock.
func (x *planted) end(name string, a *plantedAttempt, kind hivego.OutcomeKind, words string) {
	if a.Outcome != nil {
		return
	}
	o := &hivego.Outcome{Kind: &kind, StartedAtMillis: new(a.Started), FinishedAtMillis: new(x.clock())}
	if x.has("end-without-times") {
		o.StartedAtMillis, o.FinishedAtMillis = nil, nil
	}
	if kind == hivego.OutcomeKind_SUCCESS {
		o.Outputs = map[string]string{"answer": "42", "big": bigOutput}
	}
	if x.has("end-without-outputs") {
		o.Outputs = nil
	}
	if x.has("end-cuts-outputs") && o.Outputs != nil {
		o.Outputs["big"] = bigOutput[:1024]
	}
	if words != "" {
		o.Error = &words
	}
	o.LogBytes = new(int64(0))
	if info, err := os.Stat(x.log(name)); err == nil && !x.has("end-wrong-log-bytes") {
		o.LogBytes = new(info.Size())
	}
	if x.has("end-leaves-log-bytes-out") {
		o.LogBytes = nil
	}
	a.Outcome, a.sent = o, 0
	a.Seq++
	x.save()
	x.changed()
}

// kill asks an attempt to end, and forces it after the grace. The caller holds the lock.
func (x *planted) kill(name string, a *plantedAttempt, kind hivego.OutcomeKind, grace time.Duration) {
	if a.stop == nil {
		x.end(name, a, kind, "it did not run")
		return
	}
	if x.has("kill-ignored") && kind == hivego.OutcomeKind_KILLED && !x.stopped() {
		return
	}
	if x.stopped() || x.has("kill-without-grace") {
		grace = 0
	}
	s := a.stop
	s.once.Do(func() {
		s.kind = kind
		close(s.ask)
		x.work.Go(func() {
			if x.has("kill-never-forced") {
				<-x.done
			}
			select {
			case <-time.After(grace):
			case <-x.done:
			}
			close(s.force)
		})
	})
}
