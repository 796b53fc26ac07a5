package cli_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const alertFiles = `apiVersion: hivego/v1
kind: Alert
name: night
on: [failed, recovered]
channels: [mail]
---
apiVersion: hivego/v1
kind: Channel
name: mail
type: slack
`

// TestAlertFilters: each flag of the list reaches the server.
func TestAlertFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.AlertFilter
	w.AlertFilterF = func(f hive.AlertFilter) { got = f }
	o := w.hivego("alerts", "--open", "--taken", "--schedule", "night", "--batch", "7", "--limit", "3",
		"--since", "2026-05-01T00:00:00Z")
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	want := hive.AlertFilter{Open: true, Taken: true, Schedule: "night", Batch: 7, Since: at, Limit: 3}
	if o.code != 0 || !got.Since.Equal(at) {
		t.Fatalf("exit %d %q, since %v", o.code, o.stderr, got.Since)
	}
	if got.Since = at; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestAlertCommands: channels are saved before the rules that name them, and each command says what it did.
func TestAlertCommands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := w.hivego("apply", "-f", write(t, "alerts.yaml", alertFiles), "--note", "for the night")
	w.want(o, 0, "night: saved as revision 2\nnight: saved as revision 2\n", "")
	w.want(w.hivego("fmt", "-f", write(t, "alerts.yaml", alertFiles)), 0, alertFiles, "")
	const bad = "apiVersion: hivego/v1\nkind: Alert\nname: night\non: [lte]\n"
	w.want(w.hivego("apply", "-f", write(t, "bad.yaml", bad)), 2, "", "bad.yaml:4:6: error: on[0]: ")

	w.want(w.hivego("alerts"), 0,
		"failed  warehouse batch 7  yes   -         9         night  mail     sent   1      -", "")
	w.want(w.hivego("alerts", "--open"), 0, "8", "")
	w.want(w.hivego("alerts", "take", "8", "--note", "the disk"), 0, "8: you are on it\n", "")
	w.want(w.hivego("alerts", "take", "--batch", "7", "8"), 0, "7: you are on it\n8: you are on it\n", "")
	w.want(w.hivego("alerts", "release", "8"), 0, "8: nobody is on it\n", "")
	w.want(w.hivego("alerts", "release", "--batch", "7"), 0, "7: nobody is on it\n", "")
	w.want(w.hivego("alerts", "take", "none"), 2, "", "is not the number of an alert")
	w.want(w.hivego("alerts", "resend", "9"), 0, "9 is sent again\n", "")
	w.want(w.hivego("alerts", "-o", "json"), 0, `"deliveries":`, "")
	w.want(w.hivego("alerts", "rules"), 0, "night  2         failed  -          finance  mail", "")
	w.want(w.hivego("alerts", "export", "night"), 0, "name: night\n", "")
	w.want(w.hivego("alerts", "delete", "night"), 0, "night is deleted\n", "")
	w.want(w.hivego("alerts", "tries", "9"), 0, "yes    alert-1  200 OK", "")
	w.want(w.hivego("alerts", "tries", "x"), 2, "", "is not the number of a delivery")

	w.want(w.hivego("channels"), 0, "night  slack  2         en        url      night", "")
	w.want(w.hivego("channel", "export", "mail"), 0, "name: night\n", "")
	w.want(w.hivego("channel", "delete", "mail"), 0, "mail is deleted\n", "")
	w.want(w.hivego("channel", "test", "mail"), 0, "mail: sent; the service says: 200 OK\n", "")
	w.want(w.with(t.Context(), "https://hooks.slack.com/x\n", "channel", "secret", "mail", "url"), 0,
		"mail: url is set\n", "")
	w.want(w.hivego("channel", "secret", "mail", "url"), 2, "", "standard input is empty")
	w.want(w.hivego("channel", "secret", "mail", "url", "--remove"), 0, "mail: url is deleted\n", "")
	w.AlertsF = func() error {
		return hive.Errorf(hive.CodeNotFound, "there is none").
			WithReason(hive.ErrorNoDocument, "kind", hive.KindChannel)
	}
	w.want(w.hivego("channel", "test", "mail"), 2, "", "there is none; `hivego channels` lists them\n")
}
