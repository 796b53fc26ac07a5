package app

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rprp/hivego/executor/conform"
)

// printFinding prints a line for one rule, with its fault and remedy below. Before the first one it prints what the
// executor is.
func printFinding(w io.Writer, r *conform.Report, f conform.Finding) {
	if len(r.Findings) == 1 {
		kind := "run-only"
		if r.Durable {
			kind = "durable"
		}
		fmt.Fprintf(w, "%s (%s), %s, by its handler %s\n\n", r.Name, r.Executor, kind, r.Handler)
	}
	if f.Result == conform.Unchecked && !r.Durable && f.Why == conform.NotDurable {
		return
	}
	marks := map[conform.Result]string{conform.Pass: "pass", conform.Fail: "FAIL", conform.Unchecked: "  - "}
	fmt.Fprintf(w, "%s  %-18s %s\n", marks[f.Result], f.Rule, f.Requirement)
	switch f.Result {
	case conform.Fail:
		fmt.Fprintf(w, "%24s why:    %s\n%24s remedy: %s\n", "", f.Why, "", f.Remedy)
	case conform.Unchecked:
		fmt.Fprintf(w, "%24s not checked: %s\n", "", f.Why)
	}
}

// printCounts prints how many rules hold.
func printCounts(w io.Writer, r *conform.Report) {
	n := 0
	for _, f := range r.Findings {
		if f.Result == conform.Unchecked && !r.Durable && f.Why == conform.NotDurable {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(w, "  -  %d rules for durable executors are not checked: %s\n", n, conform.NotDurable)
	}
	fmt.Fprintf(w, "\n%d hold, %d broken, %d not checked\n", r.Count(conform.Pass), r.Count(conform.Fail),
		r.Count(conform.Unchecked))
}

// junit is a report in the form that JUnit made common: one test suite with a case for each rule.
type junit struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Seconds string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Skipped *junitMessage `xml:"skipped"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// printJUnit prints a report as JUnit's XML.
func printJUnit(w io.Writer, r *conform.Report) error {
	suite := junitSuite{
		Name: "hivego executor conformance: " + r.Name, Tests: len(r.Findings), Failures: r.Count(conform.Fail),
		Skipped: r.Count(conform.Unchecked),
	}
	for _, f := range r.Findings {
		class, _, _ := strings.Cut(f.Rule, ".")
		c := junitCase{
			Class: class, Name: f.Rule + ": " + f.Requirement,
			Seconds: fmt.Sprintf("%.3f", float64(f.Millis)/1000),
		}
		switch f.Result {
		case conform.Fail:
			c.Failure = &junitMessage{Message: f.Why, Text: "remedy: " + f.Remedy}
		case conform.Unchecked:
			c.Skipped = &junitMessage{Message: f.Why}
		}
		suite.Cases = append(suite.Cases, c)
	}
	raw, err := xml.MarshalIndent(junit{Suite: suite}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, raw)
	return err
}
