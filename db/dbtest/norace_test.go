//go:build !race

package dbtest_test

// hugeGroup is the number of runs in the largest group of the tests.
const hugeGroup = 10_000
