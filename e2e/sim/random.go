package sim

import "time"

// config is the shape of one world.
type config struct {
	servers int
	hosts   int
	batches int
	storm   time.Duration // duration of the faults
	orphan  time.Duration // 0: executors never kill because of a silent server
	rates   rates
	ahead   int  // ids that a server draws at once: few, so that they run out
	repairs bool // people also repair and rerun, beside pause and cancel
	hooks   bool // calls of hooks become batches; elsewhere they are only counted, because they take most of the time
}

// rates are the rates of faults. The zero value is a world without faults.
type rates struct {
	drop, slow, late, twice float64       // messages
	lost, doubt, laggard    float64       // commits: not stored, stored without an answer, slow
	crash, freeze, cut      time.Duration // mean time between faults of one kind; 0: never
	outage, poison          time.Duration
	super                   time.Duration // between deaths of a supervisor
	jump                    time.Duration // between jumps of a wall clock
	rewinds                 int           // how often the database goes back to an earlier state
}

func randomConfig(w *world) config {
	c := config{
		servers: w.pick(5, 4, 1) + 1,
		hosts:   w.pick(2, 3, 3, 1) + 1,
		batches: 1 + w.rng.IntN(5),
		storm:   w.between(2*time.Minute, 12*time.Minute),
		orphan:  w.between(20*time.Second, 80*time.Second),
		ahead:   60,
		repairs: w.chance(0.7),
		hooks:   w.opt.Seed%21 == 3, // no draw: all other worlds are as before
	}
	if w.chance(0.06) {
		c.orphan = 0
	}
	rewinds := 0
	if w.chance(0.25) {
		rewinds = 1 + w.rng.IntN(2)
		c.ahead = 12 // so that repeated ids are used again
	}
	if w.chance(0.12) {
		c.rates.rewinds = rewinds
		return c // a quiet world: each failure in it is a defect
	}
	storm := 0.3 + 2*w.rng.Float64()
	mean := func(p float64, d time.Duration) time.Duration {
		if !w.chance(p) {
			return 0
		}
		return time.Duration(float64(d) / storm)
	}
	c.rates = rates{
		drop: 0.03 * storm * w.rng.Float64(), slow: 0.05 * w.rng.Float64(), late: 0.02 * storm * w.rng.Float64(),
		twice: 0.04 * storm * w.rng.Float64(),
		lost:  0.04 * w.rng.Float64(), doubt: 0.06 * w.rng.Float64(), laggard: 0.05 * w.rng.Float64(),
		crash: mean(0.8, 2*time.Minute), freeze: mean(0.5, 3*time.Minute), cut: mean(0.6, 2*time.Minute),
		outage: mean(0.4, 4*time.Minute), poison: mean(0.3, 4*time.Minute), super: mean(0.3, 5*time.Minute),
		jump:    mean(0.4, 3*time.Minute),
		rewinds: rewinds,
	}
	return c
}

func (w *world) chance(p float64) bool { return w.rng.Float64() < p }

// between is uniform in [a, b).
func (w *world) between(a, b time.Duration) time.Duration {
	if b <= a {
		return a
	}
	return a + time.Duration(w.rng.Int64N(int64(b-a)))
}

// exp returns an exponentially distributed time with this mean.
func (w *world) exp(mean time.Duration) time.Duration {
	return time.Duration(w.rng.ExpFloat64() * float64(mean))
}

// pick returns a random index by weight.
func (w *world) pick(weights ...int) int {
	sum := 0
	for _, x := range weights {
		sum += x
	}
	n := w.rng.IntN(sum)
	for i, x := range weights {
		if n < x {
			return i
		}
		n -= x
	}
	return len(weights) - 1
}

// oneOf returns a random element of a list, which must not be empty.
func oneOf[T any](w *world, list []T) T { return list[w.rng.IntN(len(list))] }

// clock is that of one machine: it runs a little too fast or too slow, and says another time than others.
type clock struct {
	rate   float64
	base   time.Duration // of the steady clock when the world began
	offset time.Duration // of the wall clock
}

func randomClock(w *world) clock {
	return clock{
		rate: 0.97 + 0.06*w.rng.Float64(), base: w.between(0, 100*time.Hour),
		offset: w.between(-time.Hour, time.Hour),
	}
}

// steady is what the monotonic clock says at a moment of the world.
func (c clock) steady(now time.Duration) time.Duration {
	return c.base + time.Duration(float64(now)*c.rate)
}

// wall is what the wall clock says.
func (c clock) wall(now time.Duration) time.Time {
	return epoch.Add(c.offset + time.Duration(float64(now)*c.rate))
}

// world turns a time span of this clock into one of the world.
func (c clock) world(d time.Duration) time.Duration { return time.Duration(float64(d) / c.rate) }
