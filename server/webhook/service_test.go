package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/webhook"
)

func now() time.Time { return time.Date(2026, 5, 1, 3, 20, 0, 123e6, time.UTC) }

// world is a store with one schedule, files, and one webhook, ready.
type world struct {
	def     hive.Definition
	secrets []hive.WebhookSecret
	until   time.Time
	calls   []hive.WebhookCall
	called  int
	down    error
}

func (w *world) Schedule(_ context.Context, name string) (hive.Schedule, error) {
	if name != "files" {
		return hive.Schedule{}, hive.Errorf(hive.CodeNotFound, "there is no schedule %s", name)
	}
	return hive.Schedule{ID: 7, Name: name, Revision: 1}, w.down
}

// ScheduleEverNamed knows the schedule files also by its former name, papers.
func (w *world) ScheduleEverNamed(ctx context.Context, name string) (hive.Schedule, error) {
	if name == "papers" {
		name = "files"
	}
	return w.Schedule(ctx, name)
}

func (w *world) RevisionAt(context.Context, int64, int64) (hive.Revision, error) {
	text, err := json.Marshal(w.def)
	return hive.Revision{Document: string(text)}, err
}

func (w *world) AddWebhookSecret(_ context.Context, s hive.WebhookSecret, until time.Time) error {
	w.secrets, w.until = append([]hive.WebhookSecret{s}, w.secrets...), until
	return nil
}

func (w *world) WebhookSecrets(context.Context, int64, time.Time) ([]hive.WebhookSecret, error) {
	return w.secrets, nil
}

func (w *world) AddWebhookCall(_ context.Context, c hive.WebhookCall) (hive.WebhookCall, bool, error) {
	for _, old := range w.calls {
		if c.Key != "" && old.Key == c.Key {
			return old, true, nil
		}
	}
	w.calls = append(w.calls, c)
	return c, false, nil
}

func (w *world) LastCalls(context.Context, int64) ([]hive.WebhookView, error) {
	return []hive.WebhookView{{Name: "ready", LastAt: now(), Pending: 2}}, nil
}

// New makes the secrets s1, s2 and so on.
func (w *world) New() string             { return fmt.Sprintf("s%d", len(w.secrets)+1) }
func (w *world) Hash(text string) string { return "hash of " + text }

func begin() (*world, *webhook.Service) {
	w := &world{def: hive.Definition{
		Params: map[string]any{"region": "east", "day": 1},
		Triggers: []hive.Trigger{
			{Cron: "@daily"},
			{Webhook: "ready", Accept: map[string]string{"region": "/order/0/region", "day": "/a~1b"}},
			{Webhook: "plain"},
		},
	}}
	return w, webhook.New(webhook.Config{
		Store: w, Secrets: w, Now: now, Called: func(int64) { w.called++ },
		Parse: func(text string) (*hive.Definition, error) {
			var def hive.Definition
			return &def, json.Unmarshal([]byte(text), &def)
		},
	})
}

