package chainrepair

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// world is schedules by name, each with one batch, and who follows whom.
type world map[string]string // schedule and its traits: its followers

// follows returns the walk's function. A name may end with its trait: ! runs, - is disabled, ~ is canceled, ? waits.
func (w world) follows(names []string) func(hive.Batch) ([]hive.Follower, error) {
	return func(b hive.Batch) ([]hive.Follower, error) {
		var out []hive.Follower
		for name := range strings.FieldsSeq(w[b.Schedule]) {
			bare := strings.TrimRight(name, "!-~?")
			id := int64(slices.Index(names, bare) + 1)
			f := hive.Follower{
				Schedule: hive.Schedule{ID: id, Name: bare, Enabled: !strings.HasSuffix(name, "-")}, Moment: testNow(),
				Batch: &hive.Batch{
					ID: 10 * id, ScheduleID: id, Schedule: bare, Round: 1, State: hive.BatchSucceeded,
					Moment: testNow(),
				},
			}
			switch name[len(name)-1] {
			case '!':
				f.Batch.State, f.Batch.Live = hive.BatchRunning, true
			case '~':
				f.Batch.State = hive.BatchCanceled
			case '?':
				f.Batch = nil
			}
			out = append(out, f)
		}
		return out, nil
	}
}

func testNow() time.Time { return time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC) }

func describe(steps []hive.ChainStep) string {
	var out []string
	for i := range steps {
		s := &steps[i]
		words := fmt.Sprintf("%s %s", s.Schedule, s.Fate)
		if s.Position != i {
			words += " misplaced"
		}
		if len(s.Needs) > 0 {
			words += fmt.Sprint(" ", s.Needs)
		}
		out = append(out, words)
	}
	return strings.Join(out, ", ")
}

func TestWalk(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	for name, c := range map[string]struct {
		world world
		want  string
	}{
		"nothing follows": {world{}, "a rerun"},
		"a chain of three": {
			world{"a": "b", "b": "c"}, "a rerun, b rerun [0], c rerun [1]",
		},
		"a diamond": {
			world{"a": "b c", "b": "d", "c": "d", "d": "e"},
			"a rerun, b rerun [0], c rerun [0], d rerun [1 2], e rerun [3]",
		},
		"a diamond with a long side": {
			world{"a": "d b", "b": "c", "c": "d"}, "a rerun, b rerun [0], c rerun [1], d rerun [0 2]",
		},
		"one runs: it is left out, what is behind it waits for it": {
			world{"a": "b!", "b": "c"}, "a rerun, b live [0], c rerun [1]",
		},
		"one is disabled: what is only behind it does not change": {
			world{"a": "b- c", "b": "d"}, "a rerun, b disabled [0], c rerun [0]",
		},
		"one is disabled, what is behind it is reached otherwise": {
			world{"a": "b- c", "b": "d", "c": "d"}, "a rerun, b disabled [0], c rerun [0], d rerun [2]",
		},
		"one was canceled": {world{"a": "b~", "b": "c"}, "a rerun, b rerun [0], c rerun [1]"},
		"one waits":        {world{"a": "b? c", "b": "d"}, "a rerun, b follows [0], c rerun [0]"},
		"a circle back to the first": {
			world{"a": "b", "b": "a"}, "a rerun, b rerun [0]",
		},
		"a circle of others": {
			world{"a": "b", "b": "c", "c": "b"}, "a rerun, b rerun [0], c rerun [1]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := hive.Batch{ID: 10, ScheduleID: 1, Schedule: "a", Round: 1, Moment: testNow()}
			steps, err := walk(&first, c.world.follows(names))
			if err != nil || describe(steps) != c.want {
				t.Errorf("%s, want %s; %v", describe(steps), c.want, err)
			}
		})
	}
}

func TestWalkLimit(t *testing.T) {
	t.Parallel()
	first := hive.Batch{ID: 1, ScheduleID: 1, Schedule: "a", Moment: testNow()}
	_, err := walk(&first, func(b hive.Batch) ([]hive.Follower, error) {
		if b.ScheduleID != 1 {
			return nil, nil
		}
		var out []hive.Follower
		for i := range MaxSteps {
			at := testNow().Add(time.Duration(i) * time.Hour)
			out = append(out, hive.Follower{
				Schedule: hive.Schedule{ID: 2, Name: "b", Enabled: true}, Moment: at,
				Batch: &hive.Batch{ID: int64(100 + i), ScheduleID: 2, Schedule: "b", Moment: at},
			})
		}
		return out, nil
	})
	if e := (*hive.Error)(nil); !asError(err, &e) || e.Reason != hive.ErrorChainLong {
		t.Error(err)
	}
}

// The hash changes with what a person would see, and with nothing else.
func TestHash(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	hash := func(w world, round int) string {
		first := hive.Batch{ID: 10, ScheduleID: 1, Schedule: "a", Round: round, Moment: testNow()}
		steps, err := walk(&first, w.follows(names))
		if err != nil {
			t.Fatal(err)
		}
		return hashOf(steps)
	}
	base := hash(world{"a": "b", "b": "c"}, 1)
	if base != hash(world{"a": "b", "b": "c"}, 2) {
		t.Error("the first batch has a plan with a hash of its own")
	}
	for _, other := range []world{{"a": "b"}, {"a": "b!", "b": "c"}, {"a": "b c", "b": "c"}, {"a": "b", "b": "c?"}} {
		if hash(other, 1) == base {
			t.Errorf("%v has the same hash", other)
		}
	}
}
