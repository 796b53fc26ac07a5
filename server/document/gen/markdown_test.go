package main

import (
	"os"
	"testing"

	"github.com/rprp/hivego/server/document"
)

// The page in the repository is the one that the schema makes.
func TestPageIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := markdown(document.Schema())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/schedule.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/schedule.md is not what server/document/schema.json says; run: go run ./server/document/gen " +
			"> docs/schedule.md")
	}
}
