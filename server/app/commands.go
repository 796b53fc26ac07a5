package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/assets"
	"github.com/rprp/hivego/executor/stock"
	"github.com/rprp/hivego/executor/supervise"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// Commands returns the long-running commands (serve, executor, supervise), and those that need the settings of serve.
func Commands(version string) []*cobra.Command {
	return []*cobra.Command{
		serveCommand(version), executorCommand(version), superviseCommand(), ofServerCommand(), doctorCommand(version),
		configCommand(),
	}
}

func serveCommand(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start a server, with an executor in it",
		Args:  cobra.NoArgs,
	}
	cfg := config.BindServe(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cfg.Resolve(cmd.Flags()); err != nil {
			return err
		}
		warnAll(newLog(cfg.Log, cmd.ErrOrStderr()), config.UnknownVariables(os.Environ()), cfg.Exposed())
		return serve(cmd.Context(), cfg, version, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// warnAll logs warnings that do not prevent a start.
func warnAll(log *slog.Logger, warnings ...[]string) {
	for _, words := range slices.Concat(warnings...) {
		log.Warn(words)
	}
}

// serve runs a server until ctx ends or it fails.
func serve(ctx context.Context, cfg *config.Serve, version string, stdout, stderr io.Writer) error {
	log := newLog(cfg.Log, stderr)
	a, err := New(ctx, cfg, version, log)
	if err != nil {
		return notStarted(err)
	}
	err = a.Start(ctx)
	if ctx.Err() != nil {
		a.Stop()
		return nil //nolint:nilerr // told to stop while it started
	}
	if err != nil {
		return notStarted(err)
	}
	a.greet(ctx, stdout)
	notifySystemd(log, stateReady)
	debug.FreeOSMemory() // the start leaves much behind, which an idle server would collect only later
	select {
	case <-ctx.Done():
		notifySystemd(log, stateStopping)
		switch n := a.runningTasks(); n {
		case 0:
		case 1:
			fmt.Fprintln(stdout, "\nStopping. 1 task goes on; start the server again to follow it.")
		default:
			fmt.Fprintf(stdout, "\nStopping. %d tasks go on; start the server again to follow them.\n", n)
		}
		a.Stop()
		return nil
	case err := <-a.Failed():
		a.Stop()
		return err
	}
}

// warnOfTaskRights prints the rights that authors of schedules can get if tasks run as the server's own user.
func (a *App) warnOfTaskRights(w io.Writer) {
	if a.cfg.NoExecutor || a.account != nil {
		return
	}
	words := "Tasks run as the server's own user"
	if u, err := user.Current(); err == nil {
		words += ", " + u.Username
	}
	fmt.Fprintf(w, "\n%s. So whoever may edit schedules can read and change everything of HiveGo\n"+
		"on this machine, and make an administrator of anybody. Where that must not be, start it as root with\n"+
		"--executor-user NAME, or with --no-executor, and `hivego executor` as another user.\n", words)
}

// notStarted explains why a server did not start. A running server would wait until some of these errors pass.
func notStarted(err error) error {
	if e, ok := errors.AsType[*hive.Error](err); ok && e.Reason == hive.ErrorDiskFull {
		return &hive.Error{
			Code: e.Code, Reason: e.Reason, Err: err,
			Words: "the disk of the database is full; make room on it, and start again",
		}
	}
	return err
}

// greet prints the next steps.
func (a *App) greet(ctx context.Context, w io.Writer) {
	users, err := a.store.Users(ctx)
	if err != nil {
		a.log.Warn("users cannot be listed", "error", err)
	}
	fmt.Fprintf(w, "HiveGo %s is ready at %s, with its data in %s.\n", a.version, a.URL(), a.cfg.Data)
	a.greetBrowsers(w, len(users) > 0)
	a.warnOfTaskRights(w)
	self := hive.ShellWord(os.Args[0])
	place := placeWords(a.cfg.Data, a.cfg.DatabaseURL) + schemaWords(a.cfg.DatabaseSchema)
	fmt.Fprint(w, "\nOr from the command line, in another terminal:\n")
	if len(users) == 0 {
		// All lines may be pasted at once, so no command here asks a question. There is no example password, because
		// many would use it.
		fmt.Fprintf(w, "  head -c 18 /dev/urandom | base64 | tee %s | %s user add admin --admin --password-stdin %s\n",
			hive.ShellWord(filepath.Join(a.cfg.Data, "admin-password")), self, place)
	}
	name := "admin"
	if len(users) > 0 {
		name = users[0].Name
	}
	server := "HIVEGO_SERVER=" + hive.ShellWord(a.reach("127.0.0.1"))
	// most likely the authority that `hivego certs` made, which signs the certificates of both sides
	if a.cfg.TLSCert != "" && a.cfg.CA != "" {
		server += " HIVEGO_CA=" + hive.ShellWord(a.cfg.CA)
	}
	fmt.Fprintf(w, "  export %s HIVEGO_TOKEN=$(%s token create --user %s %s)\n", server, self, name, place)
	if !a.cfg.NoExecutor { // otherwise there are no examples
		fmt.Fprintf(w, "  %s run warehouse --wait      # a real batch, on real data\n", self)
	}
	fmt.Fprintf(w, "  %s batches                   # what ran, and how\n\n", self)
}

// greetBrowsers prints where the web interface is.
func (a *App) greetBrowsers(w io.Writer, users bool) {
	if page := a.page(); users {
		fmt.Fprintf(w, "\nOpen %s in a browser.\n", page)
	} else {
		fmt.Fprintf(w, "\nOpen %s in a browser and create the administrator.\n", page)
		if !a.cfg.Loopback() || a.cfg.BehindProxy || a.cfg.PublicURL != "" {
			fmt.Fprintf(w, "It asks who comes from elsewhere for this code: %s\n", a.auth.SetupCode())
		}
	}
	if !assets.Built() {
		fmt.Fprint(w, "\nThis program was built without the web interface. That page says how to get it;\n"+
			"commands and API work.\n")
	}
}

// placeWords returns the flags for a command on this machine to find the server's database. A database URL is not
// repeated, because it may hold a password.
func placeWords(data, databaseURL string) string {
	words := "--data " + hive.ShellWord(data)
	if databaseURL == "" {
		return words
	}
	u, err := url.Parse(databaseURL)
	if err == nil {
		if _, secret := u.User.Password(); !secret && !strings.Contains(u.RawQuery, "pass") {
			return words + " --database-url " + hive.ShellWord(databaseURL)
		}
	}
	return words + " --database-url \"${HIVEGO_DATABASE_URL:?is not set here}\""
}

func schemaWords(schema string) string {
	if schema == "" {
		return ""
	}
	return " --database-schema " + schema // its letters need no quotes
}

// page returns the address that people open.
func (a *App) page() string {
	if a.cfg.PublicURL != "" {
		return a.cfg.PublicURL
	}
	name, err := os.Hostname()
	if err != nil {
		name = "localhost"
	}
	return a.reach(name)
}

// reach returns the address of a server for clients. A server that listens everywhere is reached by the name in its
// certificate, which is the only name that clients trust, or without a certificate by the given name. Any other server
// has its own address.
func (a *App) reach(name string) string {
	host, port, err := net.SplitHostPort(a.web.ln.Addr().String())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return a.URL()
	}
	if a.web.name != "" {
		name = a.web.name
	}
	scheme, _, _ := strings.Cut(a.URL(), "://")
	return scheme + "://" + net.JoinHostPort(name, port)
}

// certName returns the first host name of a certificate, or "" if it has none or a wildcard.
func certName(pair *tls.Certificate) string {
	if pair.Leaf == nil {
		return ""
	}
	for _, name := range pair.Leaf.DNSNames {
		if !strings.Contains(name, "*") {
			return name
		}
	}
	for _, ip := range pair.Leaf.IPAddresses {
		return ip.String()
	}
	return ""
}

func (a *App) runningTasks() int {
	if a.executor == nil {
		return 0
	}
	return a.executor.Surviving()
}

func newLog(c config.Log, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // checked with the configuration
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: withCause}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// withCause adds the cause of an error to the log. The error's own text is for users and omits the cause.
func withCause(_ []string, a slog.Attr) slog.Attr {
	err, ok := a.Value.Any().(error)
	if !ok {
		return a
	}
	text := err.Error()
	for e, ok := errors.AsType[*hive.Error](err); ok && e.Err != nil; e, ok = errors.AsType[*hive.Error](e.Err) {
		if cause := e.Err.Error(); !strings.Contains(text, cause) {
			text += ": " + cause
		}
	}
	return slog.String(a.Key, text)
}

func executorCommand(version string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "executor",
		Short: "Start an executor on this machine, registered with a server; or try one that you wrote",
		Args:  cobra.NoArgs,
	}
	cfg := config.BindExecutor(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cfg.Resolve(cmd.Flags()); err != nil {
			return err
		}
		warnAll(newLog(cfg.Log, cmd.ErrOrStderr()), config.UnknownVariables(os.Environ()), cfg.Exposed())
		return runExecutor(cmd.Context(), cfg, version, cmd.ErrOrStderr())
	}
	cmd.AddCommand(devtoolCommands()...)
	return cmd
}

