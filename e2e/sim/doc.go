// Package sim runs HiveGo's decision cores (owner.Owner, session.Keeper, fleet.Fleet, ledger.Ledger) and its ticker
// (schedule.Ticker) in one simulated world: a clock that only events move, a store, a network, servers, executors and
// supervisors that fail in every way they may, and people who change their minds. One seed decides everything, so every
// history can be replayed; README.md says how.
//
// What must hold is checked while the world runs, and once more when the faults have stopped and all is quiet.
package sim
