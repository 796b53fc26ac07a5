package heap_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/internal/heap"
)

type item struct{ key, index int }

// After any sequence of operations, the heap has the same items as a list, reports their indexes, and returns them in
// order.
func TestHeapMatchesASortedList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := heap.New(func(a, b *item) bool { return a.key < b.key }, func(i *item, at int) { i.index = at })
		var all []*item
		pick := func(t *rapid.T) int {
			if len(all) == 0 {
				t.Skip("empty")
			}
			return rapid.IntRange(0, len(all)-1).Draw(t, "which")
		}
		forget := func(i *item) { all = slices.DeleteFunc(all, func(o *item) bool { return o == i }) }
		key := rapid.IntRange(0, 20)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				i := &item{key: key.Draw(t, "key"), index: -1}
				h.Push(i)
				all = append(all, i)
			},
			"pop": func(t *rapid.T) {
				if i, ok := h.Pop(); ok {
					forget(i)
					if i.index != -1 || slices.ContainsFunc(all, func(o *item) bool { return o.key < i.key }) {
						t.Fatalf("popped %+v, which is not the first", i)
					}
				}
			},
			"fix": func(t *rapid.T) {
				i := all[pick(t)]
				i.key = key.Draw(t, "key")
				h.Fix(i.index)
			},
			"remove": func(t *rapid.T) {
				i := all[pick(t)]
				if got := h.Remove(i.index); got != i {
					t.Fatalf("removed %+v instead of %+v", got, i)
				}
				forget(i)
			},
			"init": func(t *rapid.T) {
				for _, i := range h.Items() {
					i.key = key.Draw(t, "key")
				}
				h.Init()
			},
			"": func(t *rapid.T) {
				if h.Len() != len(all) {
					t.Fatalf("%d items instead of %d", h.Len(), len(all))
				}
				for at, i := range h.Items() {
					if i.index != at {
						t.Fatalf("%+v is at %d", i, at)
					}
				}
				first, ok := h.First()
				if ok != (len(all) > 0) {
					t.Fatalf("first: %v of %d", ok, len(all))
				}
				if ok && slices.ContainsFunc(all, func(o *item) bool { return o.key < first.key }) {
					t.Fatalf("%+v is not the first", first)
				}
			},
		})
	})
}

func TestEmptyHeap(t *testing.T) {
	t.Parallel()
	h := heap.New(func(a, b int) bool { return a < b }, nil)
	if _, ok := h.Pop(); ok {
		t.Error("popped an item from an empty heap")
	}
	for _, n := range []int{3, 1, 2} {
		h.Push(n)
	}
	var got []int
	for n, ok := h.Pop(); ok; n, ok = h.Pop() {
		got = append(got, n)
	}
	if !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("got %v", got)
	}
}
