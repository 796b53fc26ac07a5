package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// webMeasures are in the order in which they are shown.
func webMeasures() []string {
	return []string{"ts-functions", "ts-undocumented", "ts-files", "ts-lines", "ts-circles"}
}

// web measures the front end, with the TypeScript compiler's own parser.
func web(root string) ([]measure, error) {
	out, err := output(root, "node", "e2e/arch/house/web.mjs")
	if err != nil {
		return nil, err
	}
	var places map[string][]string
	if err := json.Unmarshal(out, &places); err != nil {
		return nil, fmt.Errorf("read the measures of the front end: %w", err)
	}
	all := make([]measure, 0, len(places))
	for _, name := range webMeasures() {
		all = append(all, measure{name: name, places: places[name]})
	}
	return all, nil
}

// dead lists unused code: Go functions by scripts/dead; files, exports and packages of the front end by knip.
func dead(root string) ([]measure, error) {
	var all []measure
	for _, of := range []struct {
		name    string
		command []string
	}{
		{"go-dead", []string{"scripts/dead"}},
	} {
		out, err := output(root, of.command[0], of.command[1:]...)
		if err != nil {
			return nil, err
		}
		places := strings.Split(strings.TrimSpace(string(out)), "\n")
		places = slices.DeleteFunc(places, func(p string) bool { return p == "" })
		all = append(all, measure{name: of.name, places: places})
	}
	return all, nil
}

// output runs a command at root and returns its output. Its standard error is part of a returned error.
func output(root, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(context.Background(), name, args...) // as long as it takes

	var out, bad bytes.Buffer
	command.Dir, command.Stdout, command.Stderr = root, &out, &bad
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("run %s: %w: %s", name, err, strings.TrimSpace(bad.String()))
	}
	return out.Bytes(), nil
}
