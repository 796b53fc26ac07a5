//go:build !race

package schedule_test

// raced says that the race detector is off.
const raced = false
