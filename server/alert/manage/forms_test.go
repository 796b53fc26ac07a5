package manage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A form sees the faults and both forms of what it has, and the secrets that the channel needs by what is typed.
func TestConvert(t *testing.T) {
	t.Parallel()
	d, ctx := newService(t), t.Context()
	_, err := save(ctx, d, hive.KindChannel, "chat", channel)
	require.NoError(t, err)
	require.NoError(t, d.SetSecrets(ctx, "chat", map[string]string{"key": "abc"}, "ada"))
	got, err := d.Convert(ctx, hive.KindChannel, []byte(channel))
	require.NoError(t, err)
	assert.True(t, got.Valid)
	assert.Equal(t, channel, got.Canonical)
	require.Len(t, got.Secrets, 2)
	assert.Equal(t, []any{"key", true, false}, []any{got.Secrets[0].Name, got.Secrets[0].Set, got.Secrets[0].Required})
	assert.Equal(t, []any{"url", false, true}, []any{got.Secrets[1].Name, got.Secrets[1].Set, got.Secrets[1].Required})

	got, err = d.Convert(ctx, hive.KindChannel, []byte(head+
		"kind: Channel\nname: sms\ntype: http\nhttp: {url: \"https://a/${{ secrets.token }}\"}\n"))
	require.NoError(t, err)
	require.Len(t, got.Secrets, 1)
	assert.Equal(t, "token", got.Secrets[0].Name)

	unknown := rule + "schedules: [none]\nwait: 5m\nescalate: {after: 5m, to: [no]}\n"
	got, err = d.Convert(ctx, hive.KindAlert, []byte(unknown))
	require.NoError(t, err)
	assert.False(t, got.Valid)
	assert.NotEmpty(t, got.Definition)
	var paths []string
	for _, f := range got.Faults {
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{"schedules[0]", "wait", "escalate.to[0]"}, paths)

	got, err = d.Convert(ctx, hive.KindAlert, []byte("on: ["))
	require.NoError(t, err)
	assert.Empty(t, got.Canonical)
	assert.NotEmpty(t, got.Faults)
}

// A test of a channel that is not saved uses what was typed, and what is stored for the rest.
func TestTry(t *testing.T) {
	t.Parallel()
	d, ctx := newService(t), t.Context()
	try := func(text string, secrets map[string]string) (hive.ChannelTest, error) {
		return d.Try(ctx, hive.ChannelTrial{Document: []byte(text), Secrets: secrets, By: "ada"})
	}
	const url = "https://oapi.dingtalk.com/robot/send?access_token=abc"
	got, err := try(channel, map[string]string{"url": url, "key": ""})
	require.NoError(t, err)
	assert.Equal(t, hive.ChannelTest{Sent: true, Detail: "chat 0 map[url:" + url + "]"}, got)
	_, err = try(channel, map[string]string{"url": "oapi.dingtalk.com"})
	assert.Equal(t, hive.ErrorSecretForm, reason(err))
	_, err = try(channel, map[string]string{"password": "x"})
	assert.Equal(t, hive.ErrorSecretUnknown, reason(err))
	_, err = try(channel+"colour: red\n", nil)
	assert.Equal(t, hive.ErrorUnread, reason(err))
	_, err = save(ctx, d, hive.KindChannel, "chat", channel)
	require.NoError(t, err)
	got, err = try(channel, nil)
	require.NoError(t, err)
	assert.Equal(t, "chat 1 map[]", got.Detail, "the id of the stored channel")
}
