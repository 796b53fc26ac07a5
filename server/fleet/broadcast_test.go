package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/hive"
)

// A broadcast goes to all executors of the group that are in contact, whether or not they have a free slot.
func TestEveryone(t *testing.T) {
	t.Parallel()
	f := newRouted(1, "b", "a", "c")
	f.join("other", "default")
	f.use("a", 2)
	f.of("c").silent = true
	all, wait := f.Everyone(need(""))
	assert.Equal(t, []hive.ExecutorRef{{ID: "id-a", Name: "a"}, {ID: "id-b", Name: "b"}}, all)
	assert.Equal(t, hive.WaitNone, wait)

	narrow := need("")
	narrow.Labels = map[string]string{"name": "b"}
	all, _ = f.Everyone(narrow)
	assert.Equal(t, []hive.ExecutorRef{{ID: "id-b", Name: "b"}}, all)

	f.of("b").attached = false // this server has only begun to call it
	all, wait = f.Everyone(need(""))
	assert.Empty(t, all)
	assert.Equal(t, hive.WaitSilent, wait, "it may still answer")

	f.of("b").failures = 1
	all, _ = f.Everyone(need(""))
	assert.Equal(t, []hive.ExecutorRef{{ID: "id-a", Name: "a"}}, all)

	_, wait = f.Everyone(hive.Requirement{Group: "none", Handler: "shell"})
	assert.Equal(t, hive.WaitNoGroup, wait)
}

// What is bound to an executor waits for it, and is refused once it is gone.
func TestBound(t *testing.T) {
	t.Parallel()
	f := newRouted(1, "a", "b")
	bound := need("")
	bound.Bound = "id-b"
	assert.Equal(t, hive.Choice{Executor: "id-b", Name: "b"}, f.Pick(bound))
	f.use("b", 2)
	assert.Equal(t, hive.Choice{Wait: hive.WaitBusy, For: "b"}, f.Pick(bound))
	f.of("b").exec.Offline = true
	assert.Equal(t, hive.Choice{Wait: hive.WaitOffline, For: "b"}, f.Pick(bound))
	f.of("b").exec.Offline = false

	f.FireTimers(f.now.Add(time.Minute))
	assert.Equal(t, hive.WaitSilent, f.Pick(bound).Wait, "its lease goes on")
	f.FireTimers(f.now.Add(time.Hour))
	assert.Equal(t, hive.WaitGone, f.Pick(bound).Wait)
	f.of("b").answered(f.now.Add(time.Hour))
	f.of("b").silent = false
	assert.NotEqual(t, hive.WaitGone, f.Pick(bound).Wait, "it is back")

	f.FireTimers(f.now.Add(3 * time.Hour))
	assert.Equal(t, hive.WaitGone, f.Pick(bound).Wait)
	again := f.of("b").exec
	again.Address = "elsewhere:1"
	f.Register(f.now.Add(3*time.Hour), again)
	f.FireTimers(f.now.Add(3 * time.Hour))
	assert.NotEqual(t, hive.WaitGone, f.Pick(bound).Wait, "a new process has registered, and will answer")
	f.FireTimers(f.now.Add(5 * time.Hour))
	assert.Equal(t, hive.WaitGone, f.Pick(bound).Wait, "it has not answered")

	bound.Bound = "id-c"
	assert.Equal(t, hive.WaitSilent, f.Pick(bound).Wait, "the executors were not read yet")
	f.Learn(f.now, nil, f.now)
	assert.Equal(t, hive.WaitGone, f.Pick(bound).Wait)
}
