package app

import (
	"context"

	"github.com/rprp/hivego/server/live"
)

// buildPeers makes the part by which servers of one database tell each other of changes. On SQLite there is only one
// server.
func (a *App) buildPeers() {
	if !a.cfg.Shared() {
		return
	}
	a.peers = live.NewPeers(live.PeersConfig{
		Hub: a.live, Server: a.server.ID, Log: a.log, Listen: a.store.Listen,
		Send: func(ctx context.Context, message string) error {
			return a.store.Send(ctx, a.server.ID, message)
		},
	})
}

// observers lists what follows durable changes.
func (a *App) observers() observers {
	all := observers{newTransitions(a.log), a.live, ends{a}, upstreamEnds{a}, newFacts{a}}
	if a.peers != nil {
		all = append(all, a.peers)
	}
	return all
}
