package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Errors of an executor that answers.
var (
	errOtherExecutor   = errors.New(fleet.TroubleOtherExecutor)
	errNoLongerDurable = errors.New("it was durable, and only offers run now")
)

// troubleOf says in plain words why an executor did not answer as it should, and with which reason it would be refused.
// The words quote nothing that the other side sent: a person who adds an address must not read other services by it.
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
