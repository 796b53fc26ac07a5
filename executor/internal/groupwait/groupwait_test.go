package groupwait_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/executor/internal/groupwait"
)

func TestFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g sync.WaitGroup
		g.Go(func() { <-time.After(time.Second) })
		assert.False(t, groupwait.For(&g, 999*time.Millisecond))
		assert.True(t, groupwait.For(&g, 2*time.Millisecond))
	})
}
