// Command gen writes docs/handlers.md from the JSON Schemas of the stock executor's handlers. Run it in the root of the
// repository:
//
//	go run ./server/app/gen > docs/handlers.md
package main

import (
	"fmt"
	"os"

	"github.com/rprp/hivego/server/app"
)

func main() {
	page, err := markdown(app.Handlers())
	if err == nil {
		_, err = os.Stdout.WriteString(page)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "write docs/handlers.md:", err)
		os.Exit(1) //nolint:forbidigo // this is a main
	}
}
