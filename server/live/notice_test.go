package live

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

func TestNotice(t *testing.T) {
	t.Parallel()
	var c changes
	assert.True(t, c.empty())
	for _, n := range []int{9, 4, 5, 6, 0} {
		c.add(12, n)
	}
	c.add(7, -1)
	c.addWhole(8)
	c.add(8, 3)
	assert.Equal(t, []string{"me 7 8:* 12:0,4+2,3"}, c.messages("me"))
}

// What a server names arrives, or more: a message never leaves a change out.
func TestNoticesAreComplete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c changes
		want := map[int64]map[int]bool{}
		batches := rapid.SampledFrom([]int{1, 3, 40, maxNoticeBatches + 1}).Draw(t, "batches")
		top := rapid.SampledFrom([]int{5, 1000, 100_000}).Draw(t, "top")
		for id := range int64(batches) {
			want[id] = map[int]bool{}
			c.add(id, -1)
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, top), 0, min(400, 4000/batches)).Draw(t, "runs") {
				c.add(id, n)
				want[id][n] = true
			}
		}
		got := map[int64]hive.FarChange{}
		for _, m := range c.messages("one-server") {
			require.LessOrEqual(t, len(m), 7900)
			server, list, all := readNotice(m)
			require.Equal(t, "one-server", server)
			if all {
				return
			}
			for _, c := range list {
				got[c.Batch] = c
			}
		}
		for id, runs := range want {
			require.Contains(t, got, id)
			if !got[id].Whole {
				require.True(t, slices.IsSortedFunc(got[id].Runs, cmp.Compare[int]))
				require.Len(t, got[id].Runs, len(runs))
				for _, n := range got[id].Runs {
					require.True(t, runs[n])
				}
			}
		}
	})
}

// A message of a later version means that anything may have changed.
func TestNoticeIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, m := range []string{
		"", "me", "me *", "me x", "me 7:", "me 7:1,x", "me 7:1+x", "me 7:-1", "me 7:1+99999999", "me 7:1/2",
	} {
		_, _, all := readNotice(m)
		assert.True(t, all, "%q", m)
	}
}
