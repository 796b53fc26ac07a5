package graph

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// The functions accept exactly the texts that match the patterns.
func TestNamesFollowTheirPatterns(t *testing.T) {
	t.Parallel()
	for pattern, check := range map[string]func(string) bool{
		namePattern: isName, keyPattern: isKey, paramPattern: isParam, sitePattern: isSite,
	} {
		anchored := regexp.MustCompile(`\A` + pattern + `\z`)
		rapid.Check(t, func(t *rapid.T) {
			s := rapid.OneOf(
				rapid.StringMatching(pattern), rapid.StringMatching(pattern+`[a-z0-9]{0,20}`),
				rapid.StringMatching(`[a-zA-Z0-9_.-]{0,8}`),
				rapid.String(), rapid.StringMatching(`.?`+pattern+`.?`),
			).Draw(t, "s")
			if check(s) != anchored.MatchString(s) {
				t.Fatalf("%q against %s: %t", s, pattern, check(s))
			}
		})
	}
}
