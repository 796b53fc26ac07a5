package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The limits for a reader who follows one value through the program.
const (
	walkFiles   = 35 // files
	walkReturns = 8  // times that the walk comes back to a package which it had left
)

// A walk is a list of files under a heading that begins so.
const walkHeading = "### Walk: "

var sourceName = regexp.MustCompile("`([a-z][\\w./-]*\\.(?:go|tsx?|sql|thrift|yaml))`")

// walks reads the walks of ARCHITECTURE.md: the files that it names in order.
func walks(root string) ([]measure, error) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		return nil, fmt.Errorf("read the walks: %w", err)
	}
	var all []measure
	for _, section := range strings.Split(string(text), "\n"+walkHeading)[1:] {
		name, body, _ := strings.Cut(section, "\n")
		body, _, _ = strings.Cut(body, "\n#")
		name = strings.ReplaceAll(strings.TrimSpace(name), " ", "-")
		var steps []string
		for _, m := range sourceName.FindAllStringSubmatch(body, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				return nil, fmt.Errorf("ARCHITECTURE.md, walk %q: %w", name, err)
			}
			steps = append(steps, m[1])
		}
		all = append(all,
			measure{name: "walk-" + name + "-files", floor: walkFiles, places: distinct(steps)},
			measure{name: "walk-" + name + "-returns", floor: walkReturns, places: returns(steps)})
	}
	return all, nil
}

func distinct(steps []string) []string {
	var names []string
	for _, s := range steps {
		if !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// returns lists the steps that come back to a package which the walk had left.
func returns(steps []string) []string {
	var back, seen []string
	at := ""
	for _, s := range steps {
		dir := path.Dir(s)
		if dir == at {
			continue
		}
		if slices.Contains(seen, dir) {
			back = append(back, s)
		}
		seen, at = append(seen, dir), dir
	}
	return back
}
