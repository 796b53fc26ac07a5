package api

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// Texts that were stored before they had a reason, and texts of executors that send none, are compared with the
// sentences of HiveGo at that time. Never add a sentence to this list: new ones carry their reason from where they
// arise (hive.NewSentence).
//
//go:embed stored_sentences.json
var storedSentencesJSON []byte

// storedSentence is a sentence as HiveGo stored it. Names of params stand between ‹ and ›.
type storedSentence struct {
	Reason string `json:"reason"`
	Words  string `json:"words"`
	Note   bool   `json:"note"` // only matches notes of an attempt; elsewhere another program may use the same words

	words []string // split at the params: texts at even indexes, names at odd ones
}

// storedSentences are all sentences, by their use.
type storedSentences struct {
	plain map[string]string // reasons of sentences without params, by their words
	holed []storedSentence  // a more exact sentence stands before a general one
}

// readStoredSentences reads stored_sentences.json.
//
//nolint:gochecknoglobals // read once from what is compiled in, and never changed
var readStoredSentences = sync.OnceValue(func() storedSentences {
	var all []storedSentence
	if err := json.Unmarshal(storedSentencesJSON, &all); err != nil {
		panic(err) // it is compiled in, and tested
	}
	p := storedSentences{plain: map[string]string{}}
	for _, s := range all {
		s.words = holes(s.Words)
		if len(s.words) == 1 {
			p.plain[s.Words] = s.Reason
		} else {
			p.holed = append(p.holed, s)
		}
	}
	return p
})

func holes(template string) []string {
	// Marks each text, so that none is empty.
	marked := "\x00" + strings.NewReplacer("‹", "\x01", "›", "\x01\x00").Replace(template)
	return strings.Split(marked, "\x01")
}

// textReason returns the reason of a text, which is not a note. For a text without a reason, it searches the stored
// sentences.
func textReason(text string, reason *hive.TextReason) model.TextReason {
	if reason != nil {
		return modelReason(reason)
	}
	return matchStored(text, false)
}

// noteReasons returns the reasons of an attempt's notes, in their order. An entry is empty for a note that is not
// HiveGo's.
func noteReasons(a *hive.Attempt) []model.TextReason {
	out := make([]model.TextReason, len(a.Notes))
	for i, note := range a.Notes {
		if reason := a.Reasons.OfNote(i); reason != nil {
			out[i] = modelReason(reason)
		} else {
			out[i] = matchStored(note, true)
		}
	}
	return out
}

func modelReason(r *hive.TextReason) model.TextReason {
	return model.TextReason{Reason: string(r.Code), Params: r.Params}
}

// matchStored finds the reason and params of a text among the stored sentences. The result is empty if none matches.
func matchStored(words string, note bool) model.TextReason {
	all := readStoredSentences()
	if reason := all.plain[words]; reason != "" {
		return model.TextReason{Reason: reason}
	}
	for i := range all.holed {
		s := &all.holed[i]
		if s.Note && !note || !strings.HasPrefix(words, s.words[0][1:]) {
			continue
		}
		params := map[string]string{}
		if !fill(s.words, words, params) {
			continue
		}
		if because := all.plain[params["words"]]; because != "" { // the quoted text may be a sentence of HiveGo, too
			params["because"] = because
		}
		return model.TextReason{Reason: s.Reason, Params: params}
	}
	return model.TextReason{}
}

// fill matches words with a template: each text as early as possible, each param with at least one character. A name
// that occurs twice in the template keeps its first value.
func fill(template []string, words string, into map[string]string) bool {
	rest, hole := words, ""
	for i, part := range template {
		if i%2 == 1 {
			hole = part
			continue
		}
		text := part[1:] // without the mark
		switch last := i == len(template)-1; {
		case hole == "":
			after, ok := strings.CutPrefix(rest, text)
			if !ok || last && after != "" {
				return false
			}
			rest = after
		case last:
			before, ok := strings.CutSuffix(rest, text)
			return ok && put(into, hole, before)
		default:
			before, after, ok := strings.Cut(rest, text)
			if !ok || !put(into, hole, before) {
				return false
			}
			rest = after
		}
	}
	return true
}

func put(into map[string]string, name, value string) bool {
	if _, ok := into[name]; !ok {
		into[name] = value
	}
	return value != "" && (name != "executor" || !strings.ContainsAny(value, " \n")) // names have no spaces
}
