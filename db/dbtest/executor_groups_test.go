package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The settings of a group are kept by its name, and the latest ones count.
func TestExecutorGroups(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "at first", len(must(x.ExecutorGroups(ctx))(x)), 0)
		gpu := hive.ExecutorGroup{Name: "gpu", Route: hive.RouteLRU, Reason: "even use", SetAt: t0, SetBy: "ada"}
		cpu := hive.ExecutorGroup{Name: "cpu", Route: hive.RouteFirst, SetAt: t0, SetBy: "ada"}
		x.ok(x.SetExecutorGroup(ctx, gpu))
		x.ok(x.SetExecutorGroup(ctx, cpu))
		same(x, "by name", must(x.ExecutorGroups(ctx))(x), []hive.ExecutorGroup{cpu, gpu})
		gpu.Route, gpu.Reason, gpu.SetAt, gpu.SetBy = hive.RouteLFU, "", after(time.Minute), "bob"
		x.ok(x.SetExecutorGroup(ctx, gpu))
		same(x, "changed", must(x.ExecutorGroups(ctx))(x), []hive.ExecutorGroup{cpu, gpu})
	})
}
