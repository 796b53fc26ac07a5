package api

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// Sentences are stored, and come from executors, as words alone. HiveGo's own ones are told with a reason and params
// beside them, for whoever says them in another language; what comes from elsewhere (a driver, the system) has none, or
// is a param of the sentence around it.
//
//go:embed said.json
var saidJSON []byte

// sentence is one that HiveGo says. Between ‹ and › stand the names of what is filled in.
type sentence struct {
	Reason string `json:"reason"`
	Words  string `json:"words"`
	Remedy string `json:"remedy"` // of a fault only
	Note   bool   `json:"note"`   // only in the notes of an attempt; elsewhere the same words may be somebody else's

	words, remedy []string // split at the holes: texts at even places, names at odd ones
}

// phrases are all sentences, by what they are for.
type phrases struct {
	plain  map[string]string // reasons of those without holes, by their words
	holed  []sentence        // one that says more exactly what another says too stands before it
	faults []sentence        // with a remedy; in this order too
}

// sentences are all of them.
//
//nolint:gochecknoglobals // read once from what is compiled in, and never changed
var sentences = sync.OnceValue(func() phrases {
	var all []sentence
	if err := json.Unmarshal(saidJSON, &all); err != nil {
		panic(err) // it is compiled in, and tested
	}
	p := phrases{plain: map[string]string{}}
	for _, s := range all {
		s.words, s.remedy = holes(s.Words), holes(s.Remedy)
		switch {
		case s.Remedy != "":
			p.faults = append(p.faults, s)
		case len(s.words) == 1:
			p.plain[s.Words] = s.Reason
		default:
			p.holed = append(p.holed, s)
		}
	}
	return p
})

func holes(template string) []string {
	marked := "\x00" + strings.NewReplacer("‹", "\x01", "›", "\x01\x00").Replace(template) // no text is empty then
	return strings.Split(marked, "\x01")
}

// said recognises a sentence; it is empty for one that is not HiveGo's.
func said(words string) model.Said { return recognise(words, false) }

func recognise(words string, note bool) model.Said {
	all := sentences()
	if reason := all.plain[words]; reason != "" {
		return model.Said{Reason: reason}
	}
	for i := range all.holed {
		s := &all.holed[i]
		if s.Note && !note || !begins(s.words, words) {
			continue
		}
		params := map[string]string{}
		if !fill(s.words, words, params) {
			continue
		}
		if because := all.plain[params["words"]]; because != "" { // what it quotes may be one of them, too
			params["because"] = because
		}
		return model.Said{Reason: s.Reason, Params: params}
	}
	return model.Said{}
}

// begins says that words begin as a template does.
func begins(template []string, words string) bool { return strings.HasPrefix(words, template[0][1:]) }

// faultSaid gives a fault its reason, if it has none and its words are known.
func faultSaid(f *hive.Fault) (reason string, params map[string]string) {
	if f.Reason != "" {
		return f.Reason, f.Params
	}
	faults := sentences().faults
	for i := range faults {
		s := &faults[i]
		if !begins(s.words, f.Message) || !begins(s.remedy, f.Remedy) {
			continue
		}
		params := map[string]string{}
		if fill(s.words, f.Message, params) && fill(s.remedy, f.Remedy, params) {
			kind(params)
			return s.Reason, params
		}
	}
	return "", nil
}

// fill matches words with a template: each text as early as it can be, each hole with at least one character. A name
// that stands in the template twice keeps what was found first.
func fill(template []string, words string, into map[string]string) bool {
	rest, hole := words, ""
	for i, part := range template {
		if i%2 == 1 {
			hole = part
			continue
		}
		text := part[1:] // without its mark
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

// kind splits what a value is, in the words of the document's reader, into its kind and the value.
func kind(params map[string]string) {
	got, ok := params["got"]
	if !ok {
		return
	}
	name, value := "bool", got
	switch text, isText := strings.CutPrefix(got, "the text "); {
	case isText:
		name, value = "text", text
	case strings.HasPrefix(got, "the number "):
		name, value = "number", strings.TrimPrefix(got, "the number ")
	case got == "a map", got == "a list":
		name = strings.TrimPrefix(got, "a ")
	case got == "nothing":
		name = got
	}
	params["got"] = name
	put(params, "value", value)
}

// notesSaid recognises the notes of an attempt, in their order; an empty one stands for words of others.
func notesSaid(notes []string) []model.Said {
	out := make([]model.Said, len(notes))
	for i, n := range notes {
		out[i] = recognise(n, true)
	}
	return out
}
