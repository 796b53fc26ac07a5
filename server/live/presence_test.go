package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// named connects a client of a user.
func (b *bench) named(name string) *Client {
	b.Helper()
	c, err := b.hub.Connect(int64(len(name)), name, nil)
	require.NoError(b, err)
	return c
}

// join opens the schedule "orders" in a window.
func (b *bench) join(c *Client, window int64, changes int, tasks ...string) {
	b.Helper()
	require.NoError(b, c.Join(1, "orders", hive.Presence{Window: window, Changes: changes, Tasks: tasks}))
	b.pass(presenceEvery)
}

// here reads all frames of a client, and returns the people of the last one: a word for each.
func (b *bench) here(c *Client) string {
	b.Helper()
	words := "no frame"
	for f := b.nextFrame(c); f != nil; f = b.nextFrame(c) {
		var list []string
		for _, p := range f.body.content.People {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s%v:%d %s", p.Name, p.Windows, p.Changes,
				strings.Join(p.Tasks, "+"))))
		}
		if n := f.body.content.MorePeople; n > 0 {
			list = append(list, fmt.Sprint("and ", n))
		}
		words = strings.Join(list, ", ")
		b.pass(frameEvery)
	}
	return words
}

// Who has a schedule open is shown to those who have it open too, until the connection ends.
func TestPresence(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	ada, bob, cyd := b.named("ada"), b.named("bob"), b.named("cyd")
	b.join(ada, 1, 0)
	assert.Equal(t, "ada[1]:0", b.here(ada))
	b.join(bob, 2, 3, "load", "clean")
	assert.Equal(t, "bob[2]:3 clean+load, ada[1]:0", b.here(ada), "who edits is first")
	assert.Equal(t, "bob[2]:3 clean+load, ada[1]:0", b.here(bob))
	require.NoError(t, cyd.Join(1, "others", hive.Presence{Window: 3}))
	b.pass(presenceEvery)
	assert.Equal(t, "cyd[3]:0", b.here(cyd), "another schedule is another topic")

	ada.Present(1, hive.Presence{Window: 77, Changes: 1, Tasks: []string{"load"}})
	b.pass(presenceEvery)
	assert.Equal(t, "ada[1]:1 load, bob[2]:3 clean+load", b.here(bob), "the window stays the same")
	ada.Present(1, hive.Presence{Changes: 1, Tasks: []string{"load"}})
	ada.Present(9, hive.Presence{Changes: 5})
	b.pass(presenceEvery)
	assert.Equal(t, "no frame", b.here(bob), "nothing has changed")

	bob.Close()
	b.pass(presenceEvery)
	assert.Equal(t, "ada[1]:1 load", b.here(ada))
	ada.Drop(1)
	cyd.Close()
	assert.Empty(t, b.hub.topics)
	assert.Empty(t, b.hub.unsent, "this server has no others")
}

// Windows of one person are one person. A window that comes again over a new connection is the same window, also
// while the server has not noticed the end of the old connection.
func TestWindowsOfOnePerson(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	first, second, bob := b.named("ada"), b.named("ada"), b.named("bob")
	b.join(bob, 1, 0)
	b.join(first, 7, 2, "load")
	b.join(second, 8, 1, "clean")
	assert.Equal(t, "ada[7 8]:2 clean+load, bob[1]:0", b.here(bob))
	again := b.named("ada")
	b.join(again, 7, 2, "report")
	assert.Equal(t, "ada[7 8]:2 clean+report, bob[1]:0", b.here(bob))
	first.Present(1, hive.Presence{Changes: 9})
	first.Close()
	b.pass(presenceEvery)
	assert.Equal(t, "no frame", b.here(bob), "the old connection has no say")
	second.Close()
	again.Close()
	b.pass(presenceEvery)
	assert.Equal(t, "bob[1]:0", b.here(bob))
}

// However fast a client reports, the others get at most four frames a second.
func TestPresenceIsPaced(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	ada, bob := b.named("ada"), b.named("bob")
	b.join(bob, 1, 0)
	b.join(ada, 2, 0)
	b.here(bob)
	frames := 0
	for n := range 1000 {
		ada.Present(1, hive.Presence{Changes: n})
		b.pass(10 * time.Millisecond)
		if b.nextFrame(bob) != nil {
			frames++
		}
	}
	assert.InDelta(t, 40, frames, 2)
	b.pass(presenceEvery)
	assert.Equal(t, "ada[2]:999, bob[1]:0", b.here(bob), "the last report is shown")
}

// A crowd is counted, and a client has few schedules open.
func TestPresenceIsLimited(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	for n := range hive.MaxPeople + 15 {
		b.join(b.named(fmt.Sprintf("p%02d", n)), 1, 0)
	}
	c := b.named("p00")
	for n := range int64(hive.MaxWindows) {
		b.join(b.named("p00"), 100+n, 0, fmt.Sprint("a", n), fmt.Sprint("b", n), fmt.Sprint("c", n))
	}
	b.join(c, 1, 0)
	words := b.here(c)
	assert.True(t, strings.HasSuffix(words, ", p49[1]:0, and 15"), words)
	assert.Equal(t, hive.MaxPresenceTasks, strings.Count(words, "+")+1)
	for id := 2; id <= maxJoined; id++ {
		require.NoError(t, c.Join(id, fmt.Sprint("s", id), hive.Presence{Window: 1}))
	}
	require.NoError(t, c.Join(maxJoined, "another", hive.Presence{Window: 1}), "in the place of a former one")
	require.ErrorIs(t, c.Join(maxJoined+1, "last", hive.Presence{Window: 1}), errJoined)
}

// A new session of the server begins the topic anew, with all who are still here.
func TestPresenceInANewSession(t *testing.T) {
	t.Parallel()
	b := newBench(t, 0)
	ada := b.named("ada")
	b.join(ada, 1, 2)
	b.here(ada)
	b.hub.Session(8)
	b.turn()
	f := b.nextFrame(ada)
	require.NotNil(t, f)
	assert.Equal(t, []any{int64(8), int64(1), true}, []any{f.Epoch, f.N, f.Snapshot})
	assert.Equal(t, []hive.PersonHere{{Name: "ada", Windows: []int64{1}, Changes: 2}}, f.body.content.People)
}
