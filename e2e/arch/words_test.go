package arch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bannedWords are words that names must not contain, with the word to use. A word counts where it stands by itself in a
// name: hand in lastHand, not in handler.
func bannedWords() map[string]string {
	return map[string]string{
		"aloft":     "openRuns",
		"anew":      "again",
		"blames":    "isCauseOf",
		"cancelled": "canceled",
		"clerk":     "loader",
		"deaf":      "unresponsive",
		"deed":      "behavior",
		"desk":      "store, semaphore or fixture",
		"doom":      "requestKill",
		"farewell":  "stoppedBoot or closing",
		"hand":      "attempt or gesture",
		"hands":     "gestures",
		"heed":      "handle",
		"hurry":     "requestFlush",
		"mute":      "silent",
		"newcomer":  "registration",
		"parked":    "retryQueue",
		"rack":      "laneLayout",
		"ripe":      "visible",
		"roster":    "executorSync",
		"said":      "text, reason or sentence",
		"seats":     "mountedCards",
		"sheet":     "writeSet, dialog or drawer",
		"sight":     "visibleRange",
		"stranger":  "client",
		"stray":     "untracked attempt",
		"stretches": "runs",
		"told":      "published, reported or shown",
		"twin":      "duplicate",
		"vouches":   "provesNeeds",
		"young":     "pristine",
	}
}

// bannedPhrases are turns of comments and pages that a reader has to read twice, with the remedy.
func bannedPhrases() map[string]string {
	return map[string]string{
		"of which":      "make two sentences",
		"of whom":       "make two sentences",
		"what one sees": "say who sees what",
		"cancelled":     "write canceled",
		"he or she":     "name the user or the program",
		"his own":       "name the user or the program",
	}
}

var (
	literals = regexp.MustCompile(
		"(?s)//[^\n]*|/\\*.*?\\*/|\"(?:\\\\.|[^\"\\\\\n])*\"|`[^`]*`|'(?:\\\\.|[^'\\\\\n])*'")
	comments  = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)
	names     = regexp.MustCompile(`[A-Za-z_]\w*`)
	nameParts = regexp.MustCompile(`[A-Z]+(?:[^a-zA-Z]|$)|[A-Z]?[a-z]+|[A-Z]`)
	codeFile  = regexp.MustCompile(`\.(go|tsx?|css|py|mjs|js)$`)
	prose     = regexp.MustCompile(`\.(md|thrift)$`)
	written   = regexp.MustCompile(`(^|/)gen/|\.gen\.go$|schema\.d\.ts$|^CHANGELOG\.md$|^e2e/arch/words_test\.go$`)
)

// tracked lists the files of the repository that people write, from its root.
func tracked(t *testing.T) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "ls-files")
	command.Dir = root
	out, err := command.Output()
	if err != nil { // a copy of the source without its history
		var files []string
		skipped := []string{".git", "bin", "data", "dist", "node_modules", ".venv"}
		err = filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains(skipped, d.Name()):
				return filepath.SkipDir
			case !d.IsDir():
				name, err = filepath.Rel(root, name)
				files = append(files, filepath.ToSlash(name))
			}
			return err
		})
		require.NoError(t, err)
		return files
	}
	return strings.Fields(string(out))
}

// TestNoBannedWords holds names, comments and pages to plain words.
func TestNoBannedWords(t *testing.T) {
	t.Parallel()
	read, banned := 0, bannedWords()
	for _, file := range tracked(t) {
		if written.MatchString(file) || !codeFile.MatchString(file) && !prose.MatchString(file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, file))
		if os.IsNotExist(err) { // removed, and not committed yet
			continue
		}
		require.NoError(t, err)
		read++
		for _, fault := range wordFaults(file, string(text), banned) {
			t.Error(fault)
		}
	}
	require.Greater(t, read, 1000, "the files of the project are not found")
}

// wordFaults lists the banned words and phrases of a file.
func wordFaults(file, text string, banned map[string]string) []string {
	var faults []string
	spoken := text
	if codeFile.MatchString(file) {
		base, _, _ := strings.Cut(filepath.Base(file), ".")
		faults = slices.Concat(nameFaults(file, text, banned), wordsOf(base, file, banned))
		spoken = strings.Join(comments.FindAllString(text, -1), "\n")
	}
	spoken = strings.Join(strings.Fields(strings.NewReplacer("//", " ", "*", " ").Replace(spoken)), " ")
	for phrase, remedy := range bannedPhrases() {
		if i := strings.Index(strings.ToLower(spoken), phrase); i >= 0 {
			faults = append(faults, fmt.Sprintf("%s: %q: %s (… %s …)", file, phrase, remedy,
				spoken[max(0, i-40):min(len(spoken), i+60)]))
		}
	}
	slices.Sort(faults)
	return faults
}

// nameFaults lists the banned words in the names of a file. It splits each name once, however often the file uses it.
func nameFaults(file, text string, banned map[string]string) []string {
	var faults []string
	all := names.FindAllString(literals.ReplaceAllString(text, " "), -1)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		faults = append(faults, wordsOf(name, file, banned)...)
	}
	slices.Sort(faults)
	return slices.Compact(faults)
}

// wordsOf lists the banned words of a name.
func wordsOf(name, file string, banned map[string]string) []string {
	var faults []string
	words := nameParts.FindAllString(name, -1)
	for i, w := range words {
		w = strings.ToLower(w)
		next := ""
		if i+1 < len(words) {
			next = strings.ToLower(words[i+1])
		}
		use, found := banned[w]
		if found && (w != "hand" || next != "over") {
			faults = append(faults, fmt.Sprintf("%s: %s: do not say %q; say %s", file, name, w, use))
		}
	}
	return faults
}

func TestWordFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"func lastHand() {}":                              1,
		"func handler() { handOver(\"told\") }":           0,
		"// the row of which one was told\nvar lower int": 1,
		"var toldAgain, told_again int":                   2,
		"/* rows, of\n * which some */":                   1,
		"const upper = `of which`":                        0,
	} {
		require.Len(t, wordFaults("a/b.go", text, bannedWords()), want, text)
	}
	require.Len(t, wordFaults("a/desk.go", "", bannedWords()), 1)
	require.Len(t, wordFaults("docs/a.md", "a table, of which\nrows are read", bannedWords()), 1)
}
