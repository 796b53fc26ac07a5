package sim

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Handlers of the simulated executors: the work of the first survives its executor, that of the second does not. The
// third waits for work elsewhere and is resumed by the next executor.
const (
	handlerShell = "shell"
	handlerLocal = "local"
	handlerKept  = "kept"
)

// plan describes how the work of a task behaves on any executor. It is part of the task's params.
type plan struct {
	Mean         int     `json:"mean"`  // mean duration in milliseconds
	Fail         float64 `json:"fail"`  // probability of a failure
	Unresponsive float64 `json:"deaf"`  // probability that it ignores a request to end
	Never        float64 `json:"never"` // probability that the executor refuses it for good
}

// randomDefinition makes a schedule: all rules, flows, retries, losses, timeouts, conditions.
func randomDefinition(w *world, name string) *hive.Definition {
	def := &hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: name,
		Params: map[string]any{"flag": oneOf(w, []any{"on", "off"})}, OnEnd: endHooks(),
	}
	if w.chance(0.25) {
		def.Flow = hive.FlowStrict
	}
	if w.chance(0.12) {
		def.Policy.Timeout = hive.Duration(w.between(30*time.Second, 8*time.Minute).Truncate(time.Second))
	}
	var earlier []string
	for j := range 1 + w.rng.IntN(4) {
		job := hive.Job{Key: fmt.Sprintf("j%d", j)}
		if w.chance(0.1) {
			job.Timeout = hive.Duration(w.between(20*time.Second, 4*time.Minute).Truncate(time.Second))
		}
		for t := range 1 + w.rng.IntN(4) {
			job.Tasks = append(job.Tasks, randomTask(w, fmt.Sprintf("t%d_%d", j, t), earlier))
		}
		for t := range job.Tasks {
			earlier = append(earlier, job.Tasks[t].Key)
		}
		def.Jobs = append(def.Jobs, job)
	}
	return def
}

func randomTask(w *world, key string, earlier []string) hive.Task {
	t := hive.Task{Key: key, Handler: handlerShell, OnEnd: endHooks()}
	if w.chance(0.5) {
		t.Handler = oneOf(w, []string{handlerLocal, handlerKept, handlerKept})
	}
	mean := []time.Duration{5 * time.Second, time.Minute, 4 * time.Minute}[w.pick(7, 2, 1)] // some outlast all leases
	p := plan{Mean: int(w.exp(mean)/time.Millisecond) + 1}
	if w.chance(0.4) {
		p.Fail = w.rng.Float64() * 0.8
	}
	if w.chance(0.25) {
		p.Unresponsive = 0.7
	}
	if w.chance(0.03) {
		p.Never = 1
	}
	t.Params = map[string]any{"mean": p.Mean, "fail": p.Fail, "deaf": p.Unresponsive, "never": p.Never}
	if len(earlier) > 0 && w.chance(0.75) {
		for _, k := range earlier {
			if w.chance(1.5 / float64(len(earlier))) {
				t.Needs = append(t.Needs, k)
			}
		}
	}
	if w.chance(0.35) {
		t.Rule = oneOf(w, []hive.Rule{
			hive.RuleAllSuccess, hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed,
		})
	}
	t.AllowFailure, t.Disabled = w.chance(0.12), w.chance(0.04)
	if w.chance(0.12) {
		t.When = oneOf(w, []string{`params.flag == "on"`, "true", "false", "params.nothing.at.all > 1"})
	}
	randomLimits(w, &t)
	return t
}

func randomLimits(w *world, t *hive.Task) {
	if w.chance(0.4) {
		t.Retry = hive.Retry{
			Max:   1 + w.rng.IntN(3),
			Delay: hive.Duration(w.exp(5 * time.Second).Truncate(time.Millisecond)),
		}
		if w.chance(0.5) {
			t.Retry.Backoff = 2
		}
	}
	if w.chance(0.2) {
		t.Timeout = hive.Duration(w.between(2*time.Second, 30*time.Second).Truncate(time.Second))
	}
	if w.chance(0.4) {
		t.KillGrace = hive.Duration(w.between(time.Second, 40*time.Second).Truncate(time.Second))
	}
	if w.chance(0.3) {
		t.Priority = 1 + w.rng.IntN(10)
	}
	if w.chance(0.35) {
		most := w.rng.IntN(3)
		t.OnLost = hive.OnLost{
			Do:  oneOf(w, []hive.OnLostDo{hive.OnLostRetry, hive.OnLostHold, hive.OnLostFail}),
			Max: &most,
		}
	}
}

// vary makes a later revision of a definition, with tasks removed, added and changed.
func vary(w *world, def *hive.Definition) *hive.Definition {
	var next hive.Definition
	text, err := json.Marshal(def)
	if err == nil {
		err = json.Unmarshal(text, &next)
	}
	if err != nil {
		w.failf("document", "a definition is no JSON: %v", err)
	}
	gone := map[string]bool{}
	var earlier []string
	for j := range next.Jobs {
		job := &next.Jobs[j]
		var tasks []hive.Task
		for _, t := range job.Tasks {
			if w.chance(0.1) {
				gone[t.Key] = true
				continue
			}
			if w.chance(0.3) {
				t.Params["fail"] = 0
			}
			var needs []string
			for _, n := range t.Needs {
				if !gone[n] {
					needs = append(needs, n)
				}
			}
			t.Needs = needs
			tasks = append(tasks, t)
		}
		if w.chance(0.25) {
			key := fmt.Sprintf("n%d_%d", j, w.rng.IntN(1000))
			if !slices.ContainsFunc(tasks, func(t hive.Task) bool { return t.Key == key }) {
				tasks = append(tasks, randomTask(w, key, earlier))
			}
		}
		job.Tasks = tasks
		for t := range tasks {
			earlier = append(earlier, tasks[t].Key)
		}
	}
	if len(earlier) == 0 {
		return def
	}
	return &next
}

// publish stores a definition as a revision.
func (s *store) publish(def *hive.Definition, number int64) *revision {
	text, err := json.Marshal(def)
	if err != nil {
		s.w.failf("document", "a definition is no JSON: %v", err)
	}
	id := s.draw("revision", 1)
	rev := newRevision(hive.Revision{ID: id, ScheduleID: 1, Number: number, Document: string(text)}, def)
	s.revs[id] = rev
	return rev
}
