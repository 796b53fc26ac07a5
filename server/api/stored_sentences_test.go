package api

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// everyStoredSentence reads stored_sentences.json.
func everyStoredSentence(t *testing.T) []storedSentence {
	t.Helper()
	var all []storedSentence
	require.NoError(t, json.Unmarshal(storedSentencesJSON, &all))
	for i := range all {
		all[i].words = holes(all[i].Words)
	}
	require.NotEmpty(t, all)
	return all
}

// readTexts reads a file of texts of the pages in a language.
func readTexts(t *testing.T, language, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../frontend/src/i18n/locales/" + language + "/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

func TestNoTextHasTwoStoredReasons(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{}
	for _, s := range everyStoredSentence(t) {
		assert.Empty(t, reasons[s.Words], "%q is listed twice", s.Words)
		reasons[s.Words] = s.Reason
	}
}

func TestMatchStored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, want string }{
		{"nothing listens at its address", `{"reason":"nothing_listens"}`},
		{"east was busy", `{"params":{"executor":"east"},"reason":"offer_busy"}`},
		{
			"east was busy: all 4 slots are taken",
			`{"params":{"executor":"east","slots":"4"},"reason":"offer_busy_slots"}`,
		},
		{"east was busy: it rains", `{"params":{"executor":"east","words":"it rains"},"reason":"offer_busy_why"}`},
		{"the printer in the hall was busy", `{}`},
		{
			"east was not reached: it does not answer in time",
			`{"params":{"because":"no_answer_in_time","executor":"east","words":"it does not answer in time"},` +
				`"reason":"not_reached"}`,
		},
		{
			"no receipt from east: dial tcp: connection refused",
			`{"params":{"executor":"east","words":"dial tcp: connection refused"},"reason":"no_receipt"}`,
		},
		{
			"no receipt from east: the answer has no line for it",
			`{"params":{"executor":"east"},"reason":"no_receipt_line"}`,
		},
		{
			"not started: interpreter: x is not a program on this executor",
			`{"params":{"words":"interpreter: x is not a program on this executor"},"reason":"could_not_start"}`,
		},
		{
			"the executor was restarted without its handler \"http\"",
			`{"params":{"name":"\"http\""},"reason":"lost_handler"}`,
		},
		{"exit code 3", `{}`},
		{"", `{}`},
		{
			"connect to dw (postgres h:5432/x): i/o timeout",
			`{"params":{"place":"dw (postgres h:5432/x)","words":"i/o timeout"},"reason":"sql_connect"}`,
		},
		{
			"the expression is wrong at character 5: it is odd; so",
			`{"params":{"at":"5","words":"it is odd; so"},"reason":"when_character"}`,
		},
	} {
		got, err := json.Marshal(matchStored(c.words, true))
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(got), c.words)
	}
}

// A sentence of notes may be another program's text in the error of a task.
func TestNotesAreNotRecognisedInErrors(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"warehouse was busy", "printer takes nothing new", "no receipt from shop: closed",
		"host was not reached: no route",
	} {
		assert.NotEmpty(t, matchStored(words, true).Reason, words)
		assert.Empty(t, matchStored(words, false).Reason, words)
	}
	assert.Equal(t, "lost_lease", matchStored("the executor was out of reach until its lease ended", false).Reason)
}

// Nested quotes are searched only once, at any depth.
func TestQuotesAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, deep := range []int{1, 300, 300_000} {
		inner := strings.Repeat("connect to a: ", deep-1) + "nothing listens at its address"
		got := matchStored("connect to a: "+inner, false)
		assert.Equal(t, "sql_connect", got.Reason)
		assert.True(t, got.Params["place"] == "a" && got.Params["words"] == inner, "%d", deep)
		assert.Equal(t, deep == 1, got.Params["because"] == "nothing_listens", "%d", deep)
	}
}

// A text with a reason keeps it, whatever its content. Only a text without one is matched.
func TestReasonsComeWithTheirTexts(t *testing.T) {
	t.Parallel()
	given := &hive.TextReason{Code: hive.SentenceNoReceipt, Params: map[string]string{"executor": "east", "words": "x"}}
	want := model.TextReason{Reason: "no_receipt", Params: given.Params}
	const stored = "the executor was out of reach until its lease ended"
	for _, words := range []string{"reworded", "东部没有回执", stored} {
		a := hive.AttemptView{Attempt: hive.Attempt{
			Error: words, Notes: []string{stored, words},
			Reasons: &hive.AttemptReasons{Error: given, Notes: []*hive.TextReason{nil, given}},
		}}
		got := attempt(&a)
		assert.Equal(t, want, got.ErrorReason, words)
		assert.Equal(t, []model.TextReason{{Reason: "lost_lease"}, want}, got.NoteReasons, words)
		run := hive.RunView{Error: words, ErrorReason: given}
		assert.Equal(t, want, taskRun(&run).ErrorReason, words)
		assert.Equal(t, want, liveRun(&run).ErrorReason, words)
		stuck := batchView(&hive.BatchView{Stuck: hive.Sentence{Text: words, Reason: given}})
		assert.Equal(t, words, stuck.Stuck)
		assert.Equal(t, want, stuck.StuckReason, words)
		shown := executor(&hive.ExecutorView{Trouble: hive.Sentence{Text: words, Reason: given}})
		assert.Equal(t, want, shown.TroubleReason, words)
	}
}
