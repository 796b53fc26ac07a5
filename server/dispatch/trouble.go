package dispatch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// What is wrong with an executor that answers.
var (
	errOtherExecutor   = errors.New(fleet.TroubleOtherExecutor)
	errNoLongerDurable = errors.New("it was durable, and only offers run now")
)

// troubleOf says in plain words why an executor did not answer as it should, and which refusal that is. Nothing of what
// the other side sent is in it: who adds an address must not read with it what other services say.
func troubleOf(err error) (words string, refusal hive.ErrorReason) {
	var (
		refused  *net.OpError
		lookup   *net.DNSError
		record   tls.RecordHeaderError
		shake    *handshakeError
		alert    tls.AlertError
		cert     *tls.CertificateVerificationError
		unfit    *unfitError
		protocol thrift.TProtocolException
	)
	switch denied, _ := errors.AsType[*hivego.AccessDenied](err); {
	case errors.Is(err, errOtherExecutor), errors.Is(err, errNoLongerDurable):
		return err.Error(), hive.ErrorExecutorElsewhere
	case denied != nil:
		return "it refuses this server: the token is not its own, or it belongs to another cluster",
			hive.ErrorExecutorToken
	case isStale(err):
		return "it has heard of a later session of this server, which the database does not know",
			hive.ErrorExecutorElsewhere
	case errors.As(err, &unfit):
		return unfit.words, hive.ErrorExecutorUnfit
	case errors.As(err, &cert):
		return "its certificate is not trusted: " + certificateWords(cert), hive.ErrorExecutorCertificate
	case errors.As(err, &alert):
		return "it ended the TLS handshake", hive.ErrorExecutorNoTLS
	case errors.As(err, &shake), errors.As(err, &record):
		return "it does not speak TLS", hive.ErrorExecutorNoTLS
	case errors.As(err, &lookup):
		return "its host name is not known", hive.ErrorExecutorUnreachable
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address", hive.ErrorExecutorUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return "it does not answer in time", hive.ErrorExecutorUnreachable
	case errors.As(err, &protocol), isApplication(err):
		return "it does not speak HiveGo's contract", hive.ErrorExecutorNotThrift
	case errors.As(err, &refused) && refused.Op == "dial":
		return "no connection to its address comes about", hive.ErrorExecutorUnreachable
	default:
		return "it closed the connection", hive.ErrorExecutorNotThrift
	}
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}

func isApplication(err error) bool {
	_, ok := errors.AsType[thrift.TApplicationException](err)
	return ok
}

// certificateWords says what is wrong with a certificate, without its content.
func certificateWords(err *tls.CertificateVerificationError) string {
	var (
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		return "it is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or is not valid yet"
	default:
		return "an authority that this server does not know has signed it"
	}
}

// certificateTrouble says more exactly what is wrong with the certificate of an executor that is to be added, and what
// to do. hosts are those that a certificate for another one is for.
func certificateTrouble(err error) (refusal hive.ErrorReason, hosts, remedy string) {
	var (
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &host):
		hosts = strings.Join(certificateHosts(host.Certificate), ", ")
		if hosts == "" {
			return hive.ErrorExecutorCertHost, "no host",
				"give the executor one for the host of this address; `hivego certs` makes it"
		}
		return hive.ErrorExecutorCertHost, hosts,
			"its names are " + hosts + ": add the address by one of them, or give the " +
				"executor a certificate for this one"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return hive.ErrorExecutorCertOld, "",
			"give the executor a new one, and look at the clocks; `hivego certs` makes one"
	default:
		return hive.ErrorExecutorCertificate, "",
			"start this server with --ca, the certificate of the authority that signed it"
	}
}

// maxHosts is how many hosts of a certificate are named.
const maxHosts = 3

// certificateHosts are the first hosts that a certificate is for. Nobody has vouched for it: what is no host's name is
// left out.
func certificateHosts(cert *x509.Certificate) []string {
	var hosts []string
	for _, name := range cert.DNSNames {
		if hostLike(name) {
			hosts = append(hosts, name)
		}
	}
	for _, ip := range cert.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	return hosts[:min(len(hosts), maxHosts)]
}

// hostLike says that a name has only what names of hosts have.
func hostLike(name string) bool {
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-*", r)
	})
}

// probeTimeout bounds each look at what an address speaks instead.
const probeTimeout = 2 * time.Second

// diagnose finds out what is wrong at an address that did not answer as an executor should.
func (p *pool) diagnose(e hive.Executor, cl caller, err error) error {
	words, refusal := troubleOf(err)
	code := hive.CodeInvalid
	var dial *dialError
	if connected := !errors.As(err, &dial); connected && refusal != hive.ErrorExecutorToken {
		switch {
		case !e.TLS && p.speaksTLS(e):
			words, refusal = "it speaks TLS", hive.ErrorExecutorTLS
		case p.speaksUnframed(e, cl):
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

// speaksTLS says that somebody at an address begins a TLS handshake. The certificate does not matter: nothing is sent.
func (p *pool) speaksTLS(e hive.Executor) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	//nolint:gosec // it only tells that TLS is spoken there; nothing is sent
	d := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(ctx, "tcp", e.Address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// speaksUnframed says that an address answers a call that is not framed.
func (p *pool) speaksUnframed(e hive.Executor, cl caller) bool {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	c, err := p.dialOnce(ctx, e)
	if err != nil {
		return false
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	cfg := &thrift.TConfiguration{MaxFrameSize: maxFrame, MaxMessageSize: maxFrame, MaxContainerSize: maxEntries}
	proto := thrift.NewTBinaryProtocolConf(thrift.NewTBufferedTransport(thrift.NewTSocketFromConnConf(c, cfg),
		bufferSize), cfg)
	client := hivego.NewExecutorClient(thrift.NewTStandardClient(proto, proto))
	_, err = client.Describe(ctx, &hivego.DescribeCall{Caller: cl.wire()})
	return err == nil || isDeclared(err) || isApplication(err)
}
