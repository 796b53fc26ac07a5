package alert_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/hive"
)

// at reads a time of a test.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return v
}

// rule is a valid rule for all schedules.
func rule(change func(*hive.AlertDefinition)) *hive.AlertDefinition {
	def := &hive.AlertDefinition{
		Name: "night", On: []hive.AlertKind{hive.AlertFailed, hive.AlertRecovered}, Channels: []string{"mail"},
	}
	if change != nil {
		change(def)
	}
	return def
}

// found lists faults as "path: code".
func found(faults []hive.Fault) []string {
	out := []string{}
	for i := range faults {
		out = append(out, faults[i].Path+": "+faults[i].Code)
	}
	slices.Sort(out)
	return out
}

func TestCheckRule(t *testing.T) {
	t.Parallel()
	second := hive.Duration(-time.Second)
	for name, x := range map[string]struct {
		change func(*hive.AlertDefinition)
		want   []string
	}{
		"good": {nil, []string{}},
		"empty": {
			func(d *hive.AlertDefinition) { d.On, d.Channels = nil, nil },
			[]string{"channels: missing_field", "on: missing_field"},
		},
		"all faults at once": {func(d *hive.AlertDefinition) {
			d.On = append(d.On, "faild", hive.AlertFailed)
			d.Channels = append(d.Channels, "none")
			d.Timezone, d.Deadline, d.Wait, d.Group, d.Repeat = "Mars", "25:00", 1, &second, second
			d.Quiet = []hive.Quiet{{From: "7", To: "08:00", Days: []string{"monday"}}}
		}, []string{
			"channels[1]: unknown_channel", "deadline: bad_time", "deadline: unused_field", "group: out_of_range",
			"on[2]: unknown_value", "on[3]: listed_twice", "quiet[0].days[0]: bad_time", "quiet[0].from: bad_time",
			"repeat: out_of_range", "timezone: bad_zone", "wait: unused_field",
		}},
		"an event of the server for some schedules": {func(d *hive.AlertDefinition) {
			d.On, d.Tags = []hive.AlertKind{hive.AlertFailed, hive.AlertExecutorLost}, []string{"finance"}
		}, []string{"on[1]: bad_event"}},
		"an escalation without time and with an unknown channel": {func(d *hive.AlertDefinition) {
			d.Escalate = hive.Escalation{To: []string{"mail", "nobody", "mail"}}
		}, []string{"escalate.after: out_of_range", "escalate.to[1]: unknown_channel", "escalate.to[2]: listed_twice"}},
		"an escalation to nobody": {func(d *hive.AlertDefinition) {
			d.Escalate.After = hive.Duration(time.Minute)
		}, []string{"escalate.to: missing_field"}},
		"a schedule that is not there yet": {func(d *hive.AlertDefinition) {
			d.Schedules = []string{"warehouse", "warehuose"}
		}, []string{"schedules[1]: unknown_schedule"}},
	} {
		got := alert.CheckRule(rule(x.change),
			alert.Known{Channels: []string{"mail"}, Schedules: []string{"warehouse"}})
		assert.Equal(t, x.want, found(got), name)
		for i := range got {
			assert.NotEmpty(t, got[i].Remedy, "%s: %v", name, got[i])
		}
	}
}

