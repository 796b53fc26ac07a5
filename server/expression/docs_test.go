package expression_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

// TestTheExpressionsOfThePageOnTime checks each row of docs/time.md with an expression and its value.
func TestTheExpressionsOfThePageOnTime(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/time.md")
	if err != nil {
		t.Fatal(err)
	}
	env := expression.Env(nil, time.Date(2026, 3, 1, 3, 20, 0, 0, time.UTC), nil, "scheduled", 1, nil, nil)
	row := regexp.MustCompile("(?m)^\\| `((?:tick\\.|date\\().*)` \\| (.*) \\|$")
	rows := row.FindAllStringSubmatch(string(page), -1)
	for _, row := range rows {
		got, err := expression.NewCache(0).RenderAs(hive.RenderPlain, "${{ "+row[1]+" }}", env)
		if err != nil || got != row[2] {
			t.Errorf("%s is %q, %v; the page says %s", row[1], got, err, row[2])
		}
	}
	if len(rows) < 20 {
		t.Errorf("only %d examples are found", len(rows))
	}
}
