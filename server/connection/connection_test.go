package connection_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rprp/hivego/server/connection"
	"github.com/rprp/hivego/server/hive"
)

type definition = hive.ConnectionDefinition

func TestCheck(t *testing.T) {
	t.Parallel()
	secrets := map[string]hive.Secret{
		"DW": {Name: "DW", Groups: []string{"etl"}}, "ALL": {Name: "ALL", Groups: []string{"default"}},
	}
	pg := func(change func(d *definition)) hive.ConnectionDefinition {
		d := definition{
			Type: "postgres", Host: "db.example.com", Database: "dw", User: "etl", Password: "${{ secrets.DW }}",
			Groups: []string{"etl"}, Options: map[string]string{"sslmode": "verify-full", "search_path": "a,b"},
		}
		if change != nil {
			change(&d)
		}
		return d
	}
	for name, c := range map[string]struct {
		def   hive.ConnectionDefinition
		words []string // of the faults, in order
	}{
		"postgres":         {pg(nil), nil},
		"mysql":            {definition{Type: "mysql", Host: "::1", Port: 3307, Database: "d"}, nil},
		"sqlite":           {definition{Type: "sqlite", Database: "/srv/a.db"}, nil},
		"no type":          {definition{}, []string{"write one of postgres, mysql, sqlite"}},
		"unknown type":     {definition{Type: "oracle"}, []string{`"oracle" is not a type`}},
		"no host":          {pg(func(d *definition) { d.Host = "" }), []string{"host is missing"}},
		"host with a user": {pg(func(d *definition) { d.Host = "me@db" }), []string{"cannot stand here"}},
		"no database":      {pg(func(d *definition) { d.Database = "" }), []string{"database is missing"}},
		"options in it":    {pg(func(d *definition) { d.Database = "d?passfile=x" }), []string{"cannot stand"}},
		"no user":          {pg(func(d *definition) { d.User = "" }), []string{"user is missing"}},
		"port":             {pg(func(d *definition) { d.Port = 70000 }), []string{"not between 1 and 65535"}},
		"option that reads files": {
			pg(func(d *definition) { d.Options = map[string]string{"passfile": "/etc/passwd"} }),
			[]string{"have no option passfile; they have: sslmode"},
		},
		"option's value": {
			pg(func(d *definition) { d.Options = map[string]string{"sslmode": "off"} }),
			[]string{`"off" is no value of sslmode`},
		},
		"password": {
			pg(func(d *definition) { d.Password = "hidden" }), []string{"a password has no place"},
		},
		"password and text": {
			pg(func(d *definition) { d.Password = "hidden${{ secrets.DW }}" }), []string{"has no place"},
		},
		"no such secret": {
			pg(func(d *definition) { d.Password = "${{ secrets.NONE }}" }), []string{"there is no secret NONE"},
		},
		"secret of another group": {
			pg(func(d *definition) { d.Password = "${{secrets.ALL}}" }),
			[]string{"executors of group etl may not have the secret ALL"},
		},
		"default group": {
			pg(func(d *definition) { d.Groups = nil }), []string{"group default may not have the secret DW"},
		},
		"groups":      {pg(func(d *definition) { d.Groups = []string{"etl", "etl", ""} }), []string{"twice", "cannot"}},
		"line break":  {pg(func(d *definition) { d.User = "a\nb" }), []string{"cannot stand here"}},
		"file's host": {definition{Type: "sqlite", Database: "a", Host: "x"}, []string{"has no host"}},
		"no file":     {definition{Type: "sqlite"}, []string{"database is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faults := connection.Check(&c.def, secrets)
			kept := faults[:0]
			for _, f := range faults { // one of a group needs the secret as well
				if name == "groups" && strings.Contains(f.Message, "may not have") {
					continue
				}
				kept = append(kept, f)
			}
			if !assert.Len(t, kept, len(c.words), "%v", kept) {
				return
			}
			for i, words := range c.words {
				assert.Contains(t, kept[i].String(), words)
				assert.NotContains(t, kept[i].String(), "hidden")
			}
		})
	}
	def := pg(func(d *definition) { d.Password = "${{ secrets.NONE }}" })
	assert.Empty(t, connection.Check(&def, nil)) // as on a machine without the server
	assert.Equal(t, "NONE", connection.SecretOf(&def))
}
