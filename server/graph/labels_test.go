package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Tags and owners are short texts on one line, each once.
func TestLabels(t *testing.T) {
	t.Parallel()
	def := &hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "a",
		Tags: []string{"finance", "日报", "", "finance", " x", "a\nb"}, Owners: []string{strings.Repeat("a", 101)},
	}
	var got []string
	for _, f := range graph.Validate(def) {
		got = append(got, f.Path+": "+f.Code)
	}
	want := []string{
		"tags[2]: bad_name", "tags[3]: duplicate_key", "tags[4]: bad_name", "tags[5]: bad_name", "owners[0]: bad_name",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
