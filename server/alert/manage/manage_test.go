package manage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/alert/manage"
	"github.com/rprp/hivego/server/hive"
)

const (
	head    = "apiVersion: hivego/v1\n"
	channel = head + "kind: Channel\nname: chat\ntype: dingtalk\nlanguage: zh\n"
	rule    = head + "kind: Alert\nname: night\non: [failed]\nchannels: [chat]\n"
)

func newService(t *testing.T) *manage.Service {
	t.Helper()
	store := dbtest.Open(t, dbtest.SQLite(t))
	return manage.New(manage.Config{
		Store: store, Schedules: store, Log: store, Now: time.Now, Saved: func() {},
		Test: func(_ context.Context, name, _ string) (hive.ChannelTest, error) {
			return hive.ChannelTest{Sent: true, Detail: "sent to " + name}, nil
		},
		Try: func(_ context.Context, r hive.PreparedTrial) (hive.ChannelTest, error) {
			return hive.ChannelTest{Sent: true, Detail: fmt.Sprint(r.Channel.Name, " ", r.Stored, " ", r.Secrets)}, nil
		},
	})
}

func save(ctx context.Context, d *manage.Service, kind, name, text string) (hive.SavedAlertDocument, error) {
	return d.Save(ctx, kind, hive.SaveRequest{Name: name, Document: []byte(text), By: "ada"})
}

// reason returns the reason of an error.
func reason(err error) hive.ErrorReason {
	e, ok := errors.AsType[*hive.Error](err)
	if !ok {
		return ""
	}
	return e.Reason
}

// A rule names channels that exist, and a channel that a rule names is not deleted.
func TestRulesAndChannels(t *testing.T) {
	t.Parallel()
	d, ctx := newService(t), t.Context()
	_, err := save(ctx, d, hive.KindAlert, "night", rule)
	e, ok := errors.AsType[*hive.Error](err)
	require.True(t, ok)
	require.Len(t, e.Faults, 1)
	assert.Equal(t, hive.FaultUnknownChannel, e.Faults[0].Reason)
	assert.Equal(t, "channels[0]", e.Faults[0].Path)
	_, err = save(ctx, d, hive.KindChannel, "other", channel)
	assert.Equal(t, hive.ErrorOtherName, reason(err))
	_, err = save(ctx, d, hive.KindChannel, "chat", channel)
	require.NoError(t, err)
	saved, err := save(ctx, d, hive.KindAlert, "night", rule)
	require.NoError(t, err)
	assert.True(t, saved.Changed)
	assert.Empty(t, saved.Faults)
	saved, err = save(ctx, d, hive.KindAlert, "night", rule)
	require.NoError(t, err)
	assert.False(t, saved.Changed)
	saved, err = save(ctx, d, hive.KindAlert, "night", rule+"schedules: [warehuose]\n")
	require.NoError(t, err)
	require.Len(t, saved.Faults, 1)
	assert.Equal(t, hive.FaultAlertSchedule, saved.Faults[0].Reason)
	_, err = save(ctx, d, hive.KindAlert, "night", rule)
	require.NoError(t, err)

	list, err := d.List(ctx, hive.KindChannel)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, []string{"night"}, list[0].UsedBy)
	assert.Empty(t, list[0].Current.Document)
	got, err := d.Get(ctx, hive.KindAlert, "night")
	require.NoError(t, err)
	assert.Equal(t, rule, got.Current.Document)
	assert.JSONEq(t, `{"apiVersion":"hivego/v1","kind":"Alert","name":"night","on":["failed"],"channels":["chat"]}`,
		string(got.Definition))
	assert.Equal(t, hive.ErrorChannelUsed, reason(d.Delete(ctx, hive.KindChannel, "chat")))
	require.NoError(t, d.Delete(ctx, hive.KindAlert, "night"))
	require.NoError(t, d.Delete(ctx, hive.KindChannel, "chat"))
	assert.Equal(t, hive.ErrorNoDocument, reason(d.Delete(ctx, hive.KindChannel, "chat")))
}

// Secrets are set by the names that the channel has, and are shown without their values.
func TestSecrets(t *testing.T) {
	t.Parallel()
	d, ctx := newService(t), t.Context()
	_, err := save(ctx, d, hive.KindChannel, "chat", channel)
	require.NoError(t, err)
	set := func(name, value string) hive.ErrorReason {
		return reason(d.SetSecrets(ctx, "chat", map[string]string{name: value}, "ada"))
	}
	assert.Equal(t, hive.ErrorSecretUnknown, set("password", "x"))
	assert.Equal(t, hive.ErrorSecretForm, set("url", "oapi.dingtalk.com"))
	assert.Equal(t, hive.ErrorSecretForm, set("key", "a\nb"))
	assert.Empty(t, set("url", "https://oapi.dingtalk.com/robot/send?access_token=abc"))
	got, err := d.Get(ctx, hive.KindChannel, "chat")
	require.NoError(t, err)
	require.Len(t, got.Secrets, 2)
	assert.Equal(t, []any{"key", false, false}, []any{got.Secrets[0].Name, got.Secrets[0].Required, got.Secrets[0].Set})
	assert.Equal(t, []any{"url", true, true, "ada"},
		[]any{got.Secrets[1].Name, got.Secrets[1].Required, got.Secrets[1].Set, got.Secrets[1].SetBy})
	result, err := d.Test(ctx, "chat", "")
	require.NoError(t, err)
	assert.Equal(t, hive.ChannelTest{Sent: true, Detail: "sent to chat"}, result)
	_, err = d.Test(ctx, "none", "")
	assert.Equal(t, hive.ErrorNoDocument, reason(err))
}
