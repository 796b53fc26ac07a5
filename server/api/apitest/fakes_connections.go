package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// connections answers every call about connections with the sample, unless the fakes have no list.
type connections struct{ f *Fakes }

func sampleConnection() hive.ConnectionView {
	return hive.ConnectionView{
		StoredConnection: hive.StoredConnection{
			Name: "dw", Revision: 2, Document: "kind: Connection\n", Hash: "abc", CreatedAt: T0, CreatedBy: "ada",
			UpdatedAt: T0, UpdatedBy: "bob",
		},
		Definition: hive.ConnectionDefinition{
			Name: "dw", Title: "Warehouse", Type: "postgres", Host: "db.example.com", Port: 5432, Database: "dw",
			User: "etl", Password: "${{ secrets.DW }}", Options: map[string]string{"sslmode": "require"},
			Groups: []string{"etl"},
		},
		Secret: "DW", UsedBy: []string{"warehouse"},
	}
}

func (connections) Types() []hive.ConnectionType {
	return []hive.ConnectionType{{
		Name: "postgres", Title: "PostgreSQL", Port: 5432, Handler: "sql",
		Options: []hive.ConnectionOption{{Name: "sslmode", Values: []string{"require"}}},
	}}
}

func (p connections) List(context.Context) ([]hive.ConnectionView, error) {
	if p.f.SecretsF == nil {
		return nil, missing()
	}
	return []hive.ConnectionView{sampleConnection()}, nil
}

func (p connections) Get(context.Context, string) (hive.ConnectionView, error) {
	if p.f.SecretsF == nil {
		return hive.ConnectionView{}, missing()
	}
	return sampleConnection(), nil
}

func (p connections) Save(context.Context, hive.SaveRequest) (hive.SavedConnection, error) {
	if p.f.SecretsF == nil {
		return hive.SavedConnection{}, missing()
	}
	return hive.SavedConnection{Connection: sampleConnection().StoredConnection, Changed: true}, nil
}

func (p connections) Delete(context.Context, string, string, bool) error {
	if p.f.SecretsF == nil {
		return missing()
	}
	return nil
}

func (p connections) Test(_ context.Context, _, group, _ string) (hive.ConnectionTest, error) {
	if p.f.SecretsF == nil {
		return hive.ConnectionTest{}, missing()
	}
	return hive.ConnectionTest{OK: true, Group: group, Executor: "worker-1", Took: time.Second, Batch: 7}, nil
}
