package app

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// devtoolCommands returns the commands for authors of executors. They call an executor as a server does, but without a
// server.
func devtoolCommands() []*cobra.Command {
	return []*cobra.Command{describeCommand(), callCommand(), conformanceCommand()}
}

// target holds the flags of the executor to call.
type target struct {
	address, tokenFile, ca, cluster string
	tls                             bool
}

func (t *target) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.address, "address", "127.0.0.1:9999", "host:port of the executor")
	f.StringVar(&t.tokenFile, "token-file", "", "file that holds the secret by which the executor knows its server")
	f.BoolVar(&t.tls, "tls", false, "speak TLS")
	f.StringVar(&t.ca, "ca", "",
		"PEM file of the authority that its certificate comes from (HIVEGO_CA, with --tls); the system's if left out")
	f.StringVar(&t.cluster, "cluster", "", "id of the cluster that it belongs to, if it has one")
}

// open checks the flags. It sends a token over the network only under TLS.
func (t *target) open() (conform.Target, error) {
	out := conform.Target{Address: t.address, Cluster: t.cluster}
	host, _, err := net.SplitHostPort(t.address)
	if err != nil {
		return out, fmt.Errorf("--address %q: write HOST:PORT", t.address)
	}
	if t.tokenFile != "" {
		raw, err := os.ReadFile(t.tokenFile)
		if err != nil {
			return out, fmt.Errorf("--token-file: %w", err)
		}
		out.Token = strings.TrimSpace(string(raw))
	}
	if t.tls {
		t.ca = cmp.Or(t.ca, os.Getenv("HIVEGO_CA"))
	}
	if t.ca != "" || t.tls {
		out.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if ip := net.ParseIP(host); out.TLS == nil && out.Token != "" && host != "localhost" &&
		(ip == nil || !ip.IsLoopback()) {
		return out, fmt.Errorf("--address %s: beyond this machine a token is sent over TLS only; say --tls", t.address)
	}
	if t.ca != "" {
		pem, err := os.ReadFile(t.ca)
		if err != nil {
			return out, fmt.Errorf("--ca: %w", err)
		}
		out.TLS.RootCAs = x509.NewCertPool()
		if !out.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return out, fmt.Errorf("--ca: %s has no certificate", t.ca)
		}
	}
	return out, nil
}

func describeCommand() *cobra.Command {
	var t target
	cmd := &cobra.Command{
		Use:   "describe",
		Short: "Ask an executor what it is and what it offers",
		Args:  cobra.NoArgs,
	}
	t.bind(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		to, err := t.open()
		if err != nil {
			return err
		}
		d, err := conform.Describe(cmd.Context(), to)
		if err != nil {
			return t.explain(cmd.Context(), err)
		}
		return printJSON(cmd.OutOrStdout(), described(d))
	}
	return cmd
}

// described returns an executor's description, with its schemas as JSON.
func described(d *hivego.DescribeReply) map[string]any {
	handlers := make([]map[string]any, 0, len(d.GetHandlers()))
	for _, h := range d.GetHandlers() {
		m := map[string]any{
			"name": h.GetName(), "title": h.GetTitle(), "description": h.GetDescription(), "survives": h.GetSurvives(),
		}
		if text := h.GetParamsSchema(); json.Valid([]byte(text)) {
			m["schema"] = json.RawMessage(text)
		}
		handlers = append(handlers, m)
	}
	load := d.GetLoad()
	if load == nil {
		load = &hivego.Load{}
	}
	m := map[string]any{
		"executorId": d.GetExecutorId(), "bootId": d.GetBootId(), "name": d.GetName(), "group": d.GetGroup(),
		"labels": d.GetLabels(), "slots": load.GetSlots(), "running": load.GetRunning(),
		"draining": load.GetDraining(), "version": d.GetVersion(), "durable": d.GetDurable(), "handlers": handlers,
		"clock": d.GetNowMillis(),
	}
	// others cannot be written
	if clock := time.UnixMilli(d.GetNowMillis()).UTC(); clock.Year() >= 0 && clock.Year() <= 9999 {
		m["clock"] = clock
	}
	return m
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func callCommand() *cobra.Command {
	var t target
	var params []string
	var paramsJSON, timeout string
	cmd := &cobra.Command{
		Use:   "call HANDLER",
		Short: "Have an executor do one task, without a server",
		Long: `Calls an executor as a server would. Its log goes to standard output, how it ended to standard error.

It exits with 0 when the task succeeds and with 1 when it does not. Interrupting it kills the task,
if the executor can.`,
		Args: cobra.ExactArgs(1),
	}
	t.bind(cmd)
	cmd.Flags().StringArrayVar(&params, "param", nil,
		"name=value, a param of the handler, read by its schema; may be repeated")
	cmd.Flags().StringVar(&paramsJSON, "params-json", "", "params of the handler, as a JSON object")
	cmd.Flags().StringVar(&timeout, "timeout", "", "kill the task after this long, such as 30s")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to, err := t.open()
		if err != nil {
			return err
		}
		task := conform.Task{Handler: args[0]}
		var kinds map[string][]string
		if len(params) > 0 {
			d, err := conform.Describe(cmd.Context(), to)
			if err != nil {
				return t.explain(cmd.Context(), err)
			}
			kinds = kindsOf(d, args[0])
		}
		if task.Params, err = joined(paramsJSON, params, kinds); err != nil {
			return err
		}
		if timeout != "" {
			d, err := hive.ParseDuration(timeout)
			if err != nil {
				return fmt.Errorf("--timeout: %w", err)
			}
			task.Timeout = d.Std()
		}
		o, err := conform.Call(cmd.Context(), to, task, cmd.OutOrStdout())
		if err != nil {
			return t.explain(cmd.Context(), err)
		}
		return printOutcome(cmd.ErrOrStderr(), o)
	}
	return cmd
}

// printOutcome prints how a task ended, and returns the exit code.
func printOutcome(w io.Writer, o *hivego.Outcome) error {
	if n := conform.OutputBytes(o); o.GetKind() == hivego.OutcomeKind_SUCCESS && n > hivego.MAX_OUTPUT_BYTES {
		o.Kind = new(hivego.OutcomeKind_FAILURE)
		o.Error = new(fmt.Sprintf("its outputs have %d bytes, and a server takes a success with more than %d for a "+
			"failure", n, hivego.MAX_OUTPUT_BYTES))
		o.Outputs = nil
	}
	line := strings.ToLower(o.GetKind().String())
	if o.IsSetExitCode() {
		line += fmt.Sprintf(", exit code %d", o.GetExitCode())
	}
	if o.IsSetStartedAtMillis() && o.IsSetFinishedAtMillis() {
		line += fmt.Sprintf(", after %d ms", o.GetFinishedAtMillis()-o.GetStartedAtMillis())
	}
	if o.GetError() != "" {
		line += ": " + o.GetError()
	}
	fmt.Fprintln(w, line)
	for _, name := range slices.Sorted(maps.Keys(o.GetOutputs())) {
		fmt.Fprintf(w, "  %s = %s\n", name, o.GetOutputs()[name])
	}
	if o.GetKind() != hivego.OutcomeKind_SUCCESS {
		return cli.ErrFailed
	}
	return nil
}