func TestCheckChannel(t *testing.T) {
	t.Parallel()
	mail := hive.EmailChannel{Host: "smtp", From: "hive <hive@example.com>", To: []string{"ops@example.com"}}
	for name, x := range map[string]struct {
		def  hive.ChannelDefinition
		want []string
	}{
		"mail":        {hive.ChannelDefinition{Type: "email", Language: "zh", Email: mail}, []string{}},
		"slack":       {hive.ChannelDefinition{Type: "slack"}, []string{}},
		"no type":     {hive.ChannelDefinition{Type: "emial"}, []string{"type: unknown_value"}},
		"no section":  {hive.ChannelDefinition{Type: "http"}, []string{"http.url: bad_section"}},
		"mail wanted": {hive.ChannelDefinition{Type: "slack", Email: mail}, []string{"email: bad_section"}},
		"mail faults": {
			hive.ChannelDefinition{
				Type: "email", Language: "fr",
				Email: hive.EmailChannel{Host: "smtp", From: "x", Port: 70000, Security: "ssl"},
			},
			[]string{
				"email.from: bad_address", "email.port: out_of_range", "email.security: unknown_value",
				"email.to: missing_field", "language: unknown_value",
			},
		},
		"mail without a server": {
			hive.ChannelDefinition{Type: "email", Email: hive.EmailChannel{From: "a@b.c", To: []string{"a@b.c"}}},
			[]string{"email.host: missing_field"},
		},
		"template": {
			hive.ChannelDefinition{Type: "http", HTTP: hive.HTTPChannel{
				URL: "https://example.com/${{ secrets.token }}", Body: `{"a": "${{ title }}"}`,
				Headers: map[string]string{"Authorization": "Bearer ${{secrets.token}}"},
			}}, []string{},
		},
		"template faults": {
			hive.ChannelDefinition{Type: "http", HTTP: hive.HTTPChannel{
				URL: "ftp://x", Method: "DELETE", Body: "${{ titel }} ${{ title",
				Headers: map[string]string{"a b": "c"},
			}},
			[]string{
				"http.body: bad_placeholder", "http.body: bad_placeholder", "http.headers.a b: bad_header",
				"http.method: unknown_value", "http.url: bad_url",
			},
		},
		"webhook with a body": {
			hive.ChannelDefinition{Type: "webhook", HTTP: hive.HTTPChannel{URL: "https://example.com", Body: "x"}},
			[]string{"http: bad_section"},
		},
	} {
		assert.Equal(t, x.want, found(alert.CheckChannel(&x.def)), name)
	}
	required, optional := alert.Secrets(&hive.ChannelDefinition{Type: "http", HTTP: hive.HTTPChannel{
		URL: "https://example.com/${{ secrets.b }}", Body: "${{ secrets.a }} ${{ title }} ${{ secrets.b }}",
	}})
	assert.Equal(t, []string{"a", "b"}, required)
	assert.Empty(t, optional)
}

// Quiet hours end on the next day, begin on their days only, and may follow each other.
func TestLoud(t *testing.T) {
	t.Parallel()
	r := alert.NewRule(rule(func(d *hive.AlertDefinition) {
		d.Timezone = "Asia/Shanghai"
		d.Quiet = []hive.Quiet{
			{From: "22:00", To: "07:00"},
			{From: "07:00", To: "09:00", Days: []string{"sat", "sun"}},
		}
	}))
	for in, want := range map[string]string{
		"2026-03-06T12:00:00+08:00": "2026-03-06T12:00:00+08:00",
		"2026-03-06T22:00:00+08:00": "2026-03-07T09:00:00+08:00", // Friday evening, until Saturday 9
		"2026-03-05T23:30:00+08:00": "2026-03-06T07:00:00+08:00",
		"2026-03-06T03:00:00+08:00": "2026-03-06T07:00:00+08:00",
		"2026-03-06T07:00:00+08:00": "2026-03-06T07:00:00+08:00",
		"2026-03-08T08:00:00+08:00": "2026-03-08T09:00:00+08:00",
	} {
		assert.True(t, r.Loud(at(t, in)).Equal(at(t, want)), "%s: %s", in, r.Loud(at(t, in)))
	}
	always := alert.NewRule(rule(func(d *hive.AlertDefinition) {
		d.Quiet = []hive.Quiet{{From: "00:00", To: "00:00"}}
	}))
	now := at(t, "2026-03-06T12:00:00Z")
	assert.Equal(t, now, always.Loud(now), "hours that never end are not kept")
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	r := alert.NewRule(rule(func(d *hive.AlertDefinition) { d.Deadline, d.Timezone = "06:00", "Asia/Shanghai" }))
	for in, want := range map[string]string{
		"2026-03-06T03:20:00+08:00": "2026-03-06T06:00:00+08:00",
		"2026-03-06T06:00:00+08:00": "2026-03-07T06:00:00+08:00",
		"2026-03-06T23:00:00+08:00": "2026-03-07T06:00:00+08:00",
	} {
		assert.True(t, r.DeadlineAfter(at(t, in)).Equal(at(t, want)), "%s: %s", in, r.DeadlineAfter(at(t, in)))
	}
	assert.Zero(t, alert.NewRule(rule(nil)).DeadlineAfter(at(t, "2026-03-06T03:20:00Z")))
}

// planned lists deliveries as "rule>channel state".
func planned(all []hive.AlertDelivery) []string {
	out := []string{}
	for _, d := range all {
		out = append(out, d.Rule+">"+d.Channel+" "+string(d.State))
	}
	return out
}

