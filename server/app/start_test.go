package app

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// A server that fails to start because of a full disk does not retry by itself when there is room.
func TestNotStarted(t *testing.T) {
	t.Parallel()
	full := hive.Errorf(hive.CodeUnavailable, "make room, and all goes on by itself").WithReason(hive.ErrorDiskFull)
	assert.Equal(t, "the disk of the database is full; make room on it, and start again",
		notStarted(fmt.Errorf("open: %w", full)).Error())
	other := errors.New("other")
	assert.Equal(t, other, notStarted(other))
}
