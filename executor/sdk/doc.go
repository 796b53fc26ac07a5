// Package sdk makes an executor of a Go program: it speaks HiveGo's executor contract, keeps the attempts it was given
// in a journal, runs handlers, and registers with a server. Serve is the short way; see docs/executors.md.
//
// What an executor decides is in package ledger, which has no I/O. This package is its shell.
package sdk