func TestPlan(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-06T12:00:00Z")
	repeat := func(d *hive.AlertDefinition) { d.Name, d.Repeat = "repeat", hive.Duration(time.Hour) }
	rules := []*alert.Rule{
		alert.NewRule(rule(nil)),
		alert.NewRule(rule(func(d *hive.AlertDefinition) { d.Name, d.Schedules = "one", []string{"warehouse"} })),
		alert.NewRule(rule(func(d *hive.AlertDefinition) {
			d.Name, d.Tags, d.Channels = "tag", []string{"finance"}, []string{"chat", "mail"}
		})),
		alert.NewRule(rule(func(d *hive.AlertDefinition) {
			d.Name, d.On, d.Channels = "server", []hive.AlertKind{"delivery_failed", "executor_lost"},
				[]string{"chat", "mail"}
		})),
		alert.NewRule(rule(repeat)),
	}
	event := func(kind hive.AlertKind, change func(*hive.AlertEvent)) *hive.AlertEvent {
		e := &hive.AlertEvent{Kind: kind, Key: "key"}
		change(e)
		return e
	}
	reported := alert.Reported{
		Pairs: []hive.AlertPair{{Rule: "tag", Channel: "mail"}, {Rule: "repeat", Channel: "mail"}},
		Last: func(p hive.AlertPair, subject string) time.Time {
			if p.Rule == "repeat" && subject == "failed:warehouse" {
				return now.Add(-time.Minute)
			}
			return time.Time{}
		},
	}
	for name, x := range map[string]struct {
		e    *hive.AlertEvent
		want []string
	}{
		"by name": {
			event("failed", func(e *hive.AlertEvent) { e.Schedule = "warehouse" }),
			[]string{"night>mail pending", "one>mail pending", "repeat>mail suppressed"},
		},
		"by a former name": {
			event("failed", func(e *hive.AlertEvent) { e.Schedule, e.Former = "stock", []string{"warehouse"} }),
			[]string{"night>mail pending", "one>mail pending", "repeat>mail pending"},
		},
		"by tag": {
			event("failed", func(e *hive.AlertEvent) { e.Schedule, e.Tags = "x", []string{"finance"} }),
			[]string{"night>mail pending", "tag>chat pending", "tag>mail pending", "repeat>mail pending"},
		},
		"adhoc": {
			event("failed", func(*hive.AlertEvent) {}), []string{"night>mail pending", "repeat>mail pending"},
		},
		"of the server": {
			event("executor_lost", func(*hive.AlertEvent) {}), []string{"server>chat pending", "server>mail pending"},
		},
		"only other channel": {
			event("delivery_failed", func(e *hive.AlertEvent) { e.Channel = "mail" }), []string{"server>chat pending"},
		},
		"recovery to those who were reported": {event("recovered", func(e *hive.AlertEvent) {
			e.Schedule, e.Tags = "warehouse", []string{"finance"}
		}), []string{"tag>mail pending", "repeat>mail pending"}},
		"of one rule": {
			event("failed", func(e *hive.AlertEvent) { e.Schedule, e.Rule = "x", "night" }),
			[]string{"night>mail pending"},
		},
		"nobody asks": {event("late", func(*hive.AlertEvent) {}), []string{}},
	} {
		got := alert.Plan(x.e, rules, reported, now)
		assert.Equal(t, x.want, planned(got), name)
		for _, d := range got {
			assert.Equal(t, now.Add(30*time.Second), d.DueAt, name)
		}
	}
}

// An escalation follows the first message, also after quiet hours. It needs a problem that lasts and was reported, and
// its channel is informed of the end.
func TestPlanOfEscalation(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-06T03:00:00Z")
	r := alert.NewRule(rule(func(d *hive.AlertDefinition) {
		d.On, d.Repeat = []hive.AlertKind{hive.AlertFailed, hive.AlertRecovered}, hive.Duration(time.Hour)
		d.Quiet = []hive.Quiet{{From: "22:00", To: "07:00"}}
		d.Escalate = hive.Escalation{After: hive.Duration(15 * time.Minute), To: []string{"boss", "chat"}}
	}))
	failed := &hive.AlertEvent{Kind: hive.AlertFailed, Key: "f", Problem: "f"}
	got := alert.Plan(failed, []*alert.Rule{r}, alert.Reported{}, now)
	assert.Equal(t, []string{"night>mail pending", "night>boss pending", "night>chat pending"}, planned(got))
	assert.Equal(t, []bool{false, true, true}, []bool{got[0].Escalation, got[1].Escalation, got[2].Escalation})
	assert.Equal(t, at(t, "2026-03-06T07:00:00Z"), got[0].DueAt)
	assert.Equal(t, at(t, "2026-03-06T07:15:00Z"), got[1].DueAt)
	lately := alert.Reported{Last: func(hive.AlertPair, string) time.Time { return now.Add(-time.Minute) }}
	assert.Equal(t, []string{"night>mail suppressed"}, planned(alert.Plan(failed, []*alert.Rule{r}, lately, now)))
	over := &hive.AlertEvent{Kind: hive.AlertRecovered, Key: "r"}
	escalated := alert.Reported{Pairs: []hive.AlertPair{
		{Rule: "night", Channel: "mail"}, {Rule: "night", Channel: "boss"},
	}}
	assert.Equal(t, []string{"night>mail pending", "night>boss pending"},
		planned(alert.Plan(over, []*alert.Rule{r}, escalated, now)))
	brief := &hive.AlertEvent{Kind: hive.AlertFailed, Key: "f"}
	assert.Equal(t, []string{"night>mail pending"}, planned(alert.Plan(brief, []*alert.Rule{r}, alert.Reported{}, now)))
}

