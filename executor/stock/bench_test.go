package stock_test

import "testing"

// BenchmarkTrue runs `true` through the whole executor, 20 tasks at a time.
func BenchmarkTrue(b *testing.B) {
	e, _ := inProcess(b, b.TempDir())
	s := connect(b, e, 1)
	s.attach()
	s.poll()
	next := int64(0)
	for len(s.ended) < b.N {
		for next-int64(len(s.ended)) < 20 && next < int64(b.N) {
			next++
			s.shell(next, "true")
		}
		s.poll()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
