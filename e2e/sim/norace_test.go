//go:build !race

package sim

// raced says that the race detector is off.
const raced = false
