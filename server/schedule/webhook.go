package schedule

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// calls lists the calls of the schedule's webhooks that have no tick yet. A call of a webhook that the newest revision
// does not have is decided, too: it is skipped.
func (l *lookout) calls(p *Period) []candidate {
	if l.t.config.Calls == nil || !l.t.waits.called[l.e.row.ID] || l.err != nil {
		return nil
	}
	list, err := l.t.config.Calls.PendingCalls(l.ctx, l.e.row.ID, mostFollowed)
	if l.fail(err) {
		return nil
	}
	w := &l.e.wait
	w.calls = len(list) < mostFollowed
	l.more = l.more || !w.calls
	out := make([]candidate, 0, len(list))
	for i := range list {
		c := candidate{
			Moment: Moment{At: list[i].Moment, Trigger: hive.WebhookTrigger(list[i].Webhook)}, period: p, follows: true,
			called: true, params: list[i].Params, gone: true,
		}
		for j := range p.Definition.Triggers {
			c.gone = c.gone && p.Definition.Triggers[j].Webhook != list[i].Webhook
		}
		out = append(out, c)
	}
	return out
}

// Codes of the faults that only webhooks can have.
const (
	codeBadWebhook = "bad_webhook"
	codeBadAccept  = "bad_accept"
)

// webhookName is the form of the name of a webhook, which stands in its address.
var webhookName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// pointerForm is the form of a JSON pointer (RFC 6901) to a part of a document.
var pointerForm = regexp.MustCompile(`^(/([^~/]|~0|~1)*)+$`)

// longestPointer bounds a JSON pointer, in bytes.
const longestPointer = 256

// checkWebhookNames finds webhooks of one name.
func checkWebhookNames(def *hive.Definition) []hive.Fault {
	var faults []hive.Fault
	seen := map[string]bool{}
	for i := range def.Triggers {
		name := def.Triggers[i].Webhook
		if name != "" && seen[name] {
			faults = append(faults, parseErrorf("give it another name", "the webhook %q stands here twice", name).
				withReason(ReasonWebhookTwice, "value", name).
				fault(codeBadWebhook, fmt.Sprintf("triggers[%d].webhook", i)))
		}
		seen[name] = true
	}
	return faults
}

// checkWebhook checks a trigger that is a webhook, and reports whether it is one.
func (c *triggerCheck) checkWebhook() bool {
	t := c.trigger
	if t.Webhook == "" {
		if len(t.Accept) > 0 {
			c.add(codeBadAccept, "accept", parseErrorf("add webhook, or remove it", "only a webhook has accept").
				withReason(ReasonAcceptUnused))
		}
		return false
	}
	if !webhookName.MatchString(t.Webhook) {
		name := hive.Clean(t.Webhook, longestPoint)
		c.add(codeBadWebhook, "webhook", parseErrorf(
			"write lower-case letters, digits and hyphens, at most 63, such as files-ready",
			"%q cannot be the name of a webhook", name).withReason(ReasonWebhookName, "value", name))
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"cron", t.Cron != ""},
		{"at", t.At != ""},
		{"start", t.Start != ""},
		{"end", t.End != ""},
		{"every", t.Every != 0},
		{"from", t.From != ""},
		{"jitter", t.Jitter != 0},
		{"dst", t.DST != hive.DST{}},
		{"after", len(t.After) > 0},
		{"serial", t.Serial},
		{"calendar", t.Calendar != hive.TriggerCalendar{}},
	} {
		if f.set {
			c.add(codeBadTrigger, f.name, parseErrorf("write a trigger of its own for it, or remove it",
				"a webhook has no %s", f.name).withReason(ReasonWebhookField, "field", f.name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Accept)) {
		pointer, field := t.Accept[name], "accept."+name
		if _, ok := c.params[name]; !ok {
			c.add(codeBadAccept, field, parseErrorf("add it to params with a default, or remove it",
				"the schedule has no parameter %q", hive.Clean(name, longestPoint)).
				withReason(ReasonAcceptUnknown, "value", hive.Clean(name, longestPoint)))
		}
		if len(pointer) > longestPointer || !pointerForm.MatchString(pointer) {
			c.add(codeBadAccept, field, parseErrorf("write the way to a value in the body, such as /order/region",
				"%q is no JSON pointer", hive.Clean(pointer, longestPoint)).
				withReason(ReasonAcceptPointer, "value", hive.Clean(pointer, longestPoint)))
		}
	}
	return true
}
