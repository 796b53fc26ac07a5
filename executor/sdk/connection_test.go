package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A handler gets the connections of the server. Their passwords are secrets of the task: nothing shows or stores one.
func TestConnections(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	seen := make(chan string, 2)
	h := handler{"dial", func(_ context.Context, t *sdk.Task) error {
		c, ok, err := t.Connection("dw")
		shown, _ := json.Marshal(c)
		seen <- fmt.Sprintf("%v %v %s %s %d %v %v %s", ok, err, c.Password, c.Host, c.Port, c.Options, c, shown)
		_, ok, err = t.Connection("lake")
		_, other, _ := t.Connection("other")
		seen <- fmt.Sprintf("%v %v %v", ok, err, other)
		if err := t.Checkpoint([]byte("state")); err != nil {
			return err
		}
		t.Printf("with %s", c.Password)
		return errors.New("failed with " + c.Password)
	}}
	e := start(t, sdk.Config{Data: data}, h)
	s := connect(t, e, "s", 1)
	s.attach()
	a := assignment(1, "dial")
	a.Connections = []*hivego.Connection{
		{
			Name: new("dw"), Type: new("postgres"), Host: new("db"), Port: new(int32(5433)), Password: new(secretValue),
			Options: map[string]string{"sslmode": "require"},
		},
		{Name: new("lake"), Refusal: new("not for this group"), Password: new("ignored")},
	}
	s.submit(a)
	want := "true <nil> " + secretValue + ` db 5433 map[sslmode:require] connection dw "connection dw"`
	if got := <-seen; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := <-seen; got != "true not for this group false" {
		t.Errorf("refused: %s", got)
	}
	if o := s.outcome(1); o.GetError() != "failed with ***" {
		t.Errorf("error %q", o.GetError())
	}
	if text, _ := s.log(1); strings.Contains(text, "rrect") || !strings.Contains(text, "with ***") {
		t.Errorf("log %s", text)
	}
	if found := filesWith(t, data, "rrect"); found != nil {
		t.Errorf("files with the password: %v", found)
	}
}
