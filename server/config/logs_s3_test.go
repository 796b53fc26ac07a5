package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// s3Refusals returns wrong settings of the store of logs.
func s3Refusals() map[string]refusal {
	key := "--logs-s3-key-file=testdata/s3-key"
	with := func(words string, flags ...string) refusal {
		return refusal{given{flags: append(flags, key)}, []string{words}}
	}
	return map[string]refusal{
		"S3, no URL":          with("write s3://BUCKET", "--logs-s3=logs"),
		"S3, no bucket":       with("write s3://BUCKET", "--logs-s3=s3://"),
		"S3, bucket's form":   with("lower-case letters", "--logs-s3=s3://Logs"),
		"S3, prefix's form":   with("between slashes", "--logs-s3=s3://logs/../x"),
		"S3, style":           with("auto, path or host", "--logs-s3=s3://logs", "--logs-s3-style=virtual"),
		"S3, no region":       with("--logs-s3-region", "--logs-s3=s3://logs", "--logs-s3-region="),
		"S3, soon":            with("at least 1m, or 0", "--logs-s3=s3://logs", "--logs-move-after=5s"),
		"S3, endpoint":        with("write the address alone", "--logs-s3=s3://logs", "--logs-s3-endpoint=minio:9000"),
		"S3, endpoint's path": with("belongs to --logs-s3", "--logs-s3=s3://logs", "--logs-s3-endpoint=https://m/x"),
		"S3, plain":           with("over TLS only", "--logs-s3=s3://logs", "--logs-s3-endpoint=http://minio:9000"),
		"S3, great logs":      with("at most 5GiB", "--logs-s3=s3://logs", "--log-limit=6GiB"),
		"S3, file alone":      with("are for --logs-s3"),
		"S3, no key":          {given{flags: []string{"--logs-s3=s3://logs"}}, []string{"--logs-s3-key-file"}},
	}
}

func TestLogsS3(t *testing.T) {
	t.Parallel()
	f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	c := BindServe(f)
	_, err := given{flags: []string{
		"--logs-s3=s3://my.logs/a/b=c/", "--logs-s3-region=eu-west-1", "--logs-s3-key-file=testdata/s3-key",
		"--logs-move-after=7d", "--logs-s3-rate=5MiB",
	}}.resolve(t, f)
	if err != nil {
		t.Fatal(err)
	}
	c.LogsS3.Access, c.LogsS3.Secret = "a", "b"
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	s := &c.LogsS3
	if s.Bucket != "my.logs" || s.Prefix != "a/b=c" || s.URL.String() != "https://s3.eu-west-1.amazonaws.com" {
		t.Errorf("%+v", s)
	}
	for _, endpoint := range []string{"http://127.0.0.1:9000", "http://localhost/", "http://[::1]", "https://minio:9"} {
		s.Endpoint = endpoint
		if err := c.check(); err != nil {
			t.Error(err)
		}
	}
}

// TestS3Key takes the key out of the environment, or reads its file.
func TestS3Key(t *testing.T) {
	t.Setenv(s3Access, "shown")
	t.Setenv(s3Secret, "s3cret")
	c := &LogsS3{}
	if err := c.readKey(os.LookupEnv); err != nil || c.Access != "shown" || c.Secret != "s3cret" {
		t.Errorf("%+v, %v", c, err)
	}
	if _, there := os.LookupEnv(s3Secret); there {
		t.Error("processes that the server starts get the key")
	}
	file := filepath.Join(t.TempDir(), "key")
	for text, want := range map[string]string{
		"access\nsecret\n": "", "access secret": "", "access\n": "on one line", "a\nb\nc\n": "nothing else",
		"": "on one line",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := &LogsS3{KeyFile: file}
		err := c.readKey(os.LookupEnv)
		switch {
		case want == "" && (err != nil || c.Access != "access" || c.Secret != "secret"):
			t.Errorf("%q: %+v, %v", text, c, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, env := range []map[string]string{
		{s3Access: "a"}, {s3Access: "a", s3Secret: "b"},
	} {
		c := &LogsS3{KeyFile: file}
		err := c.readKey(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if err == nil || !strings.Contains(err.Error(), s3Access) {
			t.Errorf("%v: %v", env, err)
		}
	}
}
