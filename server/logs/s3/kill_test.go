package s3_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs/s3"
	"github.com/rprp/hivego/server/logs/s3/s3test"
)

// The folder and the URL of a process that only moves logs.
const (
	moverDir = "HIVEGO_TEST_MOVER_DIR"
	moverURL = "HIVEGO_TEST_MOVER_URL"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(moverDir); dir != "" {
		u, err := url.Parse(os.Getenv(moverURL))
		if err != nil {
			panic(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		go func() { // the test has ended
			_, _ = io.Copy(io.Discard, os.Stdin)
			stop()
		}()
		newStore(dir, bucket(&s3test.Gateway{URL: u}, func(c *s3.Config) { c.Rate = 8 << 20 })).Run(ctx)
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// TestKilled kills a process again and again while it moves logs. Each log can be read at any time, and in the end all
// have moved.
func TestKilled(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	dir := t.TempDir()
	s := newStore(dir, bucket(g, nil))
	texts := map[int64]string{}
	for id := int64(1); id <= 60; id++ {
		texts[id] = strings.Repeat(fmt.Sprintf("line %d of a log\n", id), int(id)*200)
		require.NoError(t, s.Keep(ref(id), []byte(texts[id])))
	}
	check := func() {
		for id, text := range texts {
			got, err := s.Read(t.Context(), nil, ended(id, int64(len(text))), 0, hive.MaxLogPart)
			require.NoError(t, err, id)
			require.Equal(t, text, string(got.Data), id)
			require.True(t, got.Complete)
		}
	}
	kills := 0
	for len(local(t, dir)) > 0 {
		m := startMover(t, dir, g)
		if kills < 12 {
			most := max(len(local(t, dir))-1-rand.N(6), 0)
			within(t, "it moves", func() bool { return len(local(t, dir)) <= most })
			kills++
		} else {
			within(t, "all logs move", func() bool { return len(local(t, dir)) == 0 })
		}
		require.NoError(t, m.Process.Kill())
		_ = m.Wait()
		check()
	}
	assert.Len(t, g.Objects(), len(texts))
	assert.Greater(t, kills, 3)
}

// startMover starts a process that moves the logs of a folder.
func startMover(t *testing.T, dir string, g *s3test.Gateway) *exec.Cmd {
	t.Helper()
	m := exec.CommandContext(t.Context(), os.Args[0])
	m.Env = append(os.Environ(), moverDir+"="+dir, moverURL+"="+g.URL.String())
	m.Stderr = os.Stderr
	_, err := m.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, m.Start())
	return m
}
