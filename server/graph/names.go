package graph

// The patterns of names and keys, as documentation. The functions below check them without package regexp: every loaded
// batch is checked, and compiling the patterns would take longer than the rest of the check.
const (
	namePattern  = `[a-z0-9][a-z0-9-]{0,62}`
	keyPattern   = `[A-Za-z0-9][A-Za-z0-9_-]{0,127}`
	paramPattern = `[a-z][a-z0-9_]{0,62}`
	sitePattern  = `[A-Za-z0-9][A-Za-z0-9_.-]{0,252}` // groups, executors, handlers, labels; may be host names
)

// IsName reports whether a schedule may have this name.
func IsName(s string) bool { return isName(s) }

// IsSiteName reports whether a handler, group, executor, label or pool may have this name.
func IsSiteName(s string) bool { return isSite(s) }

func isName(s string) bool {
	return fits(s, 63, func(c byte, first bool) bool { return lower(c) || digit(c) || !first && c == '-' })
}

func isKey(s string) bool {
	return fits(s, 128, func(c byte, first bool) bool {
		return lower(c) || upper(c) || digit(c) || !first && (c == '_' || c == '-')
	})
}

func isParam(s string) bool {
	return fits(s, 63, func(c byte, first bool) bool { return lower(c) || !first && (digit(c) || c == '_') })
}

func isSite(s string) bool {
	return fits(s, 253, func(c byte, first bool) bool {
		return lower(c) || upper(c) || digit(c) || !first && (c == '_' || c == '.' || c == '-')
	})
}

// fits reports whether s has 1 to most bytes and all are allowed; first is true for the first byte.
func fits(s string, most int, allowed func(c byte, first bool) bool) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		if !allowed(s[i], i == 0) {
			return false
		}
	}
	return true
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
