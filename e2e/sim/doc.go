// Package sim runs HiveGo's decision cores (owner.Owner, session.Keeper, fleet.Fleet, ledger.Ledger) and its ticker
// (schedule.Ticker) in one simulated world. The world has a virtual clock, a store, a network, servers, executors and
// supervisors with faults of all kinds, and people who start and change batches. A seed determines all random
// decisions, so that every history can be replayed. README.md explains how.
//
// The invariants are checked while the world runs, and again when the faults have stopped and the world is at rest.
package sim
