// Command gen writes docs/schedule.md from the JSON Schema of schedules. Run it in the root of the repository:
//
//	go run ./server/document/gen > docs/schedule.md
package main

import (
	"fmt"
	"os"

	"github.com/rprp/hivego/server/document"
)

func main() {
	page, err := markdown(document.Schema())
	if err == nil {
		_, err = os.Stdout.WriteString(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "write docs/schedule.md:", err)
		os.Exit(1) //nolint:forbidigo // this is a main
	}
}
