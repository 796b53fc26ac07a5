package document

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

const alertText = `# who hears of the night
apiVersion: hivego/v1
kind: Alert
name: night
on: [failed, recovered, late]
tags: [finance]
channels: [ops-mail]
timezone: Asia/Shanghai
deadline: "06:00"
quiet:
  - {from: "22:00", to: "07:00"}
escalate: {after: 15m, to: [boss]}
`

const channelText = `apiVersion: hivego/v1
kind: Channel
name: pager
type: http
http:
  url: "https://example.com/${{ secrets.token }}"
  headers: {Content-Type: application/json}
  body: '{"text": "${{ title }}"}'
`

// Rules and channels have one canonical text, as schedules have, without what is standard.
func TestAlertsAreCanonical(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ text, kind string }{
		{alertText, hive.KindAlert}, {channelText, hive.KindChannel},
	} {
		d, faults := ParseAlert([]byte(x.text), x.kind, Options{Channels: []string{"ops-mail", "boss"}})
		require.Empty(t, faults)
		assert.Equal(t, x.text, string(d.Canonical))
		assert.Equal(t, x.kind, d.Kind())
		again, faults := ParseAlert(d.JSON(), x.kind, Options{Stored: true})
		require.Empty(t, faults)
		assert.Equal(t, d.Hash, again.Hash, "JSON and back")
	}
	d, faults := ParseAlert([]byte(alertText+"wait: 10m\nskips: 3\ngroup: 30s\nschedules: []\n"), hive.KindAlert,
		Options{Stored: true})
	require.Empty(t, faults)
	assert.Equal(t, alertText, string(d.Canonical))
}

// All faults of a rule come at once, with their lines.
func TestFaultsOfAlerts(t *testing.T) {
	t.Parallel()
	text := "apiVersion: hivego/v1\nkind: Alert\nname: Night\non: [failed, lte]\nchannels: [none]\n" +
		"quiet:\n  - {from: 7}\nescalate: {to: [ops-mail]}\n"
	d, faults := ParseAlert([]byte(text), hive.KindAlert, Options{Channels: []string{"ops-mail"}})
	assert.Nil(t, d)
	var got []string
	for i := range faults {
		got = append(got, faults[i].String())
	}
	assert.Equal(t, []string{
		`line 3, column 7: name: "Night" cannot be the name of a rule; use 1 to 63 lower-case letters, digits and ` +
			`hyphens, not starting with a hyphen; the title is free text`,
		`line 4, column 14: on[1]: "lte" is not known here; did you mean late? Use one of failed, hook_failed, ` +
			`recovered, late, ` +
			`not_started, skipped, needs_person, stuck, executor_lost, executor_full, clock_jumped, disk_short, ` +
			`delivery_failed, started, succeeded, canceled`,
		`line 5, column 12: channels[0]: there is no channel none; write the name of one, or make it first`,
		`line 7, column 5: quiet[0].to: the field to is missing; write the field to`,
		`line 7, column 12: quiet[0].from: this must be a text, not the number 7; put it in quotes: "7"`,
		`line 8, column 11: escalate.after: the field after is missing; write the field after`,
	}, got)
	_, faults = ParseAlert([]byte(alertText), hive.KindChannel, Options{})
	assert.NotEmpty(t, faults, "the kind of the text counts")
}

// A file may have documents of all kinds. Names are unique by kind.
func TestAlertsBesideSchedules(t *testing.T) {
	t.Parallel()
	all, faults := ParseAll([]byte(fuzzHead+"jobs: []\n---\n"+alertText+"---\n"+channelText), Options{})
	require.Empty(t, faults)
	require.Len(t, all, 3)
	assert.Equal(t, []string{"night", "pager"}, []string{all[1].Name(), all[2].Name()})
	_, faults = ParseAll([]byte(alertText+"---\n"+alertText), Options{})
	require.Len(t, faults, 1)
	assert.Equal(t, hive.FaultDuplicateDocument, faults[0].Reason)
	formatted, err := Format([]byte(alertText + "---\n" + channelText))
	require.NoError(t, err)
	assert.Equal(t, alertText+"---\n"+channelText, string(formatted))
}

// A rule or a channel has both forms also with faults, with comments and with what a form has not filled in yet. What
// would lose a part has none.
func TestConvertAlert(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ name, kind, text, yaml string }{
		{"a rule", hive.KindAlert, alertText, alertText},
		{"a channel", hive.KindChannel, channelText, channelText},
		{
			"fields that are not filled in", hive.KindChannel,
			`{"apiVersion":"hivego/v1","kind":"Channel","type":"email","email":{"host":"","from":"ops"}}`,
			"apiVersion: hivego/v1\nkind: Channel\nname: \"\"\ntype: email\nemail:\n  host: \"\"\n  from: ops\n",
		},
		{
			"a duration that is not complete", hive.KindAlert,
			`{"apiVersion":"hivego/v1","kind":"Alert","name":"n","on":["failed"],"channels":["a"],"wait":"10"}`,
			"apiVersion: hivego/v1\nkind: Alert\nname: \"n\"\non: [failed]\nchannels: [a]\nwait: \"10\"\n",
		},
		{"a list that is a text", hive.KindAlert, `{"apiVersion":"hivego/v1","kind":"Alert","on":"failed"}`, ""},
		{"an unknown field", hive.KindChannel, channelText + "colour: red\n", ""},
		{"two documents", hive.KindChannel, channelText + "---\n" + channelText, ""},
		{"no map", hive.KindChannel, "[]", ""},
		{"no YAML", hive.KindChannel, "a: [", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c, faults := ConvertAlert([]byte(x.text), x.kind, Options{})
			if x.yaml == "" {
				assert.Nil(t, c)
				assert.NotEmpty(t, faults)
				return
			}
			require.NotNil(t, c, "%v", faults)
			assert.Equal(t, x.yaml, string(c.Canonical))
			back, _ := ConvertAlert(c.JSON, x.kind, Options{})
			require.NotNil(t, back)
			assert.Equal(t, x.yaml, string(back.Canonical), "JSON and back")
			assert.Equal(t, c.Hash, back.Hash)
		})
	}
}
