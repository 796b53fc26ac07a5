package sql

import (
	"testing"

	"github.com/rprp/hivego/executor/sdk"
)

// A connection of the server becomes the address that the file of an executor would have.
func TestAddressOf(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]sdk.Connection{
		"sqlite:/srv/a.db":     {Type: "sqlite", Database: "/srv/a.db"},
		"postgres://db/dw":     {Type: "postgres", Host: "db", Database: "dw"},
		"postgres://u@db/dw":   {Type: "postgres", Host: "db", Database: "dw", User: "u"},
		"mysql://u@[::1]/dw":   {Type: "mysql", Host: "::1", Database: "dw", User: "u"},
		"mysql://[::1]:3307/d": {Type: "mysql", Host: "::1", Port: 3307, Database: "d"},
		"postgres://u:p%40%2F%3A%3F%23x%20@db:5433/a%20b?search_path=a%2Cb&sslmode=require": {
			Type: "postgres", Host: "db", Port: 5433, Database: "a b", User: "u", Password: "p@/:?#x ",
			Options: map[string]string{"sslmode": "require", "search_path": "a,b"},
		},
	} {
		if got := addressOf(&c); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	x, err := parse(nil, addressOf(&sdk.Connection{
		Type: "postgres", Host: "db", Database: "a b", User: "u v", Password: "p@/:?#x %41",
	}))
	if err != nil || x.description != "postgres db:5432/a b" {
		t.Errorf("%q %v", x.description, err)
	}
	if err := checkType(&sdk.Connection{Name: "dw", Type: "oracle"}); err == nil {
		t.Error("an unknown type is accepted")
	}
}
