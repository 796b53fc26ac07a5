package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// The route of webhooks takes any body and its own secret, and nothing of a session.
func TestCallWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.WebhookRequest
	w.CallF = func(r hive.WebhookRequest) (hive.WebhookCall, bool, error) {
		got = r
		if r.Secret != "hgw_s" {
			return hive.WebhookCall{}, false, hive.Errorf(hive.CodeUnauthorized, "the secret is wrong")
		}
		return hive.WebhookCall{Moment: apitest.T0}, r.Key != "", nil
	}
	post := func(headers map[string]string, body string) (int, string) {
		a := w.do(call{http.MethodPost, "/hooks/files/ready", body, headers})
		return a.StatusCode, string(a.body)
	}
	bearer := map[string]string{"Authorization": "Bearer hgw_s", "Content-Type": "text/plain", "Cookie": ""}
	if status, body := post(bearer, "a=b"); status != http.StatusAccepted ||
		!strings.Contains(body, apitest.T0.Format("2006-01-02T15:04:05.000Z")) || string(got.Body) != "a=b" ||
		got.Schedule != "files" || got.Webhook != "ready" || got.Key != "" {
		t.Errorf("%d %s: %+v", status, body, got)
	}
	bearer["Idempotency-Key"] = "k1"
	if _, body := post(bearer, ""); !strings.Contains(body, `"again":true`) || got.Key != "k1" {
		t.Errorf("%s: %+v", body, got)
	}
	gitlab := map[string]string{
		"X-Gitlab-Token": "hgw_s", "X-Gitlab-Event-UUID": "u1", "Content-Type": "application/json",
	}
	if status, _ := post(gitlab, "{}"); status != http.StatusAccepted || got.Key != "u1" {
		t.Errorf("%d %+v", status, got)
	}
	bearer["Idempotency-Key"] = "two words"
	if status, body := post(bearer, ""); status != http.StatusBadRequest || !strings.Contains(body, "key_invalid") {
		t.Errorf("%d %s", status, body)
	}
	if a := w.do(call{http.MethodGet, "/hooks/files/ready", "", nil}); a.StatusCode != http.StatusMethodNotAllowed ||
		a.Header.Get("Allow") != "POST" {
		t.Errorf("%d %s", a.StatusCode, a.Header.Get("Allow"))
	}
	wrong := map[string]string{"Authorization": "Bearer guess"}
	for range 20 {
		if status, _ := post(wrong, ""); status != http.StatusUnauthorized {
			t.Fatal(status)
		}
	}
	if status, body := post(wrong, ""); status != http.StatusTooManyRequests {
		t.Errorf("%d %s", status, body)
	}
	delete(bearer, "Idempotency-Key")
	if status, _ := post(bearer, ""); status != http.StatusAccepted {
		t.Errorf("the right secret after guesses: %d", status)
	}
}

func TestWebhookSecretRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.WebhookSecretRequest
	w.WebhookSecretF = func(r hive.WebhookSecretRequest) (string, error) { got = r; return "hgw_s", nil }
	a := w.do(call{
		http.MethodPost, "/api/v1/schedules/files/webhooks/ready/secrets", `{"overlapHours":2}`, nil,
	})
	if got.Schedule != "files" || got.Webhook != "ready" || got.Overlap != 2*time.Hour || got.By == "" ||
		!strings.Contains(string(a.body), "/hooks/files/ready") {
		t.Errorf("%s: %+v", a.body, got)
	}
}
