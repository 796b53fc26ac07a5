package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rprp/hivego/server/hive"
)

// The environment variables with the key of the store of logs.
const (
	s3Access = "HIVEGO_LOGS_S3_ACCESS_KEY"
	s3Secret = "HIVEGO_LOGS_S3_SECRET_KEY"
)

// LogsS3 holds the settings of the store that complete logs move to.
type LogsS3 struct {
	Place     string // s3://BUCKET/PREFIX; empty: logs do not move
	Endpoint  string // URL of the store; empty: Amazon's in the region
	Region    string
	Style     string // of requests: auto, path or host
	KeyFile   string // has the access key and the secret key, a line each
	CA        string // PEM file of the authority of the store's certificate
	Rate      int64  // bytes a second; 0: no limit
	MoveAfter hive.Duration

	Bucket, Prefix string
	Access, Secret string // the key, from the file or the environment
	URL            *url.URL
}

func bindLogsS3(f *pflag.FlagSet, c *LogsS3) {
	c.MoveAfter = hive.Duration(24 * time.Hour)
	f.StringVar(&c.Place, "logs-s3", "",
		"s3://BUCKET/PREFIX that complete logs move to from the folder (default: they stay in the folder)")
	f.StringVar(&c.Endpoint, "logs-s3-endpoint", "",
		"URL of the S3 store, such as https://minio.example:9000 (default: Amazon S3 in the region)")
	f.StringVar(&c.Region, "logs-s3-region", "us-east-1", "region of the bucket")
	f.StringVar(&c.Style, "logs-s3-style", "auto", "how requests name the bucket: path, host (in the host's name), or "+
		"auto (host at Amazon, else path)")
	f.StringVar(&c.KeyFile, "logs-s3-key-file", "", "file with the access key and, on a second line, the secret key; "+
		s3Access+" and "+s3Secret+" may have them instead")
	f.StringVar(&c.CA, "logs-s3-ca", "", "PEM file of the authority that the store's certificate comes from")
	f.Var(size{&c.Rate}, "logs-s3-rate", "bytes a second that are sent at most, such as 5MiB; 0: no limit")
	f.Var(duration{&c.MoveAfter}, "logs-move-after",
		"age at which a log moves, from its last change; 0: as soon as it is complete")
}

// readKey takes the key out of the environment, or reads its file.
func (c *LogsS3) readKey(getenv func(string) (string, bool)) error {
	access, inEnv := getenv(s3Access)
	secret, alsoInEnv := getenv(s3Secret)
	err := errors.Join(os.Unsetenv(s3Access), os.Unsetenv(s3Secret)) // no process that the server starts may have them
	switch {
	case err != nil:
		return fmt.Errorf("take the key of --logs-s3 out of the environment: %w", err)
	case inEnv != alsoInEnv:
		return fmt.Errorf("%s and %s go together: give both", s3Access, s3Secret)
	case inEnv && c.KeyFile != "":
		return fmt.Errorf("--logs-s3-key-file and %s: give only one of them", s3Access)
	case inEnv:
		c.Access, c.Secret = access, secret
		return nil
	case c.KeyFile == "":
		return nil
	}
	raw, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return fmt.Errorf("--logs-s3-key-file: %w", err)
	}
	lines := strings.Fields(string(raw))
	if len(lines) != 2 {
		return fmt.Errorf("--logs-s3-key-file: %s has to have the access key on one line and the secret key on the "+
			"next one, and nothing else", c.KeyFile)
	}
	c.Access, c.Secret = lines[0], lines[1]
	return nil
}

// check checks the settings, and splits them.
func (c *LogsS3) check() error {
	if c.Place == "" {
		if c.Endpoint != "" || c.KeyFile != "" || c.CA != "" {
			return errors.New("--logs-s3-endpoint, --logs-s3-key-file and --logs-s3-ca are for --logs-s3: name its " +
				"bucket, or leave them out")
		}
		return nil
	}
	rest, ok := strings.CutPrefix(c.Place, "s3://")
	c.Bucket, c.Prefix, _ = strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	if !ok || !bucketForm.MatchString(c.Bucket) || !prefixForm.MatchString(c.Prefix) {
		return fmt.Errorf("--logs-s3 %q: write s3://BUCKET or s3://BUCKET/PREFIX; a bucket has 3 to 63 lower-case "+
			"letters, digits, dots and hyphens, a prefix letters, digits and -_.= between slashes", c.Place)
	}
	if c.Style != "auto" && c.Style != "path" && c.Style != "host" {
		return fmt.Errorf("--logs-s3-style %q: auto, path or host", c.Style)
	}
	if c.Region == "" {
		return errors.New("--logs-s3-region: name the region of the bucket; stores of your own often have us-east-1")
	}
	if after := c.MoveAfter.Std(); after < 0 || after != 0 && after < time.Minute {
		return fmt.Errorf("--logs-move-after %s: at least 1m, or 0 for at once", c.MoveAfter)
	}
	if err := c.checkEndpoint(); err != nil {
		return err
	}
	if c.Access == "" || c.Secret == "" {
		return fmt.Errorf("--logs-s3 needs a key; put the access key and the secret key into a file, a line each, and "+
			"name it with --logs-s3-key-file, or set %s and %s", s3Access, s3Secret)
	}
	return nil
}

// A bucket, and a prefix.
var (
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	prefixForm = regexp.MustCompile(`^([A-Za-z0-9_=][A-Za-z0-9_.=-]*(/[A-Za-z0-9_=][A-Za-z0-9_.=-]*)*)?$`)
)

func (c *LogsS3) checkEndpoint() error {
	endpoint := c.Endpoint
	if endpoint == "" {
		endpoint = "https://s3." + c.Region + ".amazonaws.com"
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Path != "" && u.Path != "/",
		u.User != nil, u.RawQuery != "", u.Fragment != "":
		return fmt.Errorf("--logs-s3-endpoint %q: write the address alone, such as https://minio.example:9000; the "+
			"bucket belongs to --logs-s3", maskUser(endpoint))
	case u.Scheme == "http":
		port := u.Port()
		if port == "" {
			port = "80"
		}
		local, err := onLoopback("--logs-s3-endpoint", net.JoinHostPort(u.Hostname(), port))
		if err != nil {
			return err
		}
		if !local {
			return fmt.Errorf("--logs-s3-endpoint %s: beyond this machine logs are sent over TLS only; write "+
				"https://, and name the authority of the certificate with --logs-s3-ca if it is one of your own",
				endpoint)
		}
	}
	u.Path, c.URL = "", u
	return nil
}
