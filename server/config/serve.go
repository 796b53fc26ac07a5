package config

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/rprp/hivego/server/hive"
)

// Serve holds the settings of `hivego serve`.
type Serve struct {
	Files       []string
	Data        string // data folder
	Listen      string // host:port of the API
	Logs        string // folder of the logs of attempts; empty: logs in Data
	LogsS3      LogsS3 // where logs move
	DatabaseURL string // empty: SQLite in Data

	DatabaseSchema string // of a PostgreSQL; empty: the first in the role's search path

	SecretKey string // file of the key of the secrets in the database; empty: secret.key in Data
	// SecretKeyCommand prints the keys instead, a line each; SecretKeyText has them, from HIVEGO_SEALING_KEY.
	SecretKeyCommand, SecretKeyText string

	NoExecutor  bool
	TLSCert     string // PEM files
	TLSKey      string
	CA          string // PEM file of the authority that executors' certificates come from
	BehindProxy bool   // a proxy in front speaks TLS
	PublicURL   string // origin that people open; empty: the listener's own

	MetricsListen    string // host:port of the metrics; empty: none
	MetricsTokenFile string // file of the token that scrapes must carry; empty: none is needed

	// OTLPEndpoint is the URL of an OpenTelemetry collector; empty: no spans are exported. See Traces.
	OTLPEndpoint string
	telemetry    telemetry

	LiveLook      hive.Duration // between two looks at batches of other servers, while no messages announce changes
	OrphanTimeout hive.Duration // how long an executor goes on without the server; 0: forever

	LogLimit int64 // greatest size of an attempt's log in bytes; the rest is cut

	// How much of the past stays of schedules that do not say it; 0: everything.
	KeepBatches, KeepDays, KeepLogs int

	Slots        int    // of the embedded executor; 0: by the number of CPUs
	Name         string // of the embedded executor
	ExecutorUser string // user of its tasks; empty: the server's own user
	ExecutorData string // its data folder; empty: in or beside Data
	// ExecutorTokenFile is a file with a token of the default group's executors, beside those in the database.
	ExecutorTokenFile string

	Log Log
}

// Log holds the settings of the program's log.
type Log struct {
	Level  string // debug, info, warn, error
	Format string // text, json
}

// mostLiveLook bounds --live-look; ten times as long is still a duration.
const mostLiveLook = 24 * time.Hour

