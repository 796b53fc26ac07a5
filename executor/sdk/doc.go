// Package sdk makes an executor of a Go program. It implements HiveGo's executor contract, journals attempts, runs
// handlers, and registers with a server. Serve is the simplest way; see docs/executors.md.
//
// Package ledger makes the decisions of an executor, without I/O. This package is its shell.
package sdk
