package manage_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/connection/manage"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const dw = `apiVersion: hivego/v1
kind: Connection
name: dw
type: postgres
host: db
database: dw
user: etl
password: "${{ secrets.DW }}"
groups: [etl]
`

// world is a store, a vault and the executors.
type world struct {
	rows      map[string]hive.StoredConnection
	documents map[string]string
	err       error
	executors []hive.ExecutorView
	end       hive.BatchView
	waited    error
	started   *hive.Definition
	forgotten bool
}

func (w *world) Connections(context.Context) ([]hive.StoredConnection, error) {
	var out []hive.StoredConnection
	for _, r := range w.rows {
		out = append(out, r)
	}
	return out, w.err
}

func (w *world) ConnectionsNamed(_ context.Context, names []string) ([]hive.StoredConnection, error) {
	var out []hive.StoredConnection
	for _, name := range names {
		if r, ok := w.rows[name]; ok {
			out = append(out, r)
		}
	}
	return out, w.err
}

func (w *world) SaveConnection(_ context.Context, in hive.SaveConnection) (hive.StoredConnection, bool, error) {
	r := hive.StoredConnection{Name: in.Name, Document: in.Document, Hash: in.Hash, Revision: 1, UpdatedBy: in.By}
	w.rows[in.Name] = r
	return r, true, w.err
}

func (w *world) DeleteConnection(_ context.Context, name string) error {
	delete(w.rows, name)
	return w.err
}

func (w *world) NewestDocuments(context.Context, string) (map[string]string, error) {
	return w.documents, w.err
}

func (w *world) List(context.Context) ([]hive.Secret, error) {
	return []hive.Secret{{Name: "DW", Groups: []string{"etl"}}}, w.err
}

func (w *world) Fetch(_ context.Context, group string, names []string) (map[string]string, hive.Sentence, error) {
	if group != "etl" || names[0] != "DW" {
		return nil, hive.Plain("no " + names[0]), nil
	}
	return map[string]string{"DW": "hidden"}, hive.Sentence{}, w.err
}

func (w *world) Executors(context.Context) ([]hive.ExecutorView, error) { return w.executors, w.err }

func (w *world) Start(_ context.Context, def *hive.Definition, _ string) (hive.BatchView, error) {
	w.started = def
	return hive.BatchView{Batch: hive.Batch{ID: 7}}, w.err
}

func (w *world) Wait(context.Context, int64) (hive.BatchView, error) { return w.end, w.waited }

func (w *world) Forget(context.Context, hive.BatchView, string, string) error {
	w.forgotten = true
	return errors.New("away")
}

func newWorld(log *strings.Builder) (*world, *manage.Service) {
	w := &world{rows: map[string]hive.StoredConnection{}}
	return w, manage.New(manage.Config{
		Store: w, Secrets: w, Trials: w, Now: func() time.Time { return time.UnixMilli(5) },
		Parse: func(text string) (*hive.Definition, error) {
			doc, _ := document.Parse([]byte(text), document.Options{Stored: true})
			if doc == nil {
				return nil, errors.New("unreadable")
			}
			return doc.Definition, nil
		},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

func save(t *testing.T, s *manage.Service, text string) {
	t.Helper()
	_, rest, _ := strings.Cut(text, "\nname: ")
	name, _, _ := strings.Cut(rest, "\n")
	_, err := s.Save(t.Context(), hive.SaveRequest{Name: name, Document: []byte(text), By: "ada"})
	require.NoError(t, err)
}

func TestSave(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w, s := newWorld(&log)
	save(t, s, dw)
	assert.Equal(t, dw, w.rows["dw"].Document)
	assert.Contains(t, log.String(), `msg="a connection was saved" connection=dw by=ada revision=1 groups=[etl]`)
	for name, c := range map[string]struct{ from, to, words string }{
		"clear password": {`"${{ secrets.DW }}"`, "hidden", "nothing was saved"},
		"other name":     {"name: dw", "name: lake", `the document is "lake"`},
		"other kind":     {"kind: Connection", "kind: Channel", "nothing was saved"},
		"unknown field":  {"user: etl", "usr: etl", "nothing was saved"},
	} {
		text := strings.Replace(dw, c.from, c.to, 1)
		_, err := s.Save(t.Context(), hive.SaveRequest{Name: "dw", Document: []byte(text)})
		require.ErrorContains(t, err, c.words, name)
		assert.NotContains(t, err.Error(), "hidden")
	}
}

const schedule = `apiVersion: hivego/v1
kind: Schedule
name: nightly
jobs:
  - key: a
    tasks:
      - {key: a, handler: sql, params: {connection: NAME, statement: "SELECT 1"}}
