package s3_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/server/logs/s3"
	"github.com/rprp/hivego/server/logs/s3/s3test"
)

// bucket makes a store over a gateway.
func bucket(g *s3test.Gateway, change func(*s3.Config)) *s3.Store {
	c := s3.Config{
		Bucket: s3test.Bucket, Prefix: "night/logs", Cluster: "c1", Endpoint: g.URL, Region: s3test.Region,
		Style: "auto", Access: s3test.Access, Secret: s3test.Secret,
	}
	if change != nil {
		change(&c)
	}
	return s3.New(c)
}

// silent is a source of logs without executors.
type silent struct{}

// ReadLog has no log.
func (silent) ReadLog(context.Context, hive.Executor, bool, hive.AttemptRef, int64, int) (hive.LogPart, bool, error) {
	return hive.LogPart{}, false, nil
}

// newStore makes a store of logs over a folder, and an archive if it is not nil.
func newStore(dir string, archive logs.Archive) *logs.Store {
	return logs.New(logs.Config{
		Dir: dir, Source: silent{}, Log: slog.New(slog.DiscardHandler), Archive: archive,
		Copied: func(string, []hive.AttemptRef) {},
		View:   func(context.Context) (fleet.LogView, bool) { return fleet.LogView{}, false },
	})
}

// run lets a store move its logs until the test ends.
func run(t *testing.T, s *logs.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { s.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// local lists the complete logs in a folder.
func local(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.log"))
	require.NoError(t, err)
	return files
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 10*time.Millisecond, what)
}

func ref(id int64) hive.AttemptRef { return hive.AttemptRef{ID: id, Key: fmt.Sprintf("k%d", id)} }

func ended(id, size int64) hive.Attempt {
	return hive.Attempt{
		ID: id, Key: ref(id).Key, Number: 1, State: hive.AttemptEnded, Outcome: hive.OutcomeSuccess, LogBytes: size,
	}
}

// TestPlaces reads, searches and removes logs in the folder and in the bucket: a reader notices no difference.
func TestPlaces(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	text := strings.Repeat("2026-01-01T00:00:00.000Z out a line of a log\n", 50_000) // 2.2 MB
	for name, archive := range map[string]logs.Archive{"folder": nil, "bucket": bucket(g, nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := newStore(dir, archive)
			for id, part := range map[int64]string{1: text, 1001: text[:45], 1002: text[:1]} {
				require.NoError(t, s.Keep(ref(id), []byte(part)))
			}
			if archive != nil {
				run(t, s)
				within(t, "the logs move", func() bool { return s.Moves().Moved == 3 })
				assert.Empty(t, local(t, dir))
				assert.Len(t, g.Objects(), 3)
			}
			size := int64(len(text))
			for _, r := range []struct {
				offset int64
				limit  int
				want   string
			}{
				{0, 1, text[:1]},
				{0, 1 << 30, text[:hive.MaxLogPart]},
				{90, 45, text[90:135]},
				{size - 10, 100, text[size-10:]},
				{size - 1, 1, text[size-1:]},
				{size, 10, ""},
				{size + 500, 10, ""},
				{7, 0, ""},
			} {
				got, err := s.Read(t.Context(), nil, ended(1, size), r.offset, r.limit)
				require.NoError(t, err, r)
				assert.Equal(t, r.want, string(got.Data), "bytes %d+%d", r.offset, r.limit)
				assert.Equal(t, hive.LogPart{Data: got.Data, Offset: r.offset, Size: size, Complete: true}, got)
			}
			var whole strings.Builder
			for whole.Len() < len(text) {
				got, err := s.Read(t.Context(), nil, ended(1, size), int64(whole.Len()), 1<<20)
				require.NoError(t, err)
				require.NotEmpty(t, got.Data)
				whole.Write(got.Data)
			}
			assert.Equal(t, text, whole.String())

			require.NoError(t, s.RemoveAll(t.Context(), []hive.AttemptRef{ref(1), ref(1002), ref(77)}))
			require.NoError(t, s.RemoveAll(t.Context(), []hive.AttemptRef{ref(1), ref(1002), ref(77)}), "again")
			_, err := s.Read(t.Context(), nil, ended(1, size), 0, 10)
			assert.Equal(t, hive.ErrorLogElsewhere, reason(err))
			got, err := s.Read(t.Context(), nil, ended(1001, 45), 0, 100)
			require.NoError(t, err)
			assert.Equal(t, text[:45], string(got.Data), "the others stay")
		})
	}
}

func reason(err error) hive.ErrorReason {
	if e, ok := errors.AsType[*hive.Error](err); ok {
		return e.Reason
	}
	return ""
}