func request(name, secret, body string) hive.WebhookRequest {
	return hive.WebhookRequest{Schedule: "files", Webhook: name, Secret: secret, Body: []byte(body)}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	w, s := begin()
	ask := hive.WebhookSecretRequest{Schedule: "files", Webhook: "ready", By: "ada", Overlap: 24 * time.Hour}
	text, err := s.NewSecret(t.Context(), ask)
	if err != nil || text != "s1" {
		t.Fatal(text, err)
	}
	want := hive.WebhookSecret{ScheduleID: 7, Webhook: "ready", Hash: "hash of s1", CreatedAt: now(), CreatedBy: "ada"}
	if !reflect.DeepEqual(w.secrets[0], want) || !w.until.Equal(now().Add(24*time.Hour)) {
		t.Errorf("%+v until %s", w.secrets[0], w.until)
	}
	list, err := s.List(t.Context(), "files")
	if err != nil || len(list) != 2 || list[0].Pending != 2 || len(list[0].Secrets) != 1 || list[1].Secrets != nil {
		t.Errorf("%+v, %v", list, err)
	}
	for name, c := range map[string]struct {
		change func(*hive.WebhookSecretRequest)
		code   hive.Code
	}{
		"an unknown schedule": {func(r *hive.WebhookSecretRequest) { r.Schedule = "gone" }, hive.CodeNotFound},
		"an unknown webhook":  {func(r *hive.WebhookSecretRequest) { r.Webhook = "gone" }, hive.CodeNotFound},
		"no webhook":          {func(r *hive.WebhookSecretRequest) { r.Webhook = "" }, hive.CodeNotFound},
		"a long overlap":      {func(r *hive.WebhookSecretRequest) { r.Overlap = 721 * time.Hour }, hive.CodeInvalid},
		"a negative overlap":  {func(r *hive.WebhookSecretRequest) { r.Overlap = -1 }, hive.CodeInvalid},
	} {
		r := ask
		c.change(&r)
		if _, err := s.NewSecret(t.Context(), r); hive.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	w, s := begin()
	for _, name := range []string{"ready", "plain"} {
		if _, err := s.NewSecret(t.Context(), hive.WebhookSecretRequest{Schedule: "files", Webhook: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, secret, body string
		want               string // parameters, or the reason of the refusal
	}{
		{"ready", "s1", `{"order":[{"region":"west"}],"a/b":20261125}`, "map[day:20261125 region:west]"},
		{"ready", "s1", `{"order":[{"region":7}],"a/b":"12"}`, "map[day:12 region:7]"},
		{"ready", "s1", `{"order":[],"a/b":null,"more":{}}`, "map[]"},
		{"ready", "s1", `[]`, "map[]"},
		{"ready", "s1", " ", "map[]"},
		{"ready", "s1", `{"order":{"0":{"region":"object"}}}`, "map[region:object]"},
		{"ready", "s1", `{"order":[{"region":"west"}]} {}`, "webhook_body"},
		{"ready", "s1", strings.Repeat("[", 100_000), "webhook_body"},
		{"ready", "s1", `region=west`, "webhook_body"},
		{"ready", "s1", `{"a/b":"monday"}`, "params_faults"},
		{"ready", "s1", `{"a/b":{"x":1}}`, "params_faults"},
		{"plain", "s2", `region=west`, "map[]"},
		{"plain", "s1", ``, "webhook_secret_wrong"},
		{"ready", "", ``, "webhook_secret_wrong"},
		{"gone", "s1", ``, "webhook_secret_wrong"},
	} {
		before := w.called
		call, _, err := s.Call(t.Context(), request(c.name, c.secret, c.body))
		got := fmt.Sprint(call.Params)
		if err != nil {
			var e *hive.Error
			if !asError(err, &e) {
				t.Fatal(err)
			}
			got = string(e.Reason)
		}
		if got != c.want || (w.called == before) != (err != nil) {
			t.Errorf("%s with %.40q: %s, want %s", c.name, c.body, got, c.want)
		}
	}
	r := request("ready", "s1", "")
	r.Schedule = "gone"
	if _, _, err := s.Call(t.Context(), r); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("an unknown schedule: %v", err)
	}
	w.down = hive.Errorf(hive.CodeUnavailable, "the database is down")
	if _, _, err := s.Call(t.Context(), request("ready", "s1", "")); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("without a database: %v", err)
	}
	w.down = nil
	w.def.Triggers = w.def.Triggers[:1]
	if _, _, err := s.Call(t.Context(), request("ready", "s1", "")); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("a webhook that was removed: %v", err)
	}
}

// TestRepeatedCalls: a call that is repeated with its key is one call. The ticker is notified again, because the server
// may have died before it was.
func TestRepeatedCalls(t *testing.T) {
	t.Parallel()
	w, s := begin()
	if _, err := s.NewSecret(t.Context(), hive.WebhookSecretRequest{Schedule: "files", Webhook: "plain"}); err != nil {
		t.Fatal(err)
	}
	r := request("plain", "s1", "")
	r.Key = "k"
	for i := range 2 {
		if _, again, err := s.Call(t.Context(), r); err != nil || again != (i == 1) {
			t.Error(again, err)
		}
	}
	if len(w.calls) != 1 || w.called != 2 {
		t.Errorf("%d calls, %d notices", len(w.calls), w.called)
	}
}

func asError(err error, e **hive.Error) bool {
	found, ok := err.(*hive.Error) //nolint:errorlint // the service returns it as it is
	*e = found
	return ok
}