// BindServe declares the flags of serve.
func BindServe(f *pflag.FlagSet) *Serve {
	c := &Serve{
		OrphanTimeout: hive.Duration(3 * time.Minute), LogLimit: 2 << 30, LiveLook: hive.Duration(time.Second),
	}
	bindFiles(f, &c.Files)
	f.StringVar(&c.Data, "data", "data",
		"folder of everything that is kept: database, keys, logs, the embedded executor")
	f.StringVar(&c.Logs, "logs", "",
		"folder of the tasks' logs, one for all servers of a database (default: logs in --data)")
	bindLogsS3(f, &c.LogsS3)
	f.StringVar(&c.Listen, "listen", "127.0.0.1:3000", "host:port of the API")
	f.StringVar(&c.DatabaseURL, "database-url", "",
		"postgres://USER@HOST/NAME, or sqlite:FILE (default: SQLite in --data)")
	f.StringVar(&c.DatabaseSchema, "database-schema", "",
		"schema of the tables in a PostgreSQL, made if needed (default: the first in the role's search_path)")
	f.StringVar(&c.SecretKey, "secret-key", "",
		"file of the key that secrets in the database are encrypted with, one for all servers of "+
			"a database (default: secret.key in --data, made at the first start)")
	f.StringVar(&c.SecretKeyCommand, "secret-key-command", "",
		"command that prints the key instead, and the next one on a second line while it is being rotated; "+
			"HIVEGO_SEALING_KEY may have them too")
	f.BoolVar(&c.NoExecutor, "no-executor", false, "do not start an executor in this process")
	f.StringVar(&c.TLSCert, "tls-cert", "", "PEM file of the server's certificate")
	f.StringVar(&c.TLSKey, "tls-key", "", "PEM file of its key")
	f.StringVar(&c.CA, "ca", "", "PEM file of the authority that the certificates of executors come from")
	f.BoolVar(&c.BehindProxy, "behind-proxy", false, "listen beyond loopback without TLS: a proxy in front speaks it")
	f.StringVar(&c.PublicURL, "public-url", "",
		"address that people open, such as https://hivego.example, if a proxy brings them here")
	bindMetrics(f, c)
	bindTraces(f, c)
	f.Var(duration{&c.OrphanTimeout}, "orphan-timeout", "how long executors go on without the server; 0: for ever")
	f.Var(duration{&c.LiveLook}, "live-look",
		"how often pages look at batches of other servers while PostgreSQL does not announce their changes")
	f.Var(size{&c.LogLimit}, "log-limit", "size at which the log of an attempt is cut, such as 200MiB")
	f.IntVar(&c.KeepBatches, "keep-batches", 0,
		"newest batches of a schedule that stay, unless the schedule has a limit of its own; 0: all")
	f.IntVar(&c.KeepDays, "keep-days", 0, "days for which a batch stays after its end, likewise; 0: for ever")
	f.IntVar(&c.KeepLogs, "keep-logs", 0, "days for which its logs stay, likewise; 0: as long as the batch")
	f.IntVar(&c.Slots, "slots", 0,
		"tasks that the embedded executor runs at once (default: twice the CPUs, at least 4)")
	f.StringVar(&c.Name, "executor-name", "embedded", "name of the embedded executor")
	f.StringVar(&c.ExecutorUser, "executor-user", "",
		"user that tasks run as, where root starts the server (default: the server's own)")
	f.StringVar(&c.ExecutorData, "executor-data", "", "data folder of the embedded executor "+
		"(default: executor in --data, or with --executor-user the name of --data and -executor)")
	f.StringVar(&c.ExecutorTokenFile, "executor-token-file", "", "file that holds a token of your own making, for "+
		"executors of the group default; beside those in the database")
	bindLog(f, &c.Log)
	return c
}

func bindLog(f *pflag.FlagSet, l *Log) {
	f.StringVar(&l.Level, "log-level", "info", "debug, info, warn or error")
	f.StringVar(&l.Format, "log-format", "text", "text or json")
}

// Shared reports whether other servers may use the same database. Only one server can use SQLite.
func (c *Serve) Shared() bool {
	return c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "sqlite:")
}

// Resolve fills in the settings that no flag sets, and checks all settings.
func (c *Serve) Resolve(f *pflag.FlagSet) error {
	if err := c.Read(f); err != nil {
		return err
	}
	return c.Check(f)
}

// Read fills in the settings that no flag sets.
func (c *Serve) Read(f *pflag.FlagSet) error {
	if err := resolve(f, os.LookupEnv); err != nil {
		return err
	}
	if text, given := os.LookupEnv(sealingKey); given {
		c.SecretKeyText = text
	}
	if err := c.LogsS3.readKey(os.LookupEnv); err != nil {
		return err
	}
	c.telemetry = readTelemetry(os.Getenv)
	// No process that the server starts may have them.
	return errors.Join(os.Unsetenv(sealingKey), os.Unsetenv(otelHeaders))
}

// Check checks all settings.
func (c *Serve) Check(f *pflag.FlagSet) error {
	return errors.Join(c.check(), checkGiven(f, c.Slots), c.Log.check())
}

// sealingKey is the environment variable with the keys of the secrets in the database.
const sealingKey = "HIVEGO_SEALING_KEY"

// checkKeys refuses keys from several places: which of them holds would not be clear.
func (c *Serve) checkKeys() error {
	places := 0
	for _, given := range []string{c.SecretKey, c.SecretKeyCommand, c.SecretKeyText} {
		if given != "" {
			places++
		}
	}
	if places > 1 {
		return errors.New("--secret-key, --secret-key-command and HIVEGO_SEALING_KEY: give only one of them")
	}
	return nil
}

