package fleet

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// choice is an executor that was picked for a task.
type choice struct {
	executor *executorState
	route    hive.Route
	turn     turn
}

// Pick chooses the executor for a task with this requirement by its route, or says why there is none. The routes that
// look at earlier choices count this one once a slot of the executor is reserved: a choice without an offer is only a
// question.
func (f *Fleet) Pick(req hive.Requirement) hive.Choice {
	var best *executorState
	var c hive.Choice
	if req.Bound != "" {
		f.picked = choice{} // nobody chose, so no route counts it
		return f.pickBound(&req)
	}
	switch req.Route {
	case hive.RouteFirst, hive.RouteLast, hive.RouteFailover, hive.RouteConsistentHash:
		best, c = f.pickOne(&req)
	default:
		best, c = f.pickFree(&req)
	}
	if best == nil {
		return c
	}
	c.Executor, c.Name = best.exec.ID, best.exec.Name
	c.Scheduling = f.record(&req, best)
	f.picked = choice{executor: best, route: req.Route, turn: turnOf(&req)}
	return c
}

// countChoice counts the last choice if it was this executor.
func (f *Fleet) countChoice(x *executorState) {
	p := f.picked
	f.picked = choice{}
	if p.executor != x {
		return
	}
	f.choices++
	x.chosen++
	x.chosenAt = f.choices
	if p.route == hive.RouteRoundRobin {
		f.turns[p.turn] = x
	}
}

// pickOne chooses for the routes that name one executor, for which the task waits.
func (f *Fleet) pickOne(req *hive.Requirement) (*executorState, hive.Choice) {
	var best *executorState
	var most uint64
	wait := hive.WaitNoGroup
	for _, x := range f.order {
		if why := x.whyNever(req); why != hive.WaitNone {
			wait = nearer(wait, why)
			continue
		}
		switch req.Route {
		case hive.RouteFirst:
			if best == nil {
				best = x
			}
		case hive.RouteLast:
			best = x
		default:
			if x.outOfReach() {
				wait = nearer(wait, x.whyNot(req))
				continue
			}
			if weight := hive.RouteWeight(req.Bucket, x.exec.Name); best == nil ||
				req.Route == hive.RouteConsistentHash && weight > most {
				best, most = x, weight
			}
		}
	}
	if best == nil {
		return nil, hive.Choice{Wait: wait}
	}
	if why := best.whyNot(req); why != hive.WaitNone {
		return nil, hive.Choice{Wait: why, For: best.exec.Name}
	}
	return best, hive.Choice{}
}

// pickFree chooses for the routes that take any executor with a free slot.
func (f *Fleet) pickFree(req *hive.Requirement) (*executorState, hive.Choice) {
	var best *executorState
	wait := hive.WaitNoGroup
	last, passed, free := f.turns[turnOf(req)], false, 0
	for _, x := range f.order {
		isNext := passed || last != nil && x.exec.Name > last.exec.Name
		passed = passed || x == last
		if why := x.whyNot(req); why != hive.WaitNone {
			wait = nearer(wait, why)
			continue
		}
		free++
		switch {
		case best == nil:
			best = x
			if req.Route == hive.RouteBusyOver || req.Route == hive.RouteRoundRobin && (last == nil || isNext) {
				return best, hive.Choice{}
			}
		case req.Route == hive.RouteRoundRobin:
			if isNext {
				return x, hive.Choice{}
			}
		case f.better(req.Route, x, best, free):
			best = x
		}
	}
	if best == nil {
		return nil, hive.Choice{Wait: wait}
	}
	return best, hive.Choice{}
}

// better reports whether a route prefers x to the best executor before it in order. free counts the executors with a
// free slot up to x.
func (f *Fleet) better(r hive.Route, x, best *executorState, free int) bool {
	switch r {
	case hive.RouteRandom: // each of them has the same chance
		return f.roll(free) == 0
	case hive.RouteLRU:
		return x.chosenAt < best.chosenAt
	case hive.RouteLFU:
		return x.chosen < best.chosen
	default: // used/slots, compared without division
		return x.used()*best.slots() < best.used()*x.slots()
	}
}

// roll returns a number from 0 to below n, by SplitMix64: the same seed gives the same choices.
func (f *Fleet) roll(n int) int {
	f.random += 0x9e3779b97f4a7c15
	h := f.random
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return int((h ^ h>>31) % uint64(n))
}

// turn is what the route round_robin goes through: the executors of a group that offer a handler.
type turn struct{ group, handler string }

func turnOf(req *hive.Requirement) turn { return turn{req.Group, req.Handler} }

// record makes the scheduling record of a choice; nil if the group has only one executor.
func (f *Fleet) record(req *hive.Requirement, chosen *executorState) *hive.Scheduling {
	size := 0
	for _, x := range f.order {
		if x.group() == req.Group {
			size++
		}
	}
	if size <= 1 {
		return nil
	}
	s := &hive.Scheduling{
		Route: req.Route, Origin: req.Origin, Group: size,
		Considered: make([]hive.Considered, 0, min(size, hive.MaxConsidered)),
	}
	s.Consider(considered(req, chosen))
	for _, x := range f.order {
		if len(s.Considered) == hive.MaxConsidered {
			break
		}
		if x != chosen && x.group() == req.Group {
			s.Consider(considered(req, x))
		}
	}
	return s
}

func considered(req *hive.Requirement, x *executorState) hive.Considered {
	return hive.Considered{
		Name: x.exec.Name, Used: x.used() + x.otherSlots, Slots: x.slots(), Wait: x.whyNot(req),
	}
}

// leastChosen returns how often the executor of a group that was chosen the fewest times was chosen. A new executor
// starts there, so that the route lfu does not give it everything until it has caught up.
func (f *Fleet) leastChosen(group string) int {
	least := -1
	for _, x := range f.order {
		if x.group() == group && (least < 0 || x.chosen < least) {
			least = x.chosen
		}
	}
	return max(least, 0)
}

// nearer returns the reason of the executor that came nearer to taking the task.
func nearer(a, b hive.WaitReason) hive.WaitReason {
	rank := hive.WaitReasons()
	if slices.Index(rank, b) > slices.Index(rank, a) {
		return b
	}
	return a
}