`

// A connection in use is deleted only by force. Its secret is one that connections use.
func TestDelete(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w, s := newWorld(&log)
	save(t, s, dw)
	names, err := s.WithSecret(t.Context(), "DW")
	require.NoError(t, err)
	assert.Equal(t, []string{"dw"}, names)
	w.documents = map[string]string{
		"nightly": strings.Replace(schedule, "NAME", "dw", 1), "other": strings.Replace(schedule, "NAME", "dw2", 1),
		"broken": "{",
	}
	v, err := s.Get(t.Context(), "dw")
	require.NoError(t, err)
	assert.Equal(t, []string{"broken", "nightly"}, v.UsedBy)
	err = s.Delete(t.Context(), "dw", "bob", false)
	require.Equal(t, hive.CodeConflict, hive.CodeOf(err))
	require.ErrorContains(t, err, "broken, nightly;")
	require.NoError(t, s.Delete(t.Context(), "dw", "bob", true))
	assert.Contains(t, log.String(), `msg="a connection was deleted" connection=dw by=bob force=true`)
	require.Equal(t, hive.CodeNotFound, hive.CodeOf(s.Delete(t.Context(), "dw", "bob", true)))
}

// Who gets what: nobody but executors of an allowed group over a private way gets more than a name.
func TestFetch(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w, s := newWorld(&log)
	save(t, s, dw)
	w.rows["broken"] = hive.StoredConnection{Name: "broken", Document: "{"}
	w.rows["free"] = hive.StoredConnection{Name: "free", Document: "apiVersion: hivego/v1\nkind: Connection\n" +
		"name: free\ntype: sqlite\ndatabase: a.db\n"}
	w.rows["torn"] = hive.StoredConnection{Name: "torn", Document: strings.ReplaceAll(dw, "DW }}", "GONE }}")}
	for _, c := range []struct {
		group   string
		private bool
		name    string
		refusal string
	}{
		{"etl", true, "dw", ""},
		{"default", true, "free", ""},
		{"default", true, "dw", "executors of group default may not have the connection dw"},
		{"etl", false, "dw", "which speaks no TLS"},
		{"default", false, "free", "which speaks no TLS"},
		{"etl", true, "torn", "no GONE"},
		{"etl", true, "broken", "cannot be read any more"},
	} {
		got, err := s.Fetch(t.Context(), &hive.Executor{Name: "x", Group: c.group}, c.private, []string{c.name, "none"})
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.Equal(t, c.name, got[0].Name)
		if c.refusal != "" {
			assert.Contains(t, got[0].Refusal.Text, c.refusal)
			assert.Empty(t, got[0].Password+got[0].Host+got[0].Database+got[0].User, c)
			continue
		}
		assert.Empty(t, got[0].Refusal.Text)
		assert.Equal(t, c.name == "dw", got[0].Password == "hidden")
		assert.NotContains(t, got[0].String()+got[0].GoString(), "hidden")
	}
	w.err = errors.New("away")
	_, err := s.Fetch(t.Context(), &hive.Executor{Group: "etl"}, true, []string{"dw"})
	require.Error(t, err)
}

func TestTest(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w, s := newWorld(&log)
	save(t, s, dw)
	_, err := s.Test(t.Context(), "dw", "", "ada")
	require.ErrorContains(t, err, "no executor of etl is online and offers the handler sql")
	offers := []hive.Handler{{Name: "sql"}}
	w.executors = []hive.ExecutorView{
		{Executor: hive.Executor{Name: "a", Group: "default", Handlers: offers}, State: hive.ExecutorOnline},
		{Executor: hive.Executor{Name: "b", Group: "etl", Handlers: offers}, State: hive.ExecutorSilent},
		{Executor: hive.Executor{Name: "c", Group: "etl", Handlers: offers, Offline: true}, State: hive.ExecutorOnline},
		{Executor: hive.Executor{Name: "d", Group: "etl"}, State: hive.ExecutorOnline},
	}
	_, err = s.Test(t.Context(), "dw", "etl", "ada")
	require.Equal(t, hive.CodeConflict, hive.CodeOf(err))
	_, err = s.Test(t.Context(), "dw", "default", "ada")
	require.ErrorContains(t, err, "its groups are etl")
	_, err = s.Test(t.Context(), "none", "", "ada")
	require.Equal(t, hive.CodeNotFound, hive.CodeOf(err))

	w.executors = append(w.executors, hive.ExecutorView{
		Executor: hive.Executor{Name: "e", Group: "etl", Handlers: offers}, State: hive.ExecutorOnline,
	})
	run := hive.RunView{Executor: "e", Error: "connect to:\n\tsome\n\tno\n"}
	run.StartedAt, run.FinishedAt = time.UnixMilli(10), time.UnixMilli(30)
	w.end = hive.BatchView{Batch: hive.Batch{ID: 7, State: hive.BatchFailed}, Runs: []hive.RunView{run}}
	got, err := s.Test(t.Context(), "dw", "", "ada")
	require.NoError(t, err)
	assert.Equal(t, hive.ConnectionTest{
		Detail: "connect to: no", Group: "etl", Executor: "e", Took: 20 * time.Millisecond, Batch: 7,
	}, got)
	assert.True(t, w.forgotten)
	task := w.started.Jobs[0].Tasks[0]
	assert.Equal(t, "dw", task.Params["connection"])
	assert.Equal(t, "etl", task.Group)

	w.end.Batch.State, w.end.Runs[0].Error = hive.BatchSucceeded, ""
	got, err = s.Test(t.Context(), "dw", "etl", "ada")
	require.NoError(t, err)
	assert.True(t, got.OK)

	w.end, w.waited = hive.BatchView{Batch: hive.Batch{ID: 7, State: hive.BatchRunning}}, context.DeadlineExceeded
	got, err = s.Test(t.Context(), "dw", "etl", "ada")
	require.NoError(t, err)
	assert.False(t, got.OK)
	assert.Contains(t, got.Detail, "no result within 40s")
}
