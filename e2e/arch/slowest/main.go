// Command slowest filters the output of tests. With -go FILE it reads `go test -json` from its input, prints the output
// of `go test`, writes the times into FILE and fails if a test has failed. Without -go it prints the slowest tests of
// the files in its arguments: files of its own, and JSON reports of vitest.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// shown is how many tests the list has.
const shown = 10

// timing is how long one test took.
type timing struct {
	Test    string  `json:"test"`
	Seconds float64 `json:"seconds"`
}

func main() {
	into := flag.String("go", "", "read `go test -json` and keep the times in this file")
	flag.Parse()
	var err error
	if *into != "" {
		err = pass(os.Stdin, os.Stdout, *into)
	} else {
		err = list(os.Stdout, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action  string  `json:"Action"`
	Package string  `json:"Package"`
	Import  string  `json:"ImportPath"`
	Test    string  `json:"Test"`
	Elapsed float64 `json:"Elapsed"`
	Output  string  `json:"Output"`
}

// pass prints the output of packages and of failed tests.
func pass(in io.Reader, out io.Writer, into string) error {
	var times []timing
	failed := false
	output := map[string]*strings.Builder{} // by package and test, until the test has ended
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(out, line) // output of another tool
			continue
		}
		key := e.Package + " " + e.Test
		switch e.Action {
		case "output":
			if e.Output == "PASS\n" {
				continue
			}
			if output[key] == nil {
				output[key] = &strings.Builder{}
			}
			output[key].WriteString(e.Output)
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "build-fail":
			failed = true
		case "fail", "pass", "skip":
			if b := output[key]; b != nil && (e.Test == "" || e.Action == "fail") {
				fmt.Fprint(out, b)
			}
			delete(output, key)
			failed = failed || e.Action == "fail"
			if e.Test != "" && !strings.Contains(e.Test, "/") {
				times = append(times, timing{Test: short(e.Package) + " " + e.Test, Seconds: e.Elapsed})
			}
		}
	}
	for _, b := range output { // the process of a package died
		fmt.Fprint(out, b)
	}
	text, err := json.Marshal(times)
	if err == nil {
		err = os.WriteFile(into, text, 0o600)
	}
	switch {
	case err != nil:
		return fmt.Errorf("keep the times of the tests: %w", err)
	case failed:
		return errors.New("tests failed")
	}
	return nil
}

func short(pkg string) string {
	_, rest, _ := strings.Cut(strings.TrimPrefix(pkg, "github.com/"), "/")
	_, rest, _ = strings.Cut(rest, "/")
	return rest
}

// report is the used part of the output of vitest's JSON reporter.
type report struct {
	TestResults []struct {
		Name             string `json:"name"`
		AssertionResults []struct {
			FullName string  `json:"fullName"`
			Duration float64 `json:"duration"` // ms
		} `json:"assertionResults"`
	} `json:"testResults"`
}

// list prints the slowest tests of all files. It skips missing files, whose part did not run.
func list(out io.Writer, files []string) error {
	var all []timing
	for _, name := range files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the times of the tests: %w", err)
		}
		var own []timing
		if json.Unmarshal(text, &own) == nil {
			all = append(all, own...)
			continue
		}
		var web report
		if err := json.Unmarshal(text, &web); err != nil {
			return fmt.Errorf("read the times of the tests in %s: %w", name, err)
		}
		for _, f := range web.TestResults {
			for _, t := range f.AssertionResults {
				all = append(all, timing{
					Test:    f.Name[strings.LastIndex(f.Name, "/")+1:] + " " + t.FullName,
					Seconds: t.Duration / 1000,
				})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b timing) int { return cmp.Compare(b.Seconds, a.Seconds) })
	fmt.Fprintf(out, "The %d slowest of %d tests:\n", min(shown, len(all)), len(all))
	for _, t := range all[:min(shown, len(all))] {
		fmt.Fprintf(out, "%8.1f s  %s\n", t.Seconds, t.Test)
	}
	return nil
}
