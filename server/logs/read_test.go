package logs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// The result of Read depends on who has the log.
func TestRead(t *testing.T) {
	t.Parallel()
	e := hive.Executor{ID: "x", Durable: true}
	gone := hive.Executor{ID: "y", Address: "y:9", Durable: true}
	running := hive.Attempt{State: hive.AttemptRunning}
	ended := hive.Attempt{State: hive.AttemptEnded, Outcome: hive.OutcomeSuccess}
	lost := hive.Attempt{State: hive.AttemptEnded, Outcome: hive.OutcomeLost}
	wrote, ran := ended, lost
	wrote.LogBytes, wrote.Number = 100, 3
	ran.StartedAt = time.Now()
	for name, c := range map[string]struct {
		attempt      hive.Attempt
		executor     *hive.Executor
		live         string // of the executor; empty: it has none
		grows        bool
		whole, part  string // of the store
		want         string
		wantComplete bool
		elsewhere    bool // it is refused
	}{
		"in the store":                         {ended, &e, "", false, "all of it", "", "all of it", true, false},
		"in the store, executor deleted":       {ended, nil, "", false, "all of it", "", "all of it", true, false},
		"at the executor":                      {running, &e, "so far", true, "", "so", "so far", false, false},
		"at the executor, ended":               {ended, &e, "all", false, "", "", "all", true, false},
		"nowhere, not begun":                   {running, &e, "", false, "", "", "", false, false},
		"nowhere, ended":                       {ended, &e, "", false, "", "", "", true, false},
		"executor away, running":               {running, &gone, "", false, "", "so", "so", false, false},
		"executor away, ended":                 {ended, &gone, "", false, "", "so", "so", false, false},
		"executor away, lost":                  {lost, &gone, "", false, "", "so", "so", true, false},
		"executor deleted":                     {ended, nil, "", false, "", "so", "so", true, false},
		"executor has it no more, partly here": {ended, &e, "", false, "", "so", "so", true, false},
		"in another server's folder":           {wrote, &e, "", false, "", "", "", false, true},
		"elsewhere, executor deleted":          {wrote, nil, "", false, "", "", "", false, true},
		"elsewhere, executor away":             {wrote, &gone, "", false, "", "", "", false, false},
		"lost while it ran, nowhere":           {ran, &e, "", false, "", "", "", false, true},
		"lost while it ran, executor deleted":  {ran, nil, "", false, "", "", "", false, true},
		"lost, partly here":                    {ran, nil, "", false, "", "so", "so", true, false},
		"lost before it began":                 {lost, &e, "", false, "", "", "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newCopying(t, t.TempDir())
			x := s.add("x")
			if c.executor == &e {
				row := x.row()
				c.executor = &row
			}
			c.attempt.ID = 7
			if c.live != "" {
				x.write(7, c.live, !c.grows)
			}
			for suffix, text := range map[string]string{wholeLog: c.whole, partLog: c.part} {
				if text != "" {
					require.NoError(t, os.MkdirAll(filepath.Dir(s.path(ref(7), suffix)), 0o700))
					require.NoError(t, os.WriteFile(s.path(ref(7), suffix), []byte(text), 0o600))
				}
			}
			got, err := s.Read(t.Context(), c.executor, c.attempt, 0, 1<<30)
			if c.elsewhere {
				refused, _ := errors.AsType[*hive.Error](err)
				require.NotNil(t, refused)
				assert.Equal(t, hive.ErrorLogElsewhere, refused.Reason)
				assert.Contains(t, refused.Words, "--logs")
				if c.attempt.LogBytes > 0 { // a reader who has read it to its end elsewhere gets no error
					end, err := s.Read(t.Context(), c.executor, c.attempt, c.attempt.LogBytes, 10)
					require.NoError(t, err)
					want := hive.LogPart{Offset: c.attempt.LogBytes, Size: c.attempt.LogBytes, Complete: true}
					assert.Equal(t, want, end)
				}
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got.Data))
			assert.Equal(t, int64(len(c.want)), got.Size)
			assert.Equal(t, c.wantComplete, got.Complete)
			beyond, err := s.Read(t.Context(), c.executor, c.attempt, 100, 10)
			require.NoError(t, err)
			assert.Empty(t, beyond.Data)
			if len(c.want) > 2 {
				mid, err := s.Read(t.Context(), c.executor, c.attempt, 1, 1)
				require.NoError(t, err)
				assert.True(t, bytes.Equal([]byte(c.want[1:2]), mid.Data))
			}
		})
	}
}

// A key that no server made never leads out of the folder.
func TestHostileKeys(t *testing.T) {
	t.Parallel()
	s := New(Config{Dir: "/logs"})
	for _, key := range []string{"/../../etc/cron.d/x", "a/b", "..", "a\x00b", "a b", strings.Repeat("k", 65), "é"} {
		assert.Equal(t, "/logs/0/5-invalid.log", s.path(hive.AttemptRef{ID: 5, Key: key}, wholeLog))
	}
}
