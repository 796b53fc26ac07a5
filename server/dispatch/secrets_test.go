package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/dispatch/wiretest"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// vault gives values to the group etl. It has no other secrets than these, and fails for BROKEN.
type vault struct {
	values map[string]string
	asked  atomic.Int64
}

func (v *vault) Fetch(_ context.Context, group string, names []string) (map[string]string, hive.Sentence, error) {
	v.asked.Add(1)
	for _, name := range names {
		switch {
		case name == "BROKEN":
			return nil, hive.Sentence{}, errors.New("the database is away")
		case group != "etl" || v.values[name] == "":
			return nil, hive.Plain("no " + name + " for " + group), nil
		}
	}
	return v.values, hive.Sentence{}, nil
}

const secretValue = `co"rrect horse`

func withSecret(id int64, uses ...hive.SecretUse) hive.Assignment {
	return hive.Assignment{
		Attempt: id, Key: "k", Handler: "shell", Params: []byte(`{"env":{"A":"<A>"}}`), Secrets: uses,
	}
}

// Values travel in a field of their own, for the call alone. What may not have its secrets is sent without work, so
// that only an executor that never saw it refuses it.
func TestSecretsOfSubmit(t *testing.T) {
	t.Parallel()
	x := wiretest.New(t, "x")
	var mu sync.Mutex
	got := map[int64]*hivego.Assignment{}
	x.OnSubmit = func(c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		mu.Lock()
		defer mu.Unlock()
		reply := &hivego.SubmitReply{}
		for _, a := range c.Assignments {
			got[a.GetAttemptId()] = a
			code := hivego.ReceiptCode_STARTED
			if a.GetHandler() == "" && a.GetAttemptId() != 5 { // 5 runs since an earlier call
				code = hivego.ReceiptCode_REFUSED
			}
			reply.Receipts = append(reply.Receipts, &hivego.Receipt{AttemptId: a.AttemptId, Key: a.Key, Code: &code})
		}
		return reply, nil
	}
	var output strings.Builder
	v := &vault{values: map[string]string{"A": secretValue}}
	s := New(Config{
		ClusterID: "c", ServerID: "s", LogDir: t.TempDir(), Secrets: v,
		Log: slog.New(slog.NewTextHandler(&output, nil)),
	})
	t.Cleanup(s.client.Close)
	call := &fleet.SubmitCall{
		Target: fleet.Target{Executor: hive.Executor{ID: "x", Name: "x", Group: "etl", Address: x.Address()}},
		Assignments: []hive.Assignment{
			withSecret(1),
			withSecret(2, hive.SecretUse{Name: "A", Mark: "<A>"}, hive.SecretUse{Name: "A", Mark: "<J>", JSON: true}),
			withSecret(3, hive.SecretUse{Name: "NONE", Mark: "<N>"}),
			withSecret(5, hive.SecretUse{Name: "NONE", Mark: "<N>"}),
			withSecret(4, hive.SecretUse{Name: "BROKEN", Mark: "<B>"}),
		},
	}
	answer, ok := s.make(t.Context(), wire.Caller{}, call).(*fleet.SubmitAnswer)
	require.True(t, ok)
	assert.Same(t, call, answer.Call)
	codes := map[int64]fleet.ReceiptCode{}
	for _, r := range answer.Receipts {
		codes[r.Attempt.ID] = r.Code
		if r.Attempt.ID == 3 {
			assert.Equal(t, "no NONE for etl", r.Words.Text)
		}
	}
	assert.Equal(t, map[int64]fleet.ReceiptCode{
		1: fleet.ReceiptStarted, 2: fleet.ReceiptStarted, 3: fleet.ReceiptRefused, 5: fleet.ReceiptStarted,
	}, codes)
	assert.Empty(t, got[1].Secrets)
	require.Len(t, got[2].Secrets, 2)
	assert.Equal(t, secretValue, got[2].Secrets[0].GetText())
	assert.Equal(t, `co\"rrect horse`, got[2].Secrets[1].GetText())
	assert.Equal(t, secretValue, got[2].Secrets[1].GetValue())
	assert.NotContains(t, got[2].GetParamsJson(), "rrect")
	assert.Empty(t, got[3].GetParamsJson()+got[3].GetHandler())
	assert.NotContains(t, output.String(), "rrect")

	asked := v.asked.Load()
	call.Assignments = []hive.Assignment{call.Assignments[4], call.Assignments[4], call.Assignments[4]}
	answer, ok = s.make(t.Context(), wire.Caller{}, call).(*fleet.SubmitAnswer)
	require.True(t, ok)
	assert.Empty(t, answer.Receipts)         // they are offered again
	assert.Equal(t, asked+1, v.asked.Load()) // a database that is away is asked once
}

// Where a secret may go.
func TestSecretsLeaveByTLSOrLoopback(t *testing.T) {
	t.Parallel()
	s := New(Config{
		LogDir: t.TempDir(), Secrets: &vault{values: map[string]string{"A": secretValue}},
		Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(s.client.Close)
	for _, c := range []struct {
		address, group string
		tls, may       bool
	}{
		{"127.0.0.1:9999", "etl", false, true},
		{"[::1]:9999", "etl", false, true},
		{"localhost:9999", "etl", false, true},
		{"10.0.0.7:9999", "etl", true, true},
		{"10.0.0.7:9999", "etl", false, false},
		{"localhost.evil.example:9999", "etl", false, false},
		{"nonsense", "etl", false, false},
		{"10.0.0.7:9999", "other", true, false},
	} {
		e := &hive.Executor{Name: "x", Group: c.group, Address: c.address, TLS: c.tls}
		a := withSecret(1, hive.SecretUse{Name: "A", Mark: "<A>"})
		texts, refusal, err := s.secretsOf(t.Context(), e, &a)
		require.NoError(t, err)
		assert.Equal(t, c.may, len(texts) == 1 && refusal.Text == "", "%+v: %s", c, refusal.Text)
		assert.NotContains(t, refusal.Text, "rrect")
	}
}

// A task whose secrets would not fit into a call is refused with words.
func TestSecretsThatAreTooLarge(t *testing.T) {
	t.Parallel()
	s := New(Config{
		LogDir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Secrets: &vault{values: map[string]string{"A": strings.Repeat("\x01", hive.MaxSecret)}},
	})
	t.Cleanup(s.client.Close)
	e := &hive.Executor{Name: "x", Group: "etl", Address: "127.0.0.1:9999"}
	a := withSecret(1)
	for range 10 {
		a.Secrets = append(a.Secrets, hive.SecretUse{Name: "A", Mark: "<A>", JSON: true})
	}
	texts, refusal, err := s.secretsOf(t.Context(), e, &a)
	require.NoError(t, err)
	assert.Len(t, texts, 10)
	assert.Empty(t, refusal.Text)
	for range 90 {
		a.Secrets = append(a.Secrets, hive.SecretUse{Name: "A", Mark: "<A>", JSON: true})
	}
	_, refusal, err = s.secretsOf(t.Context(), e, &a)
	require.NoError(t, err)
	assert.Contains(t, refusal.Text, "take more than 4194304 bytes")
}
