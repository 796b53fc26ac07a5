package schedule

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestBoundedSeries compares the moments between a start and an end with a search of all moments, for random bounds.
func TestBoundedSeries(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	base := time.Date(2026, time.October, 20, 0, 0, 0, 0, time.UTC)
	random := func() time.Time { return base.Add(time.Duration(rng.IntN(14*86400)) * time.Second) }
	for _, spec := range []string{"0 * * * *", "30 2 * * *", "@every 7h", "*/20 0-3 L * *"} {
		for range 200 {
			cron, w := parse(spec, berlin)
			if w != nil {
				t.Fatal(w)
			}
			cron.first = random().Unix()
			b := &bounded{series: cron}
			if rng.IntN(4) > 0 {
				b.start = random()
			}
			if rng.IntN(4) > 0 {
				b.end = random()
			}
			after, until := random(), random()
			var want []time.Time
			for at, ok := cron.Next(after); ok && !at.After(until); at, ok = cron.Next(at) {
				if !at.Before(b.start) && (b.end.IsZero() || !at.After(b.end)) {
					want = append(want, at)
				}
			}
			got, _ := newest(b, after, until, 1_000_000)
			if n := b.count(after, until); n != len(want) || len(got) != n {
				t.Fatalf("%s from %s to %s, after %s until %s: count %d, %d moments, want %d",
					spec, b.start, b.end, after, until, n, len(got), len(want))
			}
			for i := range want {
				if !got[i].Equal(want[i]) || !isMoment(b, got[i]) {
					t.Fatalf("%s: %s, want %s", spec, got[i], want[i])
				}
			}
		}
	}
}

func TestSingleMoment(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.December, 24, 18, 0, 0, 0, time.UTC)
	s := single(at)
	if next, ok := s.Next(at.Add(-time.Second)); !ok || !next.Equal(at) {
		t.Errorf("before it: %s, %v", next, ok)
	}
	if _, ok := s.Next(at); ok {
		t.Error("it is due again after itself")
	}
	for _, c := range []struct {
		after, until time.Duration
		want         int
	}{{-1, 0, 1}, {0, time.Hour, 0}, {-time.Hour, -1, 0}} {
		if n := s.count(at.Add(c.after), at.Add(c.until)); n != c.want {
			t.Errorf("count after %s until %s: %d", c.after, c.until, n)
		}
	}
}
