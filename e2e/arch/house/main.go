// Command house prints the measures of the code, each with its floor: the allowed number of flaws. It fails if a
// measure is over its floor, and lists the places. `make house` runs it. With -list and the name of a measure it only
// lists the places of that measure.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// measure counts one kind of flaw.
type measure struct {
	name   string
	floor  int      // how many are allowed
	places []string // "file:line: what", one for each flaw
}

func main() {
	only := flag.String("list", "", "list the places of the measure with this name")
	flag.Parse()
	all, err := measures(".")
	if err == nil {
		err = show(all, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

// measures reads the tree at root.
func measures(root string) ([]measure, error) {
	tree, err := parse(root)
	if err != nil {
		return nil, err
	}
	all := tree.measures()
	walked, err := walks(root)
	if err != nil {
		return nil, err
	}
	all = append(all, walked...)
	for _, of := range []func(string) ([]measure, error){web, dead} {
		more, err := of(root)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// show prints the table, or the places of one measure.
func show(all []measure, only string) error {
	if only != "" {
		i := slices.IndexFunc(all, func(m measure) bool { return m.name == only })
		if i < 0 {
			return fmt.Errorf("no measure is called %q; without -list all are shown", only)
		}
		for _, p := range all[i].places {
			fmt.Println(p)
		}
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "measure\tnow\tfloor\t")
	var over []string
	for _, m := range all {
		verdict := ""
		if len(m.places) > m.floor {
			verdict = "over"
			over = append(over, m.places...)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", m.name, len(m.places), m.floor, verdict)
	}
	if err := w.Flush(); err != nil || len(over) == 0 {
		return err
	}
	return fmt.Errorf("a measure is over its floor:\n%s", strings.Join(over, "\n"))
}
