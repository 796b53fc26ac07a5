package waits

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
)

// story is one file.
type story struct {
	Title     string
	About     string
	Start     string              // UTC
	Calendars []map[string]any    // documents without their head
	Schedules []map[string]any    // documents without their head and jobs
	Succeed   []string            // schedules whose batches end well at once
	Fail      map[string][]string // moments whose first batch fails, by schedule
	Steps     []step
}

// step is one line of a story; exactly one of its fields is set.
type step struct {
	To      string            // let time pass until this moment
	Down    string            // let time pass while no server runs, and start one then
	Restart bool              // start another ticker
	End     map[string]string // the newest batch of "schedule moment" gets this state, and the ticker hears of it
	Quietly map[string]string // like end, but the ticker does not hear of it
	Manual  map[string]string // a batch by hand for "schedule moment", with this state
	Publish map[string]any    // a later revision
	Refused map[string]any    // a revision that is refused; its field reason says why
	Disable string            // a schedule
	Enable  string            // a schedule

	Rename   map[string]string // schedules get new names
	Together []map[string]any  // of rename: documents of others in the same request
	Renaming map[string]string // a rename that is refused, because others name the schedule

	Archive   string // a schedule
	Unarchive string // a schedule

	Release string              // "schedule moment"
	Ledger  map[string][]string // the ledger of schedules from the start, oldest first
	Causes  map[string][]string // what let the batch of "schedule moment" start

	Backfill *fill          // a backfill, to its end
	Count    map[string]int // how many batches "schedule moment" has
}

const clock = "02 15:04"

func TestStories(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("data/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s story
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(&s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, open func() *db.Store) { play(t, &s, open()) })
		})
	}
}

func play(t *testing.T, s *story, store *db.Store) {
	t.Helper()
	p := newPlayer(t, s, store)
	for i := range s.Calendars {
		p.calendar(s.Calendars[i])
	}
	for i := range s.Schedules {
		p.publish(s.Schedules[i])
	}
	for i := range s.Steps {
		p.step = fmt.Sprintf("step %d", i+1)
		p.play(&s.Steps[i])
	}
}

func (p *player) play(s *step) {
	p.t.Helper()
	switch {
	case s.To != "":
		p.to(p.moment(s.To))
	case s.Down != "":
		p.now = p.moment(s.Down)
		p.restart()
	case s.Restart:
		p.restart()
	case s.End != nil:
		for what, state := range s.End {
			p.end(what, state, true)
		}
	case s.Quietly != nil:
		for what, state := range s.Quietly {
			p.end(what, state, false)
		}
	case s.Manual != nil:
		for what, state := range s.Manual {
			p.manual(what, state)
		}
	case s.Publish != nil:
		p.publish(s.Publish)
	case s.Refused != nil:
		p.refused(s.Refused)
	case s.Disable != "":
		p.enable(s.Disable, false)
	case s.Enable != "":
		p.enable(s.Enable, true)
	case s.Rename != nil:
		for name, to := range s.Rename {
			p.rename(name, to, s.Together)
		}
	case s.Renaming != nil:
		for name, to := range s.Renaming {
			p.cannotRename(name, to)
		}
	case s.Archive != "":
		p.archive(s.Archive, true)
	case s.Unarchive != "":
		p.archive(s.Unarchive, false)
	case s.Release != "":
		p.release(s.Release)
	case s.Ledger != nil:
		for name, want := range s.Ledger {
			p.ledger(name, want)
		}
	case s.Causes != nil:
		for what, want := range s.Causes {
			p.causes(what, want)
		}
	case s.Backfill != nil:
		p.fill(s.Backfill)
	case s.Count != nil:
		for what, want := range s.Count {
			p.count(what, want)
		}
	default:
		p.t.Fatalf("%s does nothing", p.step)
	}
}

// moment reads a moment of the month in which the story begins, or a complete one.
func (p *player) moment(text string) time.Time {
	p.t.Helper()
	if at, err := time.Parse("2006-01-02 15:04", text); err == nil {
		return at
	}
	at, err := time.Parse(clock, text)
	if err != nil {
		p.t.Fatalf("%s: %v", p.step, err)
	}
	return time.Date(p.start.Year(), p.start.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
}

// written is the opposite of moment.
func (p *player) written(at time.Time) string {
	if at.Month() == p.start.Month() {
		return at.Format(clock)
	}
	return at.Format("2006-01-02 15:04")
}
