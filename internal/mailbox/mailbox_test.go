package mailbox_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/rprp/hivego/internal/mailbox"
)

// With many senders, the reader gets each item once, and the items of one sender in their order.
func TestManySenders(t *testing.T) {
	t.Parallel()
	const senders, each = 8, 1000
	b := mailbox.New[[2]int]()
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for n := range each {
				b.Put([2]int{s, n})
			}
		})
	}
	next := make([]int, senders)
	for got := 0; got < senders*each; {
		<-b.Wake()
		for _, item := range b.TakeAll() {
			if item[1] != next[item[0]] {
				t.Fatalf("sender %d: item %d instead of %d", item[0], item[1], next[item[0]])
			}
			next[item[0]]++
			got++
		}
	}
	all.Wait()
	if b.Len() != 0 {
		t.Errorf("%d items are still queued", b.Len())
	}
}

func TestOneWakeUpForManyItems(t *testing.T) {
	t.Parallel()
	b := mailbox.New[string]()
	if b.TakeAll() != nil {
		t.Error("a new mailbox is not empty")
	}
	b.Put("a", "b")
	b.Put("c")
	<-b.Wake()
	select {
	case <-b.Wake():
		t.Error("a second wake-up")
	default:
	}
	if b.Len() != 3 || !slices.Equal(b.TakeAll(), []string{"a", "b", "c"}) {
		t.Error("TakeAll returned other items")
	}
	b.Put()
	<-b.Wake() // a wake-up without an item
}
