package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPassPrintsWhatFailedAndKeepsTheTimes(t *testing.T) {
	t.Parallel()
	events := `not json
{"Action":"output","Package":"github.com/a/b/c","Test":"TestGood","Output":"noise\n"}
{"Action":"pass","Package":"github.com/a/b/c","Test":"TestGood","Elapsed":3}
{"Action":"output","Package":"github.com/a/b/c","Test":"TestBad","Output":"why\n"}
{"Action":"fail","Package":"github.com/a/b/c","Test":"TestBad","Elapsed":1}
{"Action":"output","Package":"github.com/a/b/c","Output":"FAIL c\n"}
{"Action":"fail","Package":"github.com/a/b/c","Elapsed":4}
`
	into := filepath.Join(t.TempDir(), "go.json")
	var out strings.Builder
	require.EqualError(t, pass(strings.NewReader(events), &out, into), "tests failed")
	require.Equal(t, "not json\nwhy\nFAIL c\n", out.String())

	web := filepath.Join(t.TempDir(), "unit.json")
	require.NoError(t, os.WriteFile(web, []byte(`{"testResults":[{"name":"/x/y.test.ts","assertionResults":[
		{"fullName":"draws","duration":2500}]}]}`), 0o600))
	var listed strings.Builder
	require.NoError(t, list(&listed, []string{into, web, "missing"}))
	require.Equal(t, `The 3 slowest of 3 tests:
     3.0 s  c TestGood
     2.5 s  y.test.ts draws
     1.0 s  c TestBad
`, listed.String())
}

func TestPassPrintsTheOutputOfADeadProcess(t *testing.T) {
	t.Parallel()
	events := `{"Action":"output","Package":"github.com/a/b/c","Test":"TestX","Output":"panic\n"}
{"Action":"build-output","ImportPath":"github.com/a/b/d","Output":"undefined: x\n"}
{"Action":"build-fail","ImportPath":"github.com/a/b/d"}
`
	var out strings.Builder
	require.Error(t, pass(strings.NewReader(events), &out, filepath.Join(t.TempDir(), "go.json")))
	require.Equal(t, "undefined: x\npanic\n", out.String())
}
