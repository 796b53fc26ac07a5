package http_test

import (
	"net/http"
	"testing"
)

// Requests carry the trace context of the attempt, unless the task sets its own. Other hosts do not get it.
func TestTraceParent(t *testing.T) {
	t.Parallel()
	const parent = "00-55cf0ff2ff003335d5f0999f207ee1ce-1f8b6d06ab13487f-01"
	b := newBench(t)
	for name, c := range map[string]struct {
		env, headers map[string]string
		redirect     bool
		want         string
	}{
		"context": {env: map[string]string{"TRACEPARENT": parent}, want: parent},
		"none":    {},
		"the task's own": {
			env: map[string]string{"TRACEPARENT": parent}, headers: map[string]string{"traceparent": "mine"},
			want: "mine",
		},
		"redirected": {env: map[string]string{"TRACEPARENT": parent}, redirect: true, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := newSite(t, respond("{}"))
			s := newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				if c.redirect {
					http.Redirect(w, r, other.URL, http.StatusFound)
				}
			})
			params := map[string]any{"url": s.URL}
			if c.headers != nil {
				params["headers"] = c.headers
			}
			task := b.task(params)
			task.Env = c.env
			if err := b.h.Run(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			asked := s
			if c.redirect {
				asked = other
			}
			if got := asked.header("Traceparent"); got != c.want {
				t.Errorf("traceparent %q", got)
			}
		})
	}
}
