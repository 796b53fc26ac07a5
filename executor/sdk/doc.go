// Package sdk makes an executor of a Go program: it speaks HiveGo's executor contract, keeps the attempts it was given
// in a journal, runs handlers, and registers with a server. Serve is the short way; see docs/executors.md.
//
// At its heart is Ledger, a pure state machine that a simulator can drive; the rest is its shell.
package sdk
