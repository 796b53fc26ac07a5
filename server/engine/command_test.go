package engine_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

// Whoever waits for a command gets its answer once it is durable. Commands of ended batches load them first; a
// revision that is gone refuses.
func TestCommands(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.ends(2, "a")
		b, _ := p.Stored(2)
		require.Equal(t, hive.BatchSucceeded, b.State)
		for id, payload := range map[int64]string{
			21: `{"action":"rerun","tasks":["a"]}`,
			22: `{"action":"rerun","tasks":["a"],"revisionId":99}`,
		} {
			p.Command(id, 2, hive.CommandRepair, payload)
		}
		done, stop := p.Await(2, 21)
		defer stop()
		refused, stop2 := p.Await(2, 22)
		defer stop2()
		_, stop3 := p.Await(2, 23)
		stop3()
		stop3()
		p.Notify(2)
		synctest.Wait()
		d := <-done
		assert.Equal(t, hive.CommandApplied, d.State)
		d = <-refused
		assert.Equal(t, hive.CommandRefused, d.State)
		assert.Contains(t, string(d.Answer), "not_found")
		b, states := p.Stored(2)
		assert.Equal(t, hive.BatchRunning, b.State)
		assert.Equal(t, 2, b.Round)
		assert.NotEqual(t, hive.RunSucceeded, states["a"])
	})
}

// A command that nobody was notified of is found.
func TestSweep(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.Command(21, 1, hive.CommandWish, `{"wish":"cancel"}`)
		wait(6 * time.Second)
		assert.Len(t, p.Kills, 1)
	})
}

// A server that shares its database looks often; and while commands cannot be read, it says so once.
func TestSweepOften(t *testing.T) {
	t.Parallel()
	text := new(strings.Builder)
	prepare := func(cfg *engine.Config) {
		cfg.Sweep, cfg.Log = 500*time.Millisecond, slog.New(slog.NewTextHandler(text, nil))
	}
	beginWith(t, two, prepare, func(t *testing.T, p *plant) {
		p.Command(21, 1, hive.CommandWish, `{"wish":"cancel"}`)
		wait(600 * time.Millisecond)
		assert.Len(t, p.Kills, 1)
		p.SetFault(func(op string, _ []int64) error {
			if op == "sweep" {
				return hive.ErrConnection
			}
			return nil
		})
		wait(5 * time.Second)
		p.Stop()
		assert.Equal(t, 1, strings.Count(text.String(), "commands cannot be read"))
	})
}

// A change that nobody waits for is stored all the same, soon.
func TestLazyChange(t *testing.T) {
	t.Parallel()
	begin(t, two, func(t *testing.T, p *plant) {
		p.do(hive.AttemptEvent{Attempt: p.Attempt(1, "a"), Kind: hive.EventStarted})
		_, states := p.Stored(1)
		assert.NotEqual(t, hive.RunRunning, states["a"])
		wait(200 * time.Millisecond)
		_, states = p.Stored(1)
		assert.Equal(t, hive.RunRunning, states["a"])
	})
}