func TestRender(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-06T12:00:00Z")
	r := alert.NewRule(rule(func(d *hive.AlertDefinition) { d.Timezone = "Asia/Shanghai" }))
	failed := hive.AlertEvent{Kind: hive.AlertFailed, BatchID: 42, At: now, AlertFacets: hive.AlertFacets{
		Schedule: "warehouse", Title: "数据仓库", Moment: at(t, "2026-03-05T19:20:00Z"), Task: "load d",
		Error: "\n ORA-00942: table ‹owners› does not exist\nat line 1", Owners: []string{"ada@example.com"},
	}}
	one := alert.Render("m1", r, []hive.AlertEvent{failed},
		alert.Context{Language: "en", Base: "https://hive.example", Now: now})
	assert.Equal(t, "数据仓库 (warehouse): batch 42 failed", one.Title)
	assert.Equal(t, "Task load d: ORA-00942: table ‹owners› does not exist\nMoment: 2026-03-06 03:20 CST\n"+
		"Owners: ada@example.com\nhttps://hive.example/batches/42?task=load+d", one.Text())
	over := hive.AlertEvent{Kind: hive.AlertRecovered, BatchID: 43, AlertFacets: hive.AlertFacets{
		Schedule: "warehouse", Of: hive.AlertFailed,
	}}
	two := alert.Render("m2", r, []hive.AlertEvent{failed, over}, alert.Context{Language: "zh", Now: now})
	assert.Equal(t, "2 条告警：数据仓库 (warehouse)：批次 42 失败 等", two.Title)
	assert.True(t, strings.HasSuffix(two.Text(), "\n\nwarehouse 已恢复：批次 43 成功"), two.Text())
	three := alert.Render("m3", r, []hive.AlertEvent{failed}, alert.Context{Language: "en", Escalation: true})
	assert.Equal(t, "Nobody is on it: 数据仓库 (warehouse): batch 42 failed", three.Title)
	for name, want := range map[string]string{
		"id": "m2", "kind": "failed", "schedule": "warehouse", "batch": "42", "task": "load d", "count": "2",
		"error": "ORA-00942: table ‹owners› does not exist", "owners": "ada@example.com", "rule": "night",
		"time": "2026-03-06T12:00:00Z", "nothing": "",
	} {
		assert.Equal(t, want, two.Value(name), name)
	}
}

// Every kind has a title in both languages, and no placeholder stays in it.
func TestWords(t *testing.T) {
	t.Parallel()
	r := alert.NewRule(rule(nil))
	for _, language := range []string{"en", "zh"} {
		for _, kind := range hive.AlertKinds() {
			e := hive.AlertEvent{Kind: kind, AlertFacets: hive.AlertFacets{Of: hive.AlertFailed}}
			all := []hive.AlertEvent{e}
			if kind != hive.AlertRecovered && kind != hive.AlertDeliveryFailed && !kind.OfTransition() {
				all = append(all, hive.AlertEvent{Kind: hive.AlertRecovered, AlertFacets: hive.AlertFacets{Of: kind}})
			}
			m := alert.Render("", r, all, alert.Context{Language: language})
			for _, item := range m.Items {
				assert.NotEmpty(t, item.Title, "%s: %s", language, kind)
				assert.NotContains(t, item.Title, "‹", "%s: %s", language, kind)
			}
		}
	}
	many := alert.Render("", r, make([]hive.AlertEvent, 25), alert.Context{Language: "en"})
	assert.Len(t, many.Items, alert.MaxItems+1)
	assert.Equal(t, "and 5 more", many.Items[alert.MaxItems].Title)
}
