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
	errOtherExecutor   = errors.New("another executor answers at its address")
	errNoLongerDurable = errors.New("it was durable, and only offers run now")
)

// troubleOf explains why an executor did not answer properly, and with which reason it would be refused. The sentence
// quotes nothing that the other side sent: a person who adds an address must not read other services by it.
func troubleOf(err error) (trouble hive.Sentence, refusal hive.ErrorReason) {
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
	case errors.Is(err, errOtherExecutor):
		return fleet.OtherExecutor(), hive.ErrorExecutorElsewhere
	case errors.Is(err, errNoLongerDurable):
		return hive.NewSentence(hive.SentenceExecutorTurned, "it was durable, and only offers run now"),
			hive.ErrorExecutorElsewhere
	case denied != nil:
		return hive.NewSentence(hive.SentenceExecutorDenies,
				"it refuses this server: the token is not its own, or it belongs to another cluster"),
			hive.ErrorExecutorToken
	case isStale(err):
		return hive.NewSentence(hive.SentenceLaterSession,
				"it has heard of a later session of this server, which the database does not know"),
			hive.ErrorExecutorElsewhere
	case errors.As(err, &unfit):
		return unfit.Sentence, hive.ErrorExecutorUnfit
	case errors.As(err, &cert):
		return certificateSentence(cert), hive.ErrorExecutorCertificate
	case errors.As(err, &alert):
		return hive.NewSentence(hive.SentenceTLSEnded, "it ended the TLS handshake"),
			hive.ErrorExecutorNoTLS
	case errors.As(err, &shake), errors.As(err, &record):
		return hive.NewSentence(hive.SentenceTLSNone, "it does not speak TLS"),
			hive.ErrorExecutorNoTLS
	case errors.As(err, &lookup):
		return hive.NewSentence(hive.SentenceHostUnknown, "its host name is not known"),
			hive.ErrorExecutorUnreachable
	case errors.Is(err, syscall.ECONNREFUSED):
		return hive.NewSentence(hive.SentenceNothingListens, "nothing listens at its address"),
			hive.ErrorExecutorUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return hive.NewSentence(hive.SentenceNoAnswerInTime, "it does not answer in time"),
			hive.ErrorExecutorUnreachable
	case errors.As(err, &protocol), isApplication(err):
		return hive.NewSentence(hive.SentenceNotContract, "it does not speak HiveGo's contract"),
			hive.ErrorExecutorNotThrift
	case errors.As(err, &refused) && refused.Op == "dial":
		return hive.NewSentence(hive.SentenceNoConnection, "no connection to its address comes about"),
			hive.ErrorExecutorUnreachable
	default:
		return hive.NewSentence(hive.SentenceClosedConnection, "it closed the connection"),
			hive.ErrorExecutorNotThrift
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
