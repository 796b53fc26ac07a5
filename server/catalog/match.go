package catalog

import (
	"slices"
	"strings"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// How well a text has a word; the lower, the better.
const (
	matchStart = iota // the text begins with it
	matchPart         // one of its parts does, as in "load" and "orders-load"
	matchInside
	matchSpread // its letters are there in this order, with others between them
	noMatch
)

// matchOf returns how well the texts of a schedule have all words of a search: as well as the worst of the words in
// that text that has it best.
func matchOf(words, texts []string) int {
	worst := matchStart
	for _, word := range words {
		best := noMatch
		for _, text := range texts {
			best = min(best, wordMatch(word, text))
		}
		worst = max(worst, best)
	}
	return worst
}

func wordMatch(word, text string) int {
	at := strings.Index(text, word)
	switch {
	case at == 0:
		return matchStart
	case at > 0 && strings.ContainsAny(text[at-1:at], "-_ ."):
		return matchPart
	case at > 0:
		return matchInside
	}
	rest := text
	for _, letter := range word {
		i := strings.IndexRune(rest, letter)
		if i < 0 {
			return noMatch
		}
		rest = rest[i+len(string(letter)):]
	}
	return matchSpread
}

// searchTexts returns what a search finds a schedule by, in small letters.
func searchTexts(name, title string, former []string) []string {
	texts := append([]string{name}, former...)
	if title == "" {
		return texts
	}
	texts = append(texts, strings.ToLower(title))
	if letters := initials(title); letters != "" {
		texts = append(texts, letters)
	}
	return texts
}

// initials returns a text with the first letter of its pinyin for each common Chinese character, as people type it:
// "cktb" for "仓库同步". It is empty if there is no such character.
//
// GB 2312 lists its 3,755 common characters (level 1) by pinyin, so the code of a character tells its letter. A
// character with several readings has the one of the standard.
func initials(text string) string {
	var out strings.Builder
	han := false
	encoder := simplifiedchinese.GBK.NewEncoder()
	for _, r := range strings.ToLower(text) {
		if r < 0x80 {
			if r > ' ' {
				out.WriteRune(r)
			}
			continue
		}
		code, err := encoder.String(string(r))
		if err != nil || len(code) != 2 {
			encoder.Reset()
			continue
		}
		if letter, ok := letterOf(int(code[0])<<8 | int(code[1])); ok {
			han = true
			out.WriteByte(letter)
		}
	}
	if !han {
		return ""
	}
	return out.String()
}

// letterOf returns the first letter of the pinyin of a character of level 1 by its GB 2312 code.
func letterOf(code int) (byte, bool) {
	const letters = "abcdefghjklmnopqrstwxyz"
	starts := [len(letters) + 1]int{
		0xB0A1, 0xB0C5, 0xB2C1, 0xB4EE, 0xB6EA, 0xB7A2, 0xB8C1, 0xB9FE, 0xBBF7, 0xBFA6, 0xC0AC, 0xC2E8, 0xC4C3, 0xC5B6,
		0xC5BE, 0xC6DA, 0xC8BB, 0xC8F6, 0xCBFA, 0xCDDA, 0xCEF4, 0xD1B9, 0xD4D1, 0xD7FA,
	}
	i, found := slices.BinarySearch(starts[:], code)
	if !found {
		i--
	}
	if i < 0 || i >= len(letters) {
		return 0, false
	}
	return letters[i], true
}
