package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// checkJSON walks over all tokens of one JSON value. It refuses values that are nested too deeply, duplicate keys, NUL
// characters and trailing data. Its errors are made by badBody and name the place.
func checkJSON(data []byte, depth int) error {
	s := &scanner{d: json.NewDecoder(bytes.NewReader(data)), depth: depth}
	s.d.UseNumber()
	if err := s.value(depth); err != nil {
		return err.err()
	}
	if _, err := s.d.Token(); !errors.Is(err, io.EOF) {
		return badBody("more", "something follows the JSON object in the body; take it out")
	}
	return nil
}

type scanner struct {
	d     *json.Decoder
	depth int
}

// jsonFault is a fault of a body with its place.
type jsonFault struct {
	fault, words, remedy string
	pairs                []any
	path                 []string // from the innermost value outwards
}

// maxPlace is how many steps of a path an error names.
const maxPlace = 8

func (f *jsonFault) err() error {
	steps := slices.Clone(f.path)
	slices.Reverse(steps)
	if len(steps) > maxPlace {
		steps = append(steps[:maxPlace], "…")
	}
	place := strings.TrimPrefix(strings.Join(steps, ""), ".")
	if place != "" {
		place = " (at " + place + ")"
	}
	return badBody(f.fault, f.words+place+"; "+f.remedy, f.pairs...)
}

// in adds the step from the surrounding value to the path.
func (f *jsonFault) in(step string) *jsonFault {
	f.path = append(f.path, step)
	return f
}

// value walks over a value that may have so many levels.
func (s *scanner) value(depth int) *jsonFault {
	if depth < 1 {
		return &jsonFault{
			fault:  "deep",
			words:  fmt.Sprintf("the body is nested deeper than it may be, which is %d levels", s.depth),
			remedy: "flatten it",
		}
	}
	t, err := s.d.Token()
	if err != nil {
		return s.notJSON(err)
	}
	switch v := t.(type) {
	case string:
		return noNUL(v)
	case json.Delim:
		if f := s.inside(v, depth); f != nil {
			return f
		}
		if _, err := s.d.Token(); err != nil {
			return s.notJSON(err)
		}
	}
	return nil
}

// inside walks over the values of an object or a list.
func (s *scanner) inside(kind json.Delim, depth int) *jsonFault {
	keys := map[string]bool{}
	for i := 0; s.d.More(); i++ {
		step := ""
		if kind == '{' {
			key, f := s.key(keys)
			if f != nil {
				return f
			}
			step = "." + strings.Trim(fmt.Sprintf("%.60q", key), `"`)
		}
		if f := s.value(depth - 1); f != nil {
			if kind != '{' {
				step = fmt.Sprintf("[%d]", i)
			}
			return f.in(step)
		}
	}
	return nil
}

func (s *scanner) notJSON(err error) *jsonFault {
	return &jsonFault{
		fault: "not_json", words: fmt.Sprintf("the body is not JSON: %v, at byte %d", err, s.d.InputOffset()),
		remedy: "look at quotes, commas and brackets there",
	}
}

func (s *scanner) key(seen map[string]bool) (string, *jsonFault) {
	t, err := s.d.Token()
	if err != nil {
		return "", s.notJSON(err)
	}
	key, _ := t.(string)
	if seen[key] {
		return "", &jsonFault{
			fault: "twice", words: fmt.Sprintf("the key %.60q stands twice in the same object of the body", key),
			remedy: "keep one of them", pairs: []any{"name", key},
		}
	}
	seen[key] = true
	return key, noNUL(key)
}

func noNUL(s string) *jsonFault {
	if strings.ContainsRune(s, 0) {
		return &jsonFault{fault: "nul", words: "a text in the body holds a NUL character", remedy: "take it out"}
	}
	return nil
}
