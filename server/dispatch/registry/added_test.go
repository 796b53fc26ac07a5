package registry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Addresses that cannot be called, or not with these settings, are refused before anything is sent.
func TestCheckNew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n    hive.NewExecutor
		want hive.ErrorReason
	}{
		"loopback":         {hive.NewExecutor{Address: "127.0.0.1:9999"}, ""},
		"loopback by name": {hive.NewExecutor{Address: "localhost:9999", Name: "a", Group: "b", Slots: 3}, ""},
		"IPv6":             {hive.NewExecutor{Address: "[::1]:9999"}, ""},
		"elsewhere":        {hive.NewExecutor{Address: "10.0.0.1:9999", TLS: true, Token: "t"}, ""},
		"no port":          {hive.NewExecutor{Address: "127.0.0.1"}, hive.ErrorExecutorAddress},
		"port 0":           {hive.NewExecutor{Address: "127.0.0.1:0"}, hive.ErrorExecutorAddress},
		"a port by name":   {hive.NewExecutor{Address: "127.0.0.1:http"}, hive.ErrorExecutorAddress},
		"a path":           {hive.NewExecutor{Address: "127.0.0.1:80/x"}, hive.ErrorExecutorAddress},
		"no host":          {hive.NewExecutor{Address: ":9999"}, hive.ErrorExecutorAddress},
		"everywhere":       {hive.NewExecutor{Address: "0.0.0.0:9999"}, hive.ErrorExecutorAddress},
		"everywhere, IPv6": {hive.NewExecutor{Address: "[::]:9999"}, hive.ErrorExecutorAddress},
		"a group of machines": {
			hive.NewExecutor{Address: "224.0.0.1:9999", TLS: true, Token: "t"},
			hive.ErrorExecutorAddress,
		},
		"a host that steers": {
			hive.NewExecutor{Address: "a\x1b[2J:9999", TLS: true, Token: "t"},
			hive.ErrorExecutorAddress,
		},
		"cloud metadata": {
			hive.NewExecutor{Address: "169.254.169.254:80", Token: "t"},
			hive.ErrorExecutorNeedsTLS,
		},
		"mapped":              {hive.NewExecutor{Address: "[::ffff:10.0.0.1]:80"}, hive.ErrorExecutorNeedsTLS},
		"without a token":     {hive.NewExecutor{Address: "a.example:9999", TLS: true}, hive.ErrorExecutorNeedsToken},
		"a name with spaces":  {hive.NewExecutor{Address: "127.0.0.1:1", Name: "a b"}, hive.ErrorValue},
		"a token with breaks": {hive.NewExecutor{Address: "127.0.0.1:1", Token: "a\nb"}, hive.ErrorValue},
		"labels that steer": {
			hive.NewExecutor{Address: "127.0.0.1:1", Labels: map[string]string{"a": "\x1b"}},
			hive.ErrorValue,
		},
		"too many slots": {hive.NewExecutor{Address: "127.0.0.1:1", Slots: hivego.MAX_SLOTS + 1}, hive.ErrorValue},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := CheckNew(&c.n)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			var refused *hive.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, refused.Reason)
			assert.NotContains(t, err.Error(), "\x1b")
			assert.NotContains(t, err.Error(), "a\nb")
		})
	}
}

// Settings of a person override the stored ones, and both override the executor's description.
func TestNewExecutor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	plain := NewExecutor(&hive.NewExecutor{Address: "127.0.0.1:9"}, &fleet.Description{Slots: 1}, nil, now)
	assert.Equal(t, hive.Executor{
		ID: "at:127.0.0.1:9", Name: "127.0.0.1:9", Group: hive.DefaultGroup, Address: "127.0.0.1:9", Slots: 1,
		Origin: hive.OriginAddress, Labels: map[string]string{}, CreatedAt: now, SeenAt: now,
	}, plain)
	d := &fleet.Description{
		ID: "x", BootID: "b", Name: "said", Group: "said", Slots: 4,
		Labels: map[string]string{"a": "1", "b": "1"},
	}
	text := NewExecutor(&hive.NewExecutor{Address: "h:9", Labels: map[string]string{"b": "2"}}, d, nil, now)
	assert.Equal(t, []any{"x", "said", "said", 4, false},
		[]any{text.ID, text.Name, text.Group, text.Slots, text.SlotsByPerson})
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, text.Labels)
	known := &hive.Executor{
		Name: "known", Group: "known", BootID: "b", Drained: true, Offline: true,
		CreatedAt: now.Add(-time.Hour),
	}
	again := NewExecutor(&hive.NewExecutor{Address: "h:9", Group: "mine", Slots: 2}, d, known, now)
	assert.Equal(t, []any{"known", "mine", 2, true, true, true}, []any{
		again.Name, again.Group, again.Slots, again.SlotsByPerson, again.Drained, again.Offline,
	})
	assert.Equal(t, known.CreatedAt, again.CreatedAt)
}
