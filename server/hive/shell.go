package hive

import "strings"

// ShellWord quotes a word for a shell, if needed: commands that texts propose can be pasted.
func ShellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return r > '~' || r != '_' && !strings.ContainsRune("%+,-./:=@", r) &&
			!('0' <= r && r <= '9' || 'a' <= r|' ' && r|' ' <= 'z')
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
