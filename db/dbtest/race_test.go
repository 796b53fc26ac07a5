//go:build race

package dbtest_test

// hugeGroup is smaller under the race detector, which makes SQLite twenty times slower.
const hugeGroup = 3_000
