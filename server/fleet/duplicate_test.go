package fleet

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestDuplicateAddress(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	first := hive.Executor{ID: "x", Name: "x", Address: "10.0.0.1:9999", BootID: "one"}
	copied := hive.Executor{ID: "x", Name: "y", Address: "10.0.0.2:9999", BootID: "two"}
	for name, tc := range map[string]struct {
		change func(*executorState)
		comes  hive.Executor
		want   string
	}{
		"a copy":       {func(*executorState) {}, copied, first.Address},
		"itself again": {func(*executorState) {}, first, ""},
		"started again, same port": {
			func(*executorState) {},
			hive.Executor{ID: "x", Address: first.Address, BootID: "two"},
			"",
		},
		"the same has moved": {
			func(*executorState) {},
			hive.Executor{ID: "x", Address: "10.0.0.3:1", BootID: "one"},
			"",
		},
		"the first has ended": {func(x *executorState) { x.callFailed(t0, hive.Sentence{}) }, copied, ""},
		"the first is silent": {func(x *executorState) { x.heardAt = t0.Add(-time.Minute) }, copied, ""},
		"another executor": {
			func(*executorState) {},
			hive.Executor{ID: "z", Address: copied.Address, BootID: "two"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := New(Settings{})
			f.Register(t0, first)
			x := f.executors["x"]
			x.attached, x.bootID = true, "one"
			tc.change(x)
			if got := f.DuplicateAddress(t0, tc.comes); got != tc.want {
				t.Errorf("DuplicateAddress is %q, expected %q", got, tc.want)
			}
		})
	}
}
