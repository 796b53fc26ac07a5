package dbtest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/backup"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/hive"
)

// folder makes the files of a server.
func folder(t *testing.T, files map[string]string) backup.Places {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return backup.Places{Data: dir, Logs: filepath.Join(dir, "logs"), Key: filepath.Join(dir, "secret.key")}
}

// content reads the regular files of a folder.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func serverFiles() map[string]string {
	return map[string]string{
		"secret.key": "the key", "secret.key.0123": "a former key", "certs/ca.crt": "a certificate",
		"executor/connections.yaml": "dw: postgres://x", "executor/journal/1": "not kept", "server-id": "nor this",
		"logs/0/12-abc.log": "a log\n", "logs/0/13-abc.part": strings.Repeat("a log that grows\n", 5000),
	}
}

func backUp(t *testing.T, c db.Config, places backup.Places, file string) (backup.Contents, error) {
	t.Helper()
	s := must(db.OpenSource(t.Context(), c, false))(t)
	defer s.Close() //nolint:errcheck // it was only read
	order := backup.Order{File: file, Places: places, Version: "1", From: c.Name(), Now: t0}
	return backup.Write(t.Context(), s, order)
}

func restore(ctx context.Context, t *testing.T, file string, to db.Config, places backup.Places) error {
	t.Helper()
	c, err := backup.Check(file)
	if err != nil {
		return err
	}
	target, err := db.OpenTarget(t.Context(), to, c.Origin(file), false)
	if err != nil {
		return err
	}
	_, err = backup.Restore(ctx, file, target, places)
	return errors.Join(err, target.Close())
}

// A backup can be restored into any kind of database, with all rows and files, and without live sessions.
func TestBackup(t *testing.T) {
	pairs(t, func(t *testing.T, from, to db.Config) {
		dbtest.Fill(t, from, migration.Latest(), manyRuns)
		file := filepath.Join(t.TempDir(), "backup")
		c := must(backUp(t, from, folder(t, serverFiles()), file))(t)
		info := must(os.Stat(file))(t)
		same(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
		same(t, "size", info.Size(), c.Size)
		if _, err := os.Stat(file + ".part"); !os.IsNotExist(err) {
			t.Errorf("something is left beside it: %v", err)
		}
		places := folder(t, map[string]string{"logs/0/12-abc.log": "that is there"})
		if err := restore(t.Context(), t, file, to, places); err != nil {
			t.Fatal(err)
		}
		files := serverFiles()
		files["logs/0/12-abc.log"] = "that is there"
		delete(files, "executor/journal/1")
		delete(files, "server-id")
		same(t, "files", fmt.Sprint(content(t, places.Data)), fmt.Sprint(files))

		sums, last := state(t, from)
		restored, goesOn := state(t, to)
		same(t, "last ids", fmt.Sprint(goesOn), fmt.Sprint(last))
		for _, changed := range []string{"servers", "counters"} {
			delete(sums, changed)
			delete(restored, changed)
		}
		same(t, "tables", fmt.Sprint(restored), fmt.Sprint(sums))
		s := dbtest.Open(t, to)
		for _, server := range must(s.Servers(t.Context()))(t) {
			same(t, "lease of "+server.ID, server.LeaseUntil.IsZero(), true)
		}
		me := hive.Server{ID: "server-1", Address: "127.0.0.1:3000", Version: "1", StartedAt: t0}
		if epoch := must(s.StartSession(t.Context(), me, lease))(t); epoch < dbtest.FillLast+1_000_000 {
			t.Errorf("epoch %d: executors may know a later one", epoch)
		}
	})
}

// A backup of each version is restored and brought to the latest one.
func TestBackupOfEachVersion(t *testing.T) {
	t.Parallel()
	for version := 1; version <= migration.Latest(); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			t.Parallel()
			from, to := dbtest.SQLite(t), dbtest.SQLite(t)
			dbtest.Fill(t, from, version, dbtest.FillRows)
			file := filepath.Join(t.TempDir(), "backup")
			must(backUp(t, from, backup.Places{}, file))(t)
			if err := restore(t.Context(), t, file, to, backup.Places{}); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(dbtest.Open(t, from).Close(), dbtest.Open(t, to).Close()); err != nil {
				t.Fatal(err)
			}
			sums, _ := state(t, from)
			restored, _ := state(t, to)
			for _, changed := range []string{"servers", "counters", "meta"} {
				delete(sums, changed)
				delete(restored, changed)
			}
			same(t, "tables", fmt.Sprint(restored), fmt.Sprint(sums))
		})
	}
}