func (c *Serve) check() error {
	if err := c.checkKeys(); err != nil {
		return err
	}
	if c.Data == "" {
		return errors.New("--data: name a folder")
	}
	if err := checkPair(c.TLSCert, c.TLSKey); err != nil {
		return err
	}
	local, err := onLoopback("--listen", c.Listen)
	if err != nil {
		return err
	}
	if !local && c.TLSCert == "" && !c.BehindProxy {
		return fmt.Errorf("--listen %s: beyond this machine HiveGo speaks TLS only; make a certificate with "+
			"`hivego certs` "+
			"and give --tls-cert and --tls-key, or say --behind-proxy if a proxy in front speaks TLS", c.Listen)
	}
	if c.PublicURL, err = origin(c.PublicURL); err != nil {
		return fmt.Errorf("--public-url: %w", err)
	}
	if err := errors.Join(c.checkMetrics(), c.checkTraces()); err != nil {
		return err
	}
	if t := c.LiveLook.Std(); t < time.Second || t > mostLiveLook {
		return fmt.Errorf("--live-look %s: at least 1s, and at most 24h", c.LiveLook)
	}
	if t := c.OrphanTimeout.Std(); t != 0 && t < time.Second {
		return fmt.Errorf("--orphan-timeout %s: at least 1s, or 0 for never", c.OrphanTimeout)
	}
	if c.LogLimit < minLog || c.LogLimit > maxLog {
		return fmt.Errorf("--log-limit %s: between %s and %s", size{&c.LogLimit}, sizeText(minLog), sizeText(maxLog))
	}
	if c.LogsS3.Place != "" && c.LogLimit > maxS3Log {
		return fmt.Errorf("--log-limit %s: with --logs-s3 at most %s, the greatest object that one request stores",
			size{&c.LogLimit}, sizeText(maxS3Log))
	}
	if err := c.LogsS3.check(); err != nil {
		return err
	}
	if err := c.checkKeep(); err != nil {
		return err
	}
	if err := checkSlots(c.Slots); err != nil && c.Slots != 0 {
		return err
	}
	if c.NoExecutor && c.ExecutorUser != "" {
		return errors.New("--executor-user is for the executor in serve, and --no-executor leaves that out; " +
			"start `hivego executor` as that user, or leave one of the two out")
	}
	return checkName("--executor-name", c.Name)
}

func (c *Serve) checkKeep() error {
	for _, limit := range []struct {
		flag        string
		value, most int
	}{
		{"--keep-batches", c.KeepBatches, hive.MostKeptBatches},
		{"--keep-days", c.KeepDays, hive.MostKeptDays},
		{"--keep-logs", c.KeepLogs, hive.MostKeptDays},
	} {
		if limit.value < 0 || limit.value > limit.most {
			return fmt.Errorf("%s %d: between 1 and %d, or 0 for no limit", limit.flag, limit.value, limit.most)
		}
	}
	return nil
}

// checkGiven refuses an explicit 0 for slots. Without the flag, 0 stands for the number that fits the machine.
func checkGiven(f *pflag.FlagSet, slots int) error {
	if slots == 0 && f.Changed("slots") {
		return checkSlots(slots)
	}
	return nil
}

func checkSlots(n int) error {
	if n < 1 || n > 10_000 {
		return fmt.Errorf("--slots %d: between 1 and 10000; leave it out for twice the CPUs, at least 4", n)
	}
	return nil
}

// checkName refuses names that the server would refuse, before an executor tries forever to register with one. The
// empty name stands for the host's name.
func checkName(flag, name string) error {
	const most = 63 // in bytes, as on the server
	if len(name) > most ||
		strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return fmt.Errorf("%s %q: at most %d printable characters without spaces", flag, name, most)
	}
	return nil
}

func checkPair(cert, key string) error {
	if (cert == "") != (key == "") {
		return errors.New("--tls-cert and --tls-key go together: give both")
	}
	return nil
}

