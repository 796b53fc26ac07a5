package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Describe connects to an executor that is being added, and asks for its description. Errors are *hive.Error and quote
// nothing that the other side sent; the full error goes to log.
func (x *Client) Describe(ctx context.Context, e hive.Executor, from Caller, log *slog.Logger) (
	*fleet.Description, error,
) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	d, err := x.describe(ctx, e, from)
	if err == nil {
		return d, nil
	}
	if u, ok := errors.AsType[*unfitError](err); ok {
		return nil, hive.Errorf(hive.CodeInvalid, "what %s says of itself cannot be kept: %s", e.Address, u.Text).
			WithReason(hive.ErrorExecutorUnfit, "address", e.Address, "detail", u.Text)
	}
	log.Info("an executor is not added", "address", e.Address, "error", err)
	return nil, x.diagnose(e, from, err)
}

// maxDescribed bounds the entries of a list or map in a description.
const maxDescribed = 1000

// probeTimeout limits each probe of an address.
const probeTimeout = 2 * time.Second

// diagnose finds out why an address does not answer like an executor.
func (x *Client) diagnose(e hive.Executor, from Caller, err error) error {
	trouble, refusal := troubleOf(err)
	words := trouble.Text
	code := hive.CodeInvalid
	var dial *dialError
	if connected := !errors.As(err, &dial); connected && refusal != hive.ErrorExecutorToken {
		switch {
		case !e.TLS && x.speaksTLS(e):
			words, refusal = "it speaks TLS", hive.ErrorExecutorTLS
		case x.speaksUnframed(e, from):
			words, refusal = "it speaks Thrift without frames", hive.ErrorExecutorNotFramed
		}
	}
	params := []any{"address", e.Address}
	var remedy string
	switch refusal {
	case hive.ErrorExecutorUnreachable:
		code, remedy = hive.CodeUnavailable, "look whether it runs, and whether this server can reach the address"
	case hive.ErrorExecutorToken:
		remedy = "give the one that it expects"
	case hive.ErrorExecutorCertificate:
		var hosts string
		if refusal, hosts, remedy = certificateTrouble(err); hosts != "" {
			params = append(params, "hosts", hosts)
		}
	case hive.ErrorExecutorNoTLS:
		remedy = "leave TLS out for an executor on this machine, or give the executor a certificate"
	case hive.ErrorExecutorTLS:
		remedy = "add it with TLS"
	case hive.ErrorExecutorNotFramed:
		remedy = "give it a framed transport (TFramedTransport)"
	default:
		remedy = "an executor speaks Thrift: TBinaryProtocol over TFramedTransport, service Executor"
	}
	return hive.Errorf(code, "%s is not added: %s; %s", e.Address, words, remedy).WithReason(refusal, params...)
}

// speaksTLS reports whether an address completes a TLS handshake. It accepts any certificate, because it sends nothing.
func (x *Client) speaksTLS(e hive.Executor) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	//nolint:gosec // it only shows whether TLS is spoken there; nothing is sent
	d := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(ctx, "tcp", e.Address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// speaksUnframed reports whether an address answers a call that is not framed.
func (x *Client) speaksUnframed(e hive.Executor, from Caller) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	c, err := x.dialOnce(ctx, e)
	if err != nil {
		return false
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	cfg := &thrift.TConfiguration{
		MaxFrameSize: hivego.MAX_FRAME_BYTES, MaxMessageSize: hivego.MAX_FRAME_BYTES, MaxContainerSize: maxDescribed,
	}
	proto := thrift.NewTBinaryProtocolConf(thrift.NewTBufferedTransport(thrift.NewTSocketFromConnConf(c, cfg),
		bufferSize), cfg)
	client := hivego.NewExecutorClient(thrift.NewTStandardClient(proto, proto))
	_, err = client.Describe(ctx, &hivego.DescribeCall{Caller: from.wire()})
	return err == nil || isDeclared(err) || isApplication(err)
}