// A restore that was interrupted leaves a database on which no server starts, and can be run again.
func TestRestoreAgain(t *testing.T) {
	pairs(t, func(t *testing.T, from, to db.Config) {
		dbtest.Fill(t, from, migration.Latest(), manyRuns)
		file := filepath.Join(t.TempDir(), "backup")
		c := must(backUp(t, from, backup.Places{}, file))(t)
		for range 2 {
			// The process dies after a part of the rows.
			target := must(db.OpenTarget(t.Context(), to, c.Origin(file), false))(t)
			s := must(db.OpenSource(t.Context(), from, false))(t)
			for _, table := range s.Tables[:len(s.Tables)/2] {
				if err := s.Chunks(t.Context(), table.Name, func(c transfer.Chunk) error {
					return target.Write(t.Context(), c)
				}); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(target.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
			_, err := db.Open(t.Context(), to)
			if hive.CodeOf(err) != hive.CodeConflict || !strings.Contains(err.Error(), "hivego restore") {
				t.Fatalf("a server starts on half of a backup, or says %v", err)
			}
		}
		if err := restore(t.Context(), t, file, to, backup.Places{}); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Open(t, to).Close(); err != nil {
			t.Fatal(err)
		}
		err := restore(t.Context(), t, file, to, backup.Places{})
		if hive.CodeOf(err) != hive.CodeConflict || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("a restore over a database: %v", err)
		}
	})
}

// A file that lacks its end, has a wrong byte or is something else is refused.
func TestDamagedBackup(t *testing.T) {
	t.Parallel()
	from := dbtest.SQLite(t)
	dbtest.Fill(t, from, migration.Latest(), dbtest.FillRows)
	file := filepath.Join(t.TempDir(), "backup")
	must(backUp(t, from, folder(t, serverFiles()), file))(t)
	must(backup.Check(file))(t)
	raw := must(os.ReadFile(file))(t)
	spoilt := filepath.Join(t.TempDir(), "spoilt")
	refused := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(spoilt, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := backup.Check(spoilt); err == nil {
			t.Errorf("%s: it passes as a backup with %d rows", what, c.Rows())
		} else if !strings.Contains(err.Error(), spoilt) {
			t.Errorf("%s: the error does not name the file: %v", what, err)
		}
	}
	for cut := 0; cut < len(raw); cut += max(1, len(raw)/200) {
		refused(fmt.Sprintf("%d of %d bytes", cut, len(raw)), raw[:cut])
	}
	refused("one byte less", raw[:len(raw)-1])
	refused("more bytes", append(slices.Clip(raw), "more"...))
	refused("itself twice", append(slices.Clip(raw), raw...))
	content := unzipped(raw)
	for at := 20; at < len(raw); at += max(1, len(raw)/200) { // before that are times and names that nobody reads
		wrong := append([]byte(nil), raw...)
		wrong[at] ^= 0x20
		if !bytes.Equal(unzipped(wrong), content) { // between two blocks are bits that say nothing
			refused(fmt.Sprintf("byte %d", at), wrong)
		}
	}
	refused("a text", []byte("not a backup"))
	if _, err := backup.Check(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// unzipped returns what a file of gzip holds, or nil if it cannot be read.
func unzipped(raw []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return content
}

// A file that exists is replaced only on request, and never before the new one is complete.
func TestBackupKeepsFiles(t *testing.T) {
	t.Parallel()
	from := dbtest.SQLite(t)
	dbtest.Fill(t, from, migration.Latest(), dbtest.FillRows)
	file := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+".part", []byte(strings.Repeat("of a run that was killed", 1e5)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := backUp(t, from, backup.Places{}, file); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Fatalf("it replaces a file, or says %v", err)
	}
	same(t, "file", string(must(os.ReadFile(file))(t)), "precious")
	s := must(db.OpenSource(t.Context(), from, false))(t)
	defer s.Close() //nolint:errcheck // it was only read
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	order := backup.Order{File: file, Force: true, Now: t0}
	if _, err := backup.Write(ctx, s, order); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	same(t, "file after a failure", string(must(os.ReadFile(file))(t)), "precious")
	s = must(db.OpenSource(t.Context(), from, false))(t)
	defer s.Close() //nolint:errcheck // it was only read
	must(backup.Write(t.Context(), s, order))(t)
	must(backup.Check(file))(t)
	same(t, "mode", must(os.Stat(file))(t).Mode().Perm(), os.FileMode(0o600))
}

// A file that somebody has changed and packed again is refused, and one of a newer program is refused with that word.
func TestChangedBackup(t *testing.T) {
	t.Parallel()
	from := dbtest.SQLite(t)
	dbtest.Fill(t, from, migration.Latest(), dbtest.FillRows)
	file := filepath.Join(t.TempDir(), "backup")
	must(backUp(t, from, folder(t, serverFiles()), file))(t)
	raw := must(os.ReadFile(file))(t)
	unpacked := must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(raw)))(t)))(t)
	schema := fmt.Sprintf(`"schema": %d,`, migration.Latest())
	for old, c := range map[string]struct{ fresh, words string }{
		"a former key":  {"another key!", "other checksums"},
		"succeeded":     {"cancelled", "other checksums"},
		"logs/0/12-abc": {"../../12-abcd", "unknown file"},
		"tables/users/": {"tables/tasks/", "other checksums"},
		schema:          {strings.Replace(schema, fmt.Sprint(migration.Latest()), "99", 1), "use the newer hivego"},
		`"format": 1,`:  {`"format": 9,`, "newer format"},
	} {
		changed := bytes.Replace(unpacked, []byte(old), []byte(c.fresh), 1)
		if bytes.Equal(changed, unpacked) || len(changed) != len(unpacked) {
			t.Fatalf("%q cannot be replaced", old)
		}
		changed = checksummed(changed)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		must(z.Write(changed))(t)
		if err := errors.Join(z.Close(), os.WriteFile(file, packed.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Check(file); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %s", old, err, c.words)
		}
	}
}

// checksummed corrects the checksums of the headers of a tar.
func checksummed(archive []byte) []byte {
	const block = 512
	for at := 0; at+block <= len(archive); {
		header := archive[at : at+block]
		size, err := strconv.ParseInt(strings.Trim(string(header[124:136]), " \x00"), 8, 64)
		if err != nil {
			break // the end
		}
		copy(header[148:156], "        ")
		sum := 0
		for _, b := range header {
			sum += int(b)
		}
		copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
		at += block + int((size+block-1)/block*block)
	}
	return archive
}
