package catalog

import (
	"strings"
	"testing"
)

func TestInitials(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"仓库同步":        "cktb",
		"啊座":          "az", // the first and the last character of level 1
		"每日 Sales 报表": "mrsalesbb",
		"订单、退货":       "ddth",
		"𠀀仓":          "c", // outside of GBK: left out, and what follows is read
		"nightly":     "",
		"é":           "",
		"":            "",
	} {
		if got := initials(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMatchOf(t *testing.T) {
	t.Parallel()
	cases := []struct {
		query, name, title string
		former             []string
		want               int
	}{
		{"", "orders", "", nil, matchStart},
		{"orders", "orders-load", "", nil, matchStart},
		{"load", "orders-load", "", nil, matchPart},
		{"der", "orders-load", "", nil, matchInside},
		{"orlo", "orders-load", "", nil, matchSpread},
		{"loor", "orders-load", "", nil, noMatch},
		{"load orders", "orders-load", "", nil, matchPart},
		{"orders x", "orders-load", "", nil, noMatch},
		{"nacht", "nightly", "Nachtlauf", nil, matchStart},
		{"cktb", "warehouse", "仓库同步", nil, matchStart},
		{"同步", "warehouse", "仓库同步", nil, matchInside},
		{"ware cktb", "warehouse", "仓库同步", nil, matchStart},
		{"depot", "warehouse", "", []string{"depot"}, matchStart},
	}
	for _, c := range cases {
		if got := matchOf(strings.Fields(c.query), searchTexts(c.name, c.title, c.former)); got != c.want {
			t.Errorf("%q in %q, %q: %d, want %d", c.query, c.name, c.title, got, c.want)
		}
	}
}