// TestList lists by parts what the bucket has below the prefix of the cluster.
func TestList(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	b := bucket(g, nil)
	other := bucket(g, func(c *s3.Config) { c.Cluster = "c10" })
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(file, []byte("log\n"), 0o600))
	put := func(s *s3.Store, id int64) {
		f, err := os.Open(file)
		require.NoError(t, err)
		defer f.Close()
		require.NoError(t, s.Put(t.Context(), ref(id), f))
	}
	var want []int64
	for id := int64(1); id <= 5; id++ {
		put(b, id*700)
		want = append(want, id*700)
	}
	put(other, 9)
	var got []int64
	from := ""
	for more := true; more; more = from != "" {
		list, next, err := b.List(t.Context(), from, 2)
		require.NoError(t, err)
		for _, l := range list {
			got = append(got, l.Attempt.ID)
			assert.Equal(t, ref(l.Attempt.ID), l.Attempt)
			assert.Equal(t, int64(4), l.Size)
			assert.WithinDuration(t, time.Now(), l.At, time.Hour)
		}
		from = next
	}
	assert.ElementsMatch(t, want, got)
}

// TestRefused: what is wrong with the settings or the store is said, the log stays in the folder, and no other
// log suffers.
func TestRefused(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	overTLS := &url.URL{Scheme: "https", Host: g.URL.Host}
	nowhere := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	for name, c := range map[string]struct {
		change func(*s3.Config)
		words  string
	}{
		"unknown key":    {func(c *s3.Config) { c.Access = "somebody" }, "access key"},
		"wrong secret":   {func(c *s3.Config) { c.Secret = "another" }, "refuses the key"},
		"no bucket":      {func(c *s3.Config) { c.Bucket = "nothing-there" }, "no such bucket"},
		"another region": {func(c *s3.Config) { c.Region = "us-east-1" }, "correct --logs-s3-region"},
		"nobody listens": {func(c *s3.Config) { c.Endpoint = nowhere }, "does not answer"},
		"TLS":            {func(c *s3.Config) { c.Endpoint = overTLS }, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bucket(g, c.change)
			dir := t.TempDir()
			s := newStore(dir, b)
			require.NoError(t, s.Keep(ref(5), []byte("here\n")))
			_, err := s.Read(t.Context(), nil, ended(6, 10), 0, 10)
			assert.Equal(t, hive.ErrorLogStoreAway, reason(err), "%v", err)
			assert.Equal(t, hive.CodeUnavailable, hive.CodeOf(err))
			assert.ErrorContains(t, err, c.words)
			assert.ErrorContains(t, b.Try(t.Context()), c.words)
			require.Error(t, s.RemoveAll(t.Context(), []hive.AttemptRef{ref(6)}))
			run(t, s)
			within(t, "it is noticed", func() bool { return s.Moves().Away })
			assert.Len(t, local(t, dir), 1)
			got, err := s.Read(t.Context(), nil, ended(5, 5), 0, 10)
			require.NoError(t, err)
			assert.Equal(t, "here\n", string(got.Data))
		})
	}
	require.NoError(t, bucket(g, nil).Try(t.Context()))
	require.NoError(t, bucket(g, func(c *s3.Config) { c.Style, c.Prefix = "path", "" }).Try(t.Context()))
}

// TestDamaged: an object that was deleted or truncated in the bucket is never taken for a log.
func TestDamaged(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	b := bucket(g, nil)
	s := newStore(t.TempDir(), b)
	text := strings.Repeat("x", 1000)
	require.NoError(t, s.Keep(ref(1), []byte(text)))
	run(t, s)
	within(t, "the log moves", func() bool { return s.Moves().Moved == 1 })
	object := g.Objects()[0]
	assert.Contains(t, object, "/night/logs/c1/0/1-k1.log")

	require.NoError(t, os.Truncate(object, 600))
	for _, offset := range []int64{0, 500, 600, 5000} {
		_, err := s.Read(t.Context(), nil, ended(1, 1000), offset, 10)
		assert.Equal(t, hive.ErrorLogDamaged, reason(err), "from %d: %v", offset, err)
		assert.ErrorContains(t, err, "600 bytes of 1000")
	}
	require.NoError(t, os.Remove(object))
	_, err := s.Read(t.Context(), nil, ended(1, 1000), 0, 10)
	assert.Equal(t, hive.ErrorLogElsewhere, reason(err), "%v", err)
	assert.ErrorContains(t, err, "--logs-s3")
}

// TestAway: while the store is away, logs stay in the folder, and they move when it is back.
func TestAway(t *testing.T) {
	t.Parallel()
	g := s3test.Start(t)
	dir := t.TempDir()
	s := newStore(dir, bucket(g, nil))
	run(t, s)
	require.NoError(t, s.Keep(ref(1), []byte("before\n")))
	within(t, "the first log moves", func() bool { return s.Moves().Moved == 1 })

	g.Down()
	require.NoError(t, s.Keep(ref(2), []byte("during\n")))
	within(t, "it is noticed", func() bool { return s.Moves().Away && s.Moves().Waiting == 1 })
	got, err := s.Read(t.Context(), nil, ended(2, 7), 0, 10)
	require.NoError(t, err)
	assert.Equal(t, "during\n", string(got.Data))
	_, err = s.Read(t.Context(), nil, ended(1, 7), 0, 10)
	assert.Equal(t, hive.ErrorLogStoreAway, reason(err))

	g.Up()
	within(t, "the second log moves", func() bool { return s.Moves().Moved == 2 && !s.Moves().Away })
	assert.Empty(t, local(t, dir))
	got, err = s.Read(t.Context(), nil, ended(1, 7), 0, 10)
	require.NoError(t, err)
	assert.Equal(t, "before\n", string(got.Data))
}
