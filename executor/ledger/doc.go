// Package ledger decides for one executor: which attempts it has, whether it may start one, which it must kill, and
// what it still has to report to whom. It does no I/O, has no clock and starts no goroutine; package sdk journals what
// it returns and carries it out, and so does the simulator in e2e/sim.
//
// It is the inside of package sdk and promises no stability: an executor is written with package sdk.
package ledger
