package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/executor/http"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/shell"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/server/api/model"
)

// everySentence reads sentences.json.
func everySentence(t *testing.T) []sentence {
	t.Helper()
	var all []sentence
	require.NoError(t, json.Unmarshal(sentencesJSON, &all))
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

// A reason means one thing: that of a sentence is not also why a call was refused, and no words have two reasons.
func TestReasonsOfSentencesAreTheirOwn(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{}
	for _, s := range everySentence(t) {
		assert.False(t, model.ProblemReason(s.Reason).Valid(), "%s is a reason of problems, too", s.Reason)
		assert.Empty(t, reasons[s.Words], "%q is said twice", s.Words)
		reasons[s.Words] = s.Reason
	}
}

func TestSentencesAreTheOnesOfThePages(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "zh"} {
		var sentencesOf map[string]string
		readTexts(t, language, "said.json", &sentencesOf)
		known := map[string]bool{}
		for _, s := range everySentence(t) {
			known[s.Reason] = true
			require.Contains(t, sentencesOf, s.Reason, language)
			if language == "en" {
				own := regexp.MustCompile(`‹(\w+)›`).ReplaceAllString(s.Words, "{{$1}}")
				require.Equal(t, own, sentencesOf[s.Reason])
			}
		}
		for reason := range sentencesOf {
			require.True(t, known[reason], "%s is said by nobody", reason)
		}
	}
}

func TestReasonOf(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"nothing listens at its address":                                `{"reason":"nothing_listens"}`,
		"east was busy":                                                 `{"params":{"executor":"east"},"reason":"offer_busy"}`,
		"east was busy: all 4 slots are taken":                          `{"params":{"executor":"east","slots":"4"},"reason":"offer_busy_slots"}`,
		"east was busy: it rains":                                       `{"params":{"executor":"east","words":"it rains"},"reason":"offer_busy_why"}`,
		"the printer in the hall was busy":                              `{}`,
		"east was not reached: it does not answer in time":              `{"params":{"because":"no_answer_in_time","executor":"east","words":"it does not answer in time"},"reason":"not_reached"}`,
		"no receipt from east: dial tcp: connection refused":            `{"params":{"executor":"east","words":"dial tcp: connection refused"},"reason":"no_receipt"}`,
		"no receipt from east: the answer has no line for it":           `{"params":{"executor":"east"},"reason":"no_receipt_line"}`,
		"not started: interpreter: x is not a program on this executor": `{"params":{"words":"interpreter: x is not a program on this executor"},"reason":"could_not_start"}`,
		"the executor was restarted without its handler \"http\"":       `{"params":{"name":"\"http\""},"reason":"lost_handler"}`,
		"exit code 3": `{}`,
		"":            `{}`,
		"connect to dw (postgres h:5432/x): i/o timeout":        `{"params":{"place":"dw (postgres h:5432/x)","words":"i/o timeout"},"reason":"sql_connect"}`,
		"its slots are to be between 1 and 10000, not 0":        `{"params":{"most":"10000","value":"0"},"reason":"unfit_slots"}`,
		"the expression is wrong at character 5: it is odd; so": `{"params":{"at":"5","words":"it is odd; so"},"reason":"when_character"}`,
	} {
		got, err := json.Marshal(reasonsOf([]string{words})[0])
		require.NoError(t, err)
		require.JSONEq(t, want, string(got), words)
	}
}

// What only notes say may be somebody else's words in the error of a task.
func TestNotesAreNotRecognisedInErrors(t *testing.T) {
	t.Parallel()
	for _, words := range []string{
		"warehouse was busy", "printer takes nothing new", "no receipt from shop: closed",
		"host was not reached: no route",
	} {
		assert.NotEmpty(t, reasonsOf([]string{words})[0].Reason, words)
		assert.Empty(t, reasonOf(words).Reason, words)
	}
	assert.Equal(t, "lost_lease", reasonOf("the executor was out of reach until its lease ended").Reason)
}

// A sentence that quotes one that quotes one is looked at once, however deep it goes.
func TestQuotesAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, deep := range []int{1, 300, 300_000} {
		inner := strings.Repeat("connect to a: ", deep-1) + "nothing listens at its address"
		got := reasonOf("connect to a: " + inner)
		assert.Equal(t, "sql_connect", got.Reason)
		assert.True(t, got.Params["place"] == "a" && got.Params["words"] == inner, "%d", deep)
		assert.Equal(t, deep == 1, got.Params["because"] == "nothing_listens", "%d", deep)
	}
}

// What the handlers of HiveGo refuse, the pages can say in every language.
func TestRefusalsOfHandlersHaveReasons(t *testing.T) {
	t.Parallel()
	type checker interface{ Check(t *sdk.Task) error }
	for _, one := range []struct {
		handler checker
		params  []string
	}{
		{&shell.Handler{}, []string{
			`{}`, `{"command":"x","interpreter":[]}`, `{"command":"x\u0000"}`, `{"command":"x","env":{"a=b":"c"}}`,
			`{"command":"x","workdir":"../x"}`,
			`{"command":"x","workdir":"a\u0000"}`,
		}},
		{&sql.Handler{}, []string{
			`{}`, `{"connection":"x"}`, `{"connection":"x","file":"../y"}`,
			`{"connection":"mongo://x","statement":"s"}`,
			`{"connection":"postgres://a:b@c/d","statement":"s"}`, `{"connection":"sqlite:","statement":"s"}`,
			`{"connection":"sqlite:../x","statement":"s"}`,
		}},
		{&http.Handler{}, []string{
			`{"url":"http://x","method":"FETCH"}`, `{}`, `{"url":"ftp://x"}`, `{"url":"http://"}`,
			`{"url":"http://a:b@c"}`, `{"url":"http://a/../b"}`,
			`{"url":"http://a","json":"1","body":"2","method":"POST"}`, `{"url":"http://a","body":"2"}`,
			`{"url":"http://a","retries":11}`,
			`{"url":"http://a","redirects":11}`, `{"url":"http://a","showBody":2000}`,
			`{"url":"http://a","headers":{"Authorization":"x"}}`,
			`{"url":"http://a","headers":{"Host":"x"}}`, `{"url":"http://a","headers":{"a b":"x"}}`,
			`{"url":"http://a","auth":{"type":"magic"}}`,
		}},
	} {
		for _, params := range one.params {
			err := one.handler.Check(&sdk.Task{Params: []byte(params)})
			require.Error(t, err, params)
			assert.NotEmpty(t, reasonOf(err.Error()).Reason, "%s: %s", params, err)
		}
	}
}

// A sentence that is said otherwise now would reach the pages without its reason.
func TestSentencesAriseSomewhere(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, folder := range []string{
		"dispatch", "dispatch/registry", "dispatch/wire", "fleet", "expression", "../internal/sandbox",
		"../executor/ledger", "../executor/sdk", "../executor/supervise", "../executor/shell", "../executor/sql",
		"../executor/http",
	} {
		files, err := filepath.Glob("../" + folder + "/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source.Write(text)
		}
	}
	all := regexp.MustCompile(`" \+\s+"`).ReplaceAllString(source.String(), "") // what is written over two lines
	for _, s := range everySentence(t) {
		longest := ""
		for i := 0; i < len(s.words); i += 2 {
			if part := s.words[i][1:]; len(part) > len(longest) {
				longest = part
			}
		}
		// what stands before may come from the caller
		parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(longest, ": "), " at character "), ": ")
		if last := parts[len(parts)-1]; !strings.Contains(all, last) {
			t.Errorf("nobody says %q any more (%s)", last, s.Reason)
		}
	}
}
