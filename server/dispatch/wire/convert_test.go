package wire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Answers without any field cause no panic.
func TestEmptyReplies(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	x.OnAttach = func(*hivego.AttachCall) (*hivego.AttachReply, error) {
		r := &hivego.AttachReply{Attempts: []*hivego.AttemptReport{{}}, Others: []*hivego.AttemptReport{{}}}
		for s := hivego.AttemptState(-1); s < 9; s++ {
			r.Attempts = append(r.Attempts, &hivego.AttemptReport{AttemptId: new(int64(1)), State: &s})
		}
		return r, nil
	}
	x.OnPoll = func(context.Context, *hivego.PollCall) (*hivego.PollReply, error) {
		r := &hivego.PollReply{Events: []*hivego.Event{{}}}
		for k := hivego.EventKind(-1); k < 9; k++ {
			r.Events = append(r.Events, &hivego.Event{Kind: &k}, &hivego.Event{Kind: &k, Outcome: &hivego.Outcome{}})
		}
		return r, nil
	}
	x.OnSubmit = func(*hivego.SubmitCall) (*hivego.SubmitReply, error) {
		return &hivego.SubmitReply{Receipts: []*hivego.Receipt{{}, {}}}, nil
	}
	x.OnKill = func(*hivego.KillCall) (*hivego.KillReply, error) {
		return &hivego.KillReply{Statuses: []*hivego.KillStatus{{}, {}}}, nil
	}
	x.OnReadLog = func(*hivego.LogCall) (*hivego.LogReply, error) { return &hivego.LogReply{}, nil }
	p, e := newTestClient(t), x.Row()
	target := fleet.Target{Executor: e}
	for _, call := range []fleet.SessionCall{
		&fleet.AttachCall{Target: target}, &fleet.PollCall{Target: target}, &fleet.SubmitCall{Target: target},
		&fleet.KillCall{Target: target},
	} {
		require.NoError(t, p.use(t.Context(), e, lineControl, func(c *conn) error {
			answer, err := c.call(t.Context(), callerOf(e), call, nil)
			if err != nil {
				return err
			}
			f := fleet.New(fleet.Settings{})
			f.Register(time.Now(), e)
			f.Answered(time.Now(), answer)
			return nil
		}), call.Kind())
	}
}

// A line with a key that no server made is ignored.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", hivego.MAX_KEY_LENGTH+1)
	for _, key := range []string{"/../../etc/cron.d/x", "a/b", "..", "a\x00b", "a b", long, "é"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Empty(t, reports([]*hivego.AttemptReport{line}), key)
		_, ok := eventOf(&hivego.Event{AttemptId: new(int64(5)), Key: &key, Kind: new(hivego.EventKind_ENDED)})
		assert.False(t, ok, key)
	}
	for _, key := range []string{"", "k", long[1:], "A-b_9"} {
		line := &hivego.AttemptReport{AttemptId: new(int64(5)), Key: &key, State: new(hivego.AttemptState_RUNNING)}
		assert.Len(t, reports([]*hivego.AttemptReport{line}), 1, key)
	}
}

// An outcome may ask not to retry. An older executor leaves that out, and an older server skips it, as every field that
// it does not know: here one of a later contract.
func TestNoRetry(t *testing.T) {
	t.Parallel()
	for _, asks := range []*bool{nil, new(false), new(true)} {
		e, ok := eventOf(&hivego.Event{
			AttemptId: new(int64(1)), Kind: new(hivego.EventKind_ENDED),
			Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_FAILURE), NoRetry: asks},
		})
		require.True(t, ok)
		assert.Equal(t, asks != nil && *asks, e.NoRetry)
	}

	ctx, proto := t.Context(), thrift.NewTBinaryProtocolConf(thrift.NewTMemoryBuffer(), nil)
	require.NoError(t, errors.Join(
		proto.WriteFieldBegin(ctx, "kind", thrift.I32, 1), proto.WriteI32(ctx, int32(hivego.OutcomeKind_FAILURE)),
		proto.WriteFieldBegin(ctx, "later", thrift.BOOL, 99), proto.WriteBool(ctx, true),
		proto.WriteFieldBegin(ctx, "error", thrift.STRING, 3), proto.WriteString(ctx, "bad data"),
		proto.WriteFieldStop(ctx),
	))
	var later hivego.Outcome
	require.NoError(t, later.Read(ctx, proto))
	assert.Equal(t, "bad data", later.GetError())
}

// A reason of an executor comes with its text, unless it breaks a limit of the contract.
func TestReasonsOfExecutors(t *testing.T) {
	t.Parallel()
	outcome := func(reason, value string) *hivego.Outcome {
		return &hivego.Outcome{Error: new("words"), Reason: &reason, Params: map[string]string{"name": value}}
	}
	fits := &hive.TextReason{Code: "lost_handler", Params: map[string]string{"name": "x"}}
	for _, c := range []struct {
		outcome *hivego.Outcome
		want    *hive.TextReason
	}{
		{outcome("lost_handler", "x"), fits},
		{outcome("", "x"), nil},
		{outcome("two words", "x"), nil},
		{outcome(strings.Repeat("x", hivego.MAX_NAME_BYTES+1), "x"), nil},
		{outcome("lost_handler", strings.Repeat("x", hivego.MAX_ERROR_BYTES)), nil},
	} {
		e, ok := eventOf(&hivego.Event{AttemptId: new(int64(1)), Kind: new(hivego.EventKind_ENDED), Outcome: c.outcome})
		require.True(t, ok)
		assert.Equal(t, "words", e.Words.Text)
		assert.Equal(t, c.want, e.Words.Reason)
	}
}
