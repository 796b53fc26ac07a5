package secret_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/secret"
)

// store has one secret, DW, for the group etl.
type store struct {
	put       []hive.SecretChange
	deleted   []string
	documents map[string]string
	err       error
}

func (s *store) Secrets(context.Context) ([]hive.Secret, error) { return nil, s.err }

func (s *store) PutSecret(_ context.Context, c hive.SecretChange) (hive.Secret, error) {
	s.put = append(s.put, c)
	return hive.Secret{Name: c.Name}, s.err
}

func (s *store) DeleteSecret(_ context.Context, name string) error {
	s.deleted = append(s.deleted, name)
	return s.err
}

func (s *store) SecretValues(_ context.Context, names []string) ([]hive.SecretValue, error) {
	var out []hive.SecretValue
	for _, name := range names {
		if name == "DW" {
			out = append(out, hive.SecretValue{Secret: hive.Secret{Name: name, Groups: []string{"etl"}}, Value: "hush"})
		}
	}
	return out, s.err
}

func (s *store) DocumentsWithSecret(context.Context, string) (map[string]string, error) {
	return s.documents, s.err
}

func newService(s *store, log ...io.Writer) *secret.Service {
	return secret.New(secret.Config{
		Log:   slog.New(slog.NewJSONHandler(io.MultiWriter(log...), nil)),
		Store: s, Now: func() time.Time { return time.UnixMilli(5) },
		Parse: func(document string) (*hive.Definition, error) {
			if document == "unreadable" {
				return nil, errors.New("unreadable")
			}
			params := map[string]any{"env": map[string]any{"A": document}}
			return &hive.Definition{Jobs: []hive.Job{{Tasks: []hive.Task{{Params: params}}}}}, nil
		},
	})
}

func TestSet(t *testing.T) {
	t.Parallel()
	st := &store{}
	s := newService(st)
	value := "correct horse"
	_, err := s.Set(t.Context(), hive.SecretChange{Name: "DW", Value: &value, Groups: []string{"etl"}, By: "ada"})
	require.NoError(t, err)
	assert.Equal(t, time.UnixMilli(5).UTC(), st.put[0].At)
	for name, c := range map[string]hive.SecretChange{
		"name":        {Name: "a-b", Value: &value},
		"number":      {Name: "1a", Value: &value},
		"long name":   {Name: strings.Repeat("a", 64), Value: &value},
		"no value":    {Name: "A", Value: new("")},
		"NUL":         {Name: "A", Value: new("hidden\x00")},
		"no UTF-8":    {Name: "A", Value: new("hidden\xff")},
		"long value":  {Name: "A", Value: new("hidden" + strings.Repeat("x", hive.MaxSecret))},
		"two lines":   {Name: "A", Value: &value, Groups: []string{"a\nb"}},
		"empty group": {Name: "A", Value: &value, Groups: []string{""}},
		"many groups": {Name: "A", Value: &value, Groups: make([]string, 101)},
	} {
		_, err := s.Set(t.Context(), c)
		require.Equal(t, hive.CodeInvalid, hive.CodeOf(err), name)
		assert.NotContains(t, err.Error(), "hidden")
	}
	assert.Len(t, st.put, 1)
}

// A secret in use is deleted only by force. A document that only looks like it does not count.
func TestDelete(t *testing.T) {
	t.Parallel()
	st := &store{documents: map[string]string{
		"uses": "${{ secrets.DW }}", "other": "${{ secrets.DW2 }}", "text": "$${{ secrets.DW }}",
		"broken": "unreadable",
	}}
	s := newService(st)
	err := s.Delete(t.Context(), "DW", "ada", false)
	require.Equal(t, hive.CodeConflict, hive.CodeOf(err))
	require.ErrorContains(t, err, "broken, uses;")
	assert.Empty(t, st.deleted)
	require.NoError(t, s.Delete(t.Context(), "DW", "ada", true))
	st.documents = nil
	require.NoError(t, s.Delete(t.Context(), "DW", "ada", false))
	assert.Equal(t, []string{"DW", "DW"}, st.deleted)
}

func TestFetch(t *testing.T) {
	t.Parallel()
	st := &store{}
	s := newService(st)
	for _, c := range []struct{ group, name, words string }{
		{"etl", "DW", ""},
		{"default", "DW", "executors of group default may not have the secret DW"},
		{"etl", "NONE", "there is no secret NONE"},
	} {
		values, refusal, err := s.Fetch(t.Context(), c.group, []string{c.name})
		require.NoError(t, err)
		assert.Contains(t, refusal.Text, c.words)
		assert.Equal(t, c.words == "", values["DW"] == "hush" && refusal.Text == "")
	}
	st.err = errors.New("away")
	_, _, err := s.Fetch(t.Context(), "etl", []string{"DW"})
	require.Error(t, err)
	st.err = hive.Errorf(hive.CodeConflict, "the secret DW cannot be decrypted")
	_, refusal, err := s.Fetch(t.Context(), "etl", []string{"DW"})
	require.NoError(t, err) // offering it again would not help
	assert.Equal(t, "the secret DW cannot be decrypted", refusal.Text)
	v := hive.SecretValue{Secret: hive.Secret{Name: "DW"}, Value: "hush"}
	data, err := json.Marshal(v)
	require.NoError(t, err)
	assert.NotContains(t, v.String()+v.GoString()+string(data), "hush")
}

// The log says who changed what, and never a value.
func TestLog(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := newService(&store{}, &log)
	_, err := s.Set(t.Context(), hive.SecretChange{Name: "DW", Value: new("hidden"), By: "ada"})
	require.NoError(t, err)
	require.NoError(t, s.Delete(t.Context(), "DW", "bob", true))
	for _, part := range []string{
		`"msg":"a secret was set","secret":"DW","by":"ada","value":true`,
		`"msg":"a secret was deleted","secret":"DW","by":"bob","force":true`,
	} {
		assert.Contains(t, log.String(), part)
	}
	assert.NotContains(t, log.String(), "hidden")
}
