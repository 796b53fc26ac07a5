package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestConnections(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		save := func(name, document string, change func(in *hive.SaveConnection)) (hive.StoredConnection, bool, error) {
			in := hive.SaveConnection{Name: name, Document: document, Hash: "h:" + document, By: "ada", Now: t0}
			if change != nil {
				change(&in)
			}
			return x.SaveConnection(ctx, in)
		}
		made, changed, err := save("dw", "one", nil)
		x.ok(err)
		want := hive.StoredConnection{
			Name: "dw", Revision: 1, Document: "one", Hash: "h:one", CreatedAt: t0, CreatedBy: "ada", UpdatedAt: t0,
			UpdatedBy: "ada",
		}
		same(x, "made", made, want)
		same(x, "changed", changed, true)
		_, changed, err = save("dw", "one", func(in *hive.SaveConnection) { in.By = "bob" })
		x.ok(err)
		same(x, "the same again", changed, false)
		_, _, err = save("dw", "two", func(in *hive.SaveConnection) { in.Fresh = true })
		x.code(hive.CodeConflict, err)
		_, _, err = save("dw", "two", func(in *hive.SaveConnection) { in.Base = 4 })
		x.code(hive.CodeConflict, err)
		later := after(time.Hour)
		second, _, err := save("dw", "two", func(in *hive.SaveConnection) { in.Base, in.By, in.Now = 1, "bob", later })
		x.ok(err)
		want.Revision, want.Document, want.Hash, want.UpdatedAt, want.UpdatedBy = 2, "two", "h:two", later, "bob"
		same(x, "second", second, want)
		_, _, err = save("api", "three", nil)
		x.ok(err)
		list := must(x.Connections(ctx))(x)
		same(x, "list", []string{list[0].Name, list[1].Name}, []string{"api", "dw"})
		named := must(x.ConnectionsNamed(ctx, []string{"dw", "none", "a\x00b"}))(x)
		same(x, "named", named, []hive.StoredConnection{want})
		same(x, "none named", len(must(x.ConnectionsNamed(ctx, nil))(x)), 0)
		x.ok(x.DeleteConnection(ctx, "dw"))
		x.code(hive.CodeNotFound, x.DeleteConnection(ctx, "dw"))
	})
}
