package catalog

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

// turn lets one caller at a time do work that many would repeat. Unlike a mutex, it does not outlast the caller.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn. The caller must call leave afterwards. CodeUnavailable: ctx ended first, and what is the
// reason for it.
func (t turn) take(ctx context.Context, what string) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return hive.Errorf(hive.CodeUnavailable, "%s; try again in a minute", what)
	}
}

func (t turn) leave() { <-t }
