// Package waits has the scenarios of schedules that wait for each other. Each file in data tells one story, and is
// played on both kinds of database with a clock of its own: by the real ticker, catalog and store. The executors are
// left out: the story says how each batch ends.
package waits
