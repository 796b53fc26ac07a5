package batch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// refused checks the code of an error, and that it has the words.
func refused(t *testing.T, err error, code hive.Code, words string) {
	t.Helper()
	if err == nil || hive.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("error %v, want %s with %q", err, code, words)
	}
}
