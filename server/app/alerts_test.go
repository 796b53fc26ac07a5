package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/hive"
)

// A task that fails on a real server is reported on a real channel, with the error and a link.
func TestAlertOfAFailure(t *testing.T) {
	t.Parallel()
	type body struct {
		Title, Text string
		Events      []struct {
			Kind, Schedule, Title, Task, Error, Link string
			Tags, Owners                             []string
		}
	}
	got := make(chan body, 10)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		var b body
		if err == nil && r.Header.Get(channel.HeaderSignature) != "" && json.Unmarshal(raw, &b) == nil {
			got <- b
		}
	}))
	t.Cleanup(web.Close)
	a := newApp(t, settings(filepath.Join(t.TempDir(), "data"), true))
	require.NoError(t, a.Start(t.Context()))
	ctx := t.Context()
	const head = "apiVersion: hivego/v1\n"
	_, err := a.alerts.manage.Save(ctx, hive.KindChannel, hive.SaveRequest{
		Name: "hook", Document: []byte(head + "kind: Channel\nname: hook\ntype: webhook\nhttp: {url: \"" +
			web.URL + "\"}\n"),
	})
	require.NoError(t, err)
	require.NoError(t, a.alerts.manage.SetSecrets(ctx, "hook", map[string]string{"key": "secret"}, "ada"))
	_, err = a.alerts.manage.Save(ctx, hive.KindAlert, hive.SaveRequest{Name: "night", Document: []byte(head +
		"kind: Alert\nname: night\non: [failed]\ntags: [finance]\nchannels: [hook]\ngroup: 0s\n")})
	require.NoError(t, err)
	value := "correct horse"
	_, err = a.secrets.Set(ctx, hive.SecretChange{Name: "KEY", Value: &value})
	require.NoError(t, err)
	_, err = a.catalog.Save(ctx, hive.SaveRequest{Name: "load", Document: []byte(head + `kind: Schedule
name: load
title: 数据
tags: [finance]
owners: [ada@example.com]
jobs:
  - key: a
    tasks:
      - key: t
        handler: shell
        params: {command: "echo the table $KEY is gone >&2; exit 3", env: {KEY: "${{ secrets.KEY }}"}}
`)})
	require.NoError(t, err)
	b, err := a.batches.Create(ctx, hive.RunRequest{Schedule: "load", By: "ada"})
	require.NoError(t, err)
	select {
	case m := <-got:
		assert.Equal(t, "数据 (load): batch 1 failed", m.Title)
		require.Len(t, m.Events, 1)
		e := m.Events[0]
		assert.Equal(t, []string{"failed", "load", "数据", "t"}, []string{e.Kind, e.Schedule, e.Title, e.Task})
		assert.Equal(t, []string{"finance"}, e.Tags)
		assert.Equal(t, []string{"ada@example.com"}, e.Owners)
		assert.Equal(t, "exit code 3: the table *** is gone", e.Error)
		for _, text := range []string{e.Error, m.Title, m.Text} {
			assert.NotContains(t, text, value, "the value of a secret")
		}
		assert.Equal(t, a.page()+"/batches/1?task=t", e.Link)
		assert.Equal(t, int64(1), b.Batch.ID)
	case <-time.After(30 * time.Second):
		t.Fatal("nobody was reported")
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		log, err := a.alerts.manage.Events(ctx, hive.AlertFilter{Limit: 10})
		require.NoError(c, err)
		require.Len(c, log, 1)
		require.Len(c, log[0].Deliveries, 1)
		assert.Equal(c, hive.DeliverySent, log[0].Deliveries[0].State)
	}, 10*time.Second, 20*time.Millisecond)
}
