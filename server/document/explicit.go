package document

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// explicit refuses explicit zeros that would silently mean the default.
func (d *decoder) explicit(root *node) {
	d.explicitHooks(root, "")
	d.explicitPriority(root.get("policy"), "policy")
	for j, job := range root.get("jobs").list() {
		d.explicitHooks(job, fmt.Sprintf("jobs[%d]", j))
		d.explicitCommon(job.get("defaults"), fmt.Sprintf("jobs[%d].defaults", j))
		for t, task := range job.get("tasks").list() {
			at := fmt.Sprintf("jobs[%d].tasks[%d]", j, t)
			d.explicitCommon(task, at)
			if n := task.get("pool").get("slots"); n != nil && number(n) == int64(0) {
				d.shape(n, at+".pool.slots", hive.NewFault(graph.CodeOutOfRange, hive.FaultOutOfRange,
					"‹value› is not between ‹low› and ‹high›", "write ‹low› to ‹high›",
					"value", 0, "low", 1, "high", hive.MostLimit))
			}
			d.explicitShards(task.get("shard"), at+".shard")
			d.explicitHooks(task, at)
		}
	}
}

// explicitCommon does so for the fields of a task that may have defaults, or for the defaults of a job.
func (d *decoder) explicitCommon(of *node, at string) {
	d.explicitPriority(of, at)
	d.explicitBackoff(of, at)
	if n := of.get("killGrace"); n != nil && n.tag == tagText {
		if v, err := hive.ParseDuration(n.text); err == nil && v == 0 {
			d.shape(n, at+".killGrace", hive.NewFault(graph.CodeOutOfRange, hive.FaultZeroGrace,
				"a kill needs some time", "write at least 1ms, or leave it out for 10s"))
		}
	}
}

// explicitShards refuses a count of 0, and a map that does not say how to shard the task.
func (d *decoder) explicitShards(n *node, at string) {
	if c := n.get("count"); c != nil && number(c) == int64(0) {
		d.shape(c, at+".count", hive.NewFault(graph.CodeOutOfRange, hive.FaultOutOfRange,
			"‹value› is not between ‹low› and ‹high›", "write ‹low› to ‹high›",
			"value", 0, "low", 1, "high", hive.MaxShards))
		return
	}
	if n == nil || n.kind != mapping || len(n.keys) > 1 {
		return
	}
	if len(n.keys) == 1 {
		field := n.keys[0].text
		if field != "count" && field != "over" { // that is a fault of its own
			return
		}
		n, at = n.values[0], join(at, field)
		if n.kind != scalar || n.tag != tagNull && strings.TrimSpace(n.text) != "" {
			return
		}
	}
	d.shape(n, at, hive.NewFault(graph.CodeBadValue, hive.FaultShardEmpty, "nothing says how to shard the task",
		"write broadcast, {count: 5} or {over: outputs.list.files}"))
}

// explicitPriority does so for the priority of a task or of a policy.
func (d *decoder) explicitPriority(of *node, at string) {
	if n := of.get("priority"); n != nil && number(n) == int64(0) {
		d.shape(n, at+".priority", hive.NewFault(graph.CodeOutOfRange, hive.FaultOutOfRange,
			"‹value› is not between ‹low› and ‹high›", "write ‹low› to ‹high›; 10 goes first, 5 is the default",
			"value", 0, "low", 1, "high", 10))
	}
}

// explicitHooks does so in the hooks of the schedule, of a job or of a task.
func (d *decoder) explicitHooks(of *node, path string) {
	for _, field := range []string{"onFailure", "onSuccess", "onEnd"} {
		for i, hook := range of.get(field).list() {
			d.explicitBackoff(hook, fmt.Sprintf("%s[%d]", join(path, field), i))
		}
	}
}

func (d *decoder) explicitBackoff(of *node, path string) {
	if n := of.get("retry").get("backoff"); n != nil && (number(n) == int64(0) || number(n) == 0.0) {
		d.shape(n, path+".retry.backoff", hive.NewFault(graph.CodeOutOfRange, hive.FaultZeroBackoff,
			"‹value› is not at least ‹low›",
			"write by what the delay is multiplied at each further retry; 1 keeps it", "value", 0, "low", 1))
	}
}

// overrides marks the tasks that say none where their job has a default. There none is not the same as nothing written.
func overrides(root *node, def *hive.Definition) {
	jobs := root.get("jobs").list()
	for j := range def.Jobs {
		d := def.Jobs[j].Defaults
		timeout, retry, lost := d.Timeout != 0, !isEmpty(d.Retry), d.OnLost != (hive.OnLost{})
		if !timeout && !retry && !lost {
			continue
		}
		tasks := jobs[j].get("tasks").list()
		for i := range def.Jobs[j].Tasks {
			t := &def.Jobs[j].Tasks[i]
			t.NoTimeout = timeout && t.Timeout == 0 && tasks[i].get("timeout").keep()
			t.NoRetry = retry && isEmpty(t.Retry) && tasks[i].get("retry").keep()
			t.NoOnLost = lost && t.OnLost == (hive.OnLost{}) && tasks[i].get("onLost").keep()
		}
	}
}

func isEmpty(r hive.Retry) bool { return reflect.ValueOf(r).IsZero() }

// keep lets a value be written although it is the standard value. It reports whether there is one.
func (n *node) keep() bool {
	if n == nil || n.faulty || n.kind == scalar && n.tag == tagNull {
		return false
	}
	n.kept = true
	if most := n.get("max"); most != nil {
		most.kept = true
	}
	return true
}