func runExecutor(ctx context.Context, cfg *config.Executor, version string, stderr io.Writer) error {
	token, err := cfg.Token()
	if err != nil {
		return err
	}
	labels, err := cfg.LabelMap()
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	log := newLog(cfg.Log, stderr)
	x, err := stock.New(stock.Config{
		Data: cfg.Data, Listen: cfg.Listen, Advertise: cfg.Advertise, Group: cfg.Group, Name: cfg.Name, Labels: labels,
		Slots: cfg.Slots, Version: version, ServerURL: cfg.Server, Token: token, TLSCert: cfg.TLSCert,
		TLSKey:   cfg.TLSKey,
		ServerCA: cfg.CA, Log: log, SuperviseCommand: []string{self, "supervise"},
	})
	if err != nil {
		return err
	}
	if err := x.Start(context.WithoutCancel(ctx)); err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w; does another executor run here? Give another address with --listen, and a --data "+
				"folder of its own", err)
		}
		return err
	}
	notifySystemd(log, stateReady)
	<-ctx.Done()
	notifySystemd(log, stateStopping)
	x.Stop()
	return nil
}

func superviseCommand() *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:    "supervise",
		Short:  "Hold the processes of an executor; executors start it by themselves",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if data == "" {
				return errors.New("--data: name the data folder of the executor")
			}
			return supervise.Run(cmd.Context(), supervise.Config{
				Data: data, Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil)),
			})
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "data folder of the executor")
	return cmd
}