// Loopback reports whether the API can only be reached from this machine.
func (c *Serve) Loopback() bool {
	local, err := onLoopback("--listen", c.Listen)
	return local && err == nil
}

// onLoopback reports whether an address can only be reached from this machine.
func onLoopback(flag, listen string) (bool, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false, fmt.Errorf("%s %q: write host:port, as in 127.0.0.1:3000", flag, listen)
	}
	if host == "localhost" {
		return true, nil
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback(), nil
}

func (l *Log) check() error {
	switch l.Level {
	case "debug", "info", "warn", "error":
	default:
		return fmt.Errorf("--log-level %q: debug, info, warn or error", l.Level)
	}
	switch l.Format {
	case "text", "json":
		return nil
	default:
		return fmt.Errorf("--log-format %q: text or json", l.Format)
	}
}

// Executor holds the settings of `hivego executor`.
type Executor struct {
	Files     []string
	Data      string
	Server    string // URL of the server to register with
	Listen    string // host:port to listen on
	Advertise string // host:port that the server calls; empty: Listen
	Group     string
	Name      string
	Labels    []string // name=value
	Slots     int
	TokenFile string
	TLSCert   string
	TLSKey    string
	CA        string // authority of the server's certificate
	Log       Log
}

// BindExecutor declares the flags of executor.
func BindExecutor(f *pflag.FlagSet) *Executor {
	c := &Executor{}
	bindFiles(f, &c.Files)
	f.StringVar(&c.Data, "data", "executor-data", "folder of the executor's own: identity, journal, logs, workspaces")
	f.StringVar(&c.Server, "server", "http://127.0.0.1:3000", "URL of the server to register with")
	f.StringVar(&c.Listen, "listen", "127.0.0.1:9999", "host:port to be called at")
	f.StringVar(&c.Advertise, "advertise", "", "host:port that the server is told (default: --listen)")
	f.StringVar(&c.Group, "group", hive.DefaultGroup, "group to join")
	f.StringVar(&c.Name, "name", "", "name of this executor (default: the host's name)")
	f.StringSliceVar(&c.Labels, "label", nil, "name=value that tasks may ask for; may be repeated")
	f.IntVar(&c.Slots, "slots", 0, "tasks at once (default: twice the CPUs, at least 4)")
	f.StringVar(&c.TokenFile, "token-file", "", "file that holds the executor token of the group")
	f.StringVar(&c.TLSCert, "tls-cert", "", "PEM file of this executor's certificate")
	f.StringVar(&c.TLSKey, "tls-key", "", "PEM file of its key")
	f.StringVar(&c.CA, "ca", "", "PEM file of the authority that the server's certificate comes from")
	bindLog(f, &c.Log)
	return c
}

// Resolve fills in the settings that no flag sets, and checks all settings.
func (c *Executor) Resolve(f *pflag.FlagSet) error {
	if err := resolve(f, os.LookupEnv); err != nil {
		return err
	}
	if c.Data == "" {
		return errors.New("--data: name a folder")
	}
	if c.TokenFile == "" {
		return fmt.Errorf("--token-file: name a file that holds an executor token; on the server, "+
			"`hivego token create --group %s` makes one", c.Group)
	}
	if _, err := onLoopback("--listen", c.Listen); err != nil {
		return err
	}
	if _, err := c.LabelMap(); err != nil {
		return err
	}
	if err := checkSlots(c.Slots); err != nil && c.Slots != 0 {
		return err
	}
	return errors.Join(checkGiven(f, c.Slots), checkName("--name", c.Name), checkPair(c.TLSCert, c.TLSKey),
		c.Log.check())
}

// LabelMap returns the labels by name.
func (c *Executor) LabelMap() (map[string]string, error) {
	m := map[string]string{}
	for _, l := range c.Labels {
		k, v, ok := strings.Cut(l, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--label %q: write name=value", l)
		}
		m[k] = v
	}
	return m, nil
}
