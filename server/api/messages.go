package api

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/rprp/hivego/server/api/model"
)

// Sentences are stored, and sent by executors, as text alone. The API adds a reason and params to HiveGo's own
// sentences, so that the pages can translate them. Other sentences, such as those of a driver, have no reason, or are a
// param of the sentence around them.
//
//go:embed sentences.json
var sentencesJSON []byte

// sentence is a sentence of HiveGo. Names of params stand between ‹ and ›.
type sentence struct {
	Reason string `json:"reason"`
	Words  string `json:"words"`
	Note   bool   `json:"note"` // only matches notes of an attempt; elsewhere another program may use the same words

	words []string // split at the params: texts at even indexes, names at odd ones
}

// phrases are all sentences, by their use.
type phrases struct {
	plain map[string]string // reasons of sentences without params, by their words
	holed []sentence        // a more exact sentence stands before a general one
}

// sentences reads sentences.json.
//
//nolint:gochecknoglobals // read once from what is compiled in, and never changed
var sentences = sync.OnceValue(func() phrases {
	var all []sentence
	if err := json.Unmarshal(sentencesJSON, &all); err != nil {
		panic(err) // it is compiled in, and tested
	}
	p := phrases{plain: map[string]string{}}
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

// reasonOf finds the reason and params of a sentence. The result is empty for a sentence that is not HiveGo's.
func reasonOf(words string) model.Said { return recognise(words, false) }

func recognise(words string, note bool) model.Said {
	all := sentences()
	if reason := all.plain[words]; reason != "" {
		return model.Said{Reason: reason}
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
		return model.Said{Reason: s.Reason, Params: params}
	}
	return model.Said{}
}

// fill matches words with a template: each text as early as possible, each param with at least one character. A name
// that stands in the template twice keeps its first value.
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

// reasonsOf returns reasons and params of an attempt's notes, in their order. An entry is empty for a note that is not
// HiveGo's.
func reasonsOf(notes []string) []model.Said {
	out := make([]model.Said, len(notes))
	for i, n := range notes {
		out[i] = recognise(n, true)
	}
	return out
}
