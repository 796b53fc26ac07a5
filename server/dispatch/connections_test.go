package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// book has the connection dw for all, refuses lake, and fails for broken.
type book struct{ private []bool }

func (b *book) Fetch(_ context.Context, _ *hive.Executor, private bool, names []string) ([]hive.Connection, error) {
	b.private = append(b.private, private)
	var out []hive.Connection
	for _, name := range names {
		switch name {
		case "dw":
			out = append(out, hive.Connection{
				Name: name, Type: "postgres", Host: "db", Port: 5433, Database: "d", User: "u", Password: secretValue,
				Options: map[string]string{"sslmode": "require"},
			})
		case "lake":
			out = append(out, hive.Connection{Name: name, Refusal: hive.NewSentence(hive.SentenceConnectionGroup,
				"‹group› may not have ‹connection›", "group", "g", "connection", name)})
		case "broken":
			return nil, errors.New("the database is away")
		}
	}
	return out, nil
}

// Connections travel in a field of their own. A refused one does not stop the attempt: the executor may have its own.
func TestConnectionsOfSubmit(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	got := map[int64]*hivego.Assignment{}
	x.OnSubmit = func(c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		reply := &hivego.SubmitReply{}
		for _, a := range c.Assignments {
			got[a.GetAttemptId()] = a
			code := hivego.ReceiptCode_STARTED
			reply.Receipts = append(reply.Receipts, &hivego.Receipt{AttemptId: a.AttemptId, Key: a.Key, Code: &code})
		}
		return reply, nil
	}
	var output strings.Builder
	b := &book{}
	s := New(Config{
		ClusterID: "c", ServerID: "s", LogDir: t.TempDir(), Secrets: &vault{}, Connections: b,
		Log: slog.New(slog.NewJSONHandler(&output, nil)),
	})
	t.Cleanup(s.client.Close)
	named := func(id int64, names ...string) hive.Assignment {
		a := withSecret(id)
		a.Connections = names
		return a
	}
	call := &fleet.SubmitCall{
		Target: fleet.Target{Executor: hive.Executor{ID: "x", Name: "x", Group: "etl", Address: x.Address()}},
		Assignments: []hive.Assignment{
			named(1, "dw"), named(2, "lake"), named(3, "own"), named(4), named(5, "broken"), named(6, "dw"),
		},
	}
	answer, ok := s.make(t.Context(), wire.Caller{}, call).(*fleet.SubmitAnswer)
	require.True(t, ok)
	assert.Len(t, answer.Receipts, 4) // 5 and 6 are offered again
	require.Len(t, got[1].Connections, 1)
	c := got[1].Connections[0]
	assert.Equal(t, []any{"dw", "postgres", "db", int32(5433), "d", "u", secretValue, "require"}, []any{
		c.GetName(), c.GetType(), c.GetHost(), c.GetPort(), c.GetDatabase(), c.GetUser(), c.GetPassword(),
		c.GetOptions()["sslmode"],
	})
	require.Len(t, got[2].Connections, 1)
	c = got[2].Connections[0]
	assert.Equal(t, "g may not have lake", c.GetRefusal())
	assert.Equal(t, "connection_denied", c.GetReason())
	assert.False(t, c.IsSetPassword() || c.IsSetHost() || c.IsSetUser())
	assert.Empty(t, got[3].Connections)
	assert.False(t, got[4].IsSetConnections())
	assert.Equal(t, []bool{true, true, true, true}, b.private)
	assert.NotContains(t, output.String(), "rrect")

	e := &hive.Executor{Name: "far", Group: "etl", Address: "10.0.0.7:9999"}
	a := named(7, "dw")
	_, _, err := s.confidentialOf(t.Context(), e, &a)
	require.NoError(t, err)
	assert.False(t, b.private[4])
}
