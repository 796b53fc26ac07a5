package alert

import "strings"

// secretPrefix begins the placeholder of a secret.
const secretPrefix = "secrets."

// placeholderNames lists the placeholders that the template of a channel may have, besides secrets.
func placeholderNames() []string {
	return []string{
		"id", "title", "text", "kind", "schedule", "batch", "task", "error", "owners", "link", "time", "count", "rule",
	}
}

// scan splits a template into its texts and the names of its placeholders, such as ${{ title }}. It returns false if a
// placeholder has no end.
func scan(template string, text, placeholder func(string)) (closed bool) {
	for {
		before, rest, found := strings.Cut(template, "${{")
		text(before)
		if !found {
			return true
		}
		name, after, ended := strings.Cut(rest, "}}")
		if !ended {
			return false
		}
		placeholder(strings.TrimSpace(name))
		template = after
	}
}

// Fill replaces the placeholders of a template by what value returns for their names.
func Fill(template string, value func(name string) string) string {
	var b strings.Builder
	scan(template, func(text string) { b.WriteString(text) }, func(name string) { b.WriteString(value(name)) })
	return b.String()
}
