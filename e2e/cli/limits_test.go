package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// A pool counts over two schedules, the server can be paused and continued while it runs, and why names what a task
// waits for and who holds it.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	stop := t.TempDir() + "/stop"
	for _, name := range []string{"one", "two"} {
		s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: " + name + "\njobs: [{key: j, tasks: [{key: t, " +
			"handler: shell, pool: {name: dw, slots: 2}, params: {command: 'while [ ! -e " + stop +
			" ]; do sleep 0.1; done'}}]}]\n")
	}
	why := func(batch int64, wants ...string) {
		t.Helper()
		var got string
		harness.EventuallyOr(t, "why tells "+strings.Join(wants, ", "), func() bool {
			got = s.CLI("why", strconv.FormatInt(batch, 10), "t")
			got = strings.Join(strings.Fields(got), " ") // the columns of the table
			for _, want := range wants {
				if !strings.Contains(got, want) {
					return false
				}
			}
			return true
		}, func() string { return got })
	}
	first := s.Run("one")
	why(first, `there is no pool "dw"`, "hivego pools set dw N")
	s.CLI("pools", "set", "dw", "1")
	why(first, "it needs 2 slots", "which has 1")
	s.CLI("limit", "server", "0", "--reason", "deploy")
	s.CLI("pools", "set", "dw", "3", "--reason", "three cores")
	why(first, "nothing of the server starts", "deploy")
	if got := s.CLI("limit"); !strings.Contains(got, "server") || !strings.Contains(got, "deploy") ||
		strings.Contains(got, "dw") {
		t.Errorf("hivego limit:\n%s", got)
	}
	s.CLI("limit", "server", "off")
	s.CLI("limit", "server", "off") // it is off already
	why(first, "it runs on")
	second := s.Run("two")
	why(second, `2 slots of pool "dw", of whose 3 slots 2 are taken`, fmt.Sprint("embedded ", first, " one t"))
	pools := s.CLI("pools")
	for _, want := range []string{"dw", "2", "3", "three cores"} {
		if !strings.Contains(pools, want) {
			t.Errorf("hivego pools lacks %q:\n%s", want, pools)
		}
	}
	for _, args := range [][]string{
		{"pools", "set", "dw", "-1"}, {"pools", "delete", "none"}, {"limit", "tag", "x", "many"},
	} {
		if r := s.Try(args...); r.Code == 0 {
			t.Errorf("hivego %v succeeds: %s", args, r.Stdout)
		}
	}
	s.CLI("pools", "set", "dw", "4")
	why(second, "it runs on")
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.WaitEnd(first)
	s.WaitEnd(second)
	s.CLI("pools", "delete", "dw")
}
