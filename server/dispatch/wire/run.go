package wire

import (
	"context"
	"errors"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// MaxRunLog is the greatest number of bytes of a log in the answer to a run call.
const MaxRunLog = hivego.MAX_RUN_LOG_BYTES

// errOvertime ends a run call at the timeout of its task.
var errOvertime = errors.New("the task's timeout and its kill grace are over")

// RunReply is the answer to a run call.
type RunReply struct {
	End   hive.AttemptEvent // without the size of the log
	Log   string            // as the executor wrote it
	Error string            // of the outcome, as it goes into the log
}

// Run makes an executor do the work of an attempt with its confidential part, and waits for it. It calls sent when the
// call was sent completely.
func (x *Client) Run(ctx context.Context, from Caller, c *fleet.RunCall, part Confidential, sent func()) (
	*RunReply, *fleet.RunFailure,
) {
	as := &c.Assignment
	if as.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, as.Timeout+as.KillGrace, errOvertime)
		defer cancel()
		ctx = limited
	}
	began := false
	conn, done, err := x.single(ctx, c.Executor, func() { began = true }, sent)
	if err != nil {
		return nil, unsent(c, err)
	}
	defer done()
	call := &hivego.RunCall{Caller: from.wire(), Assignment: wireAssignment(as, part)}
	call.Assignment.LogLimitBytes = new(int64(MaxRunLog))
	r, err := conn.client.Run(ctx, call)
	switch {
	case err == nil:
		end := hive.AttemptEvent{Attempt: as.Attempt, Key: as.Key, Kind: hive.EventEnded}
		readOutcome(&end, r.GetOutcome())
		return &RunReply{End: end, Log: r.GetLog(), Error: hive.Clean(end.Words.Text, hivego.MAX_ERROR_BYTES)}, nil
	case !began:
		return nil, unsent(c, callError("run", err))
	}
	kind, words := exceptionOf(err)
	if kind == fleet.RunBroken && errors.Is(context.Cause(ctx), errOvertime) {
		kind = fleet.RunTimedOut
	}
	return nil, &fleet.RunFailure{Call: c, Kind: kind, Words: words}
}

// unsent explains why nothing of a run call was sent.
func unsent(c *fleet.RunCall, err error) *fleet.RunFailure {
	trouble, _ := troubleOf(err)
	return &fleet.RunFailure{Call: c, Kind: fleet.RunUnsent, Words: trouble}
}

// exceptionOf reads the answer to a run call that is no outcome; RunBroken if the executor did not answer.
func exceptionOf(err error) (kind fleet.RunFailureKind, words hive.Sentence) {
	if _, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		words, _ = troubleOf(err)
		return fleet.RunDenied, words
	}
	if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		if message := bad.GetMessage(); message != "" {
			return fleet.RunRefused, hive.Plain(message)
		}
		return fleet.RunRefused, hive.NewSentence(hive.SentenceCallUnread, "the executor cannot read the call")
	}
	ex, ok := errors.AsType[thrift.TApplicationException](err)
	if !ok {
		return fleet.RunBroken, hive.Sentence{}
	}
	switch ex.TypeId() {
	case thrift.UNKNOWN_METHOD:
		return fleet.RunRefused, hive.NewSentence(hive.SentenceNoRun, "the executor does not offer run")
	case thrift.MISSING_RESULT:
		return fleet.RunFailed, hive.NewSentence(hive.SentenceNoOutcome, "the executor answered without an outcome")
	case thrift.WRONG_METHOD_NAME, thrift.BAD_SEQUENCE_ID, thrift.INVALID_MESSAGE_TYPE_EXCEPTION:
		return fleet.RunBroken, hive.Sentence{} // an answer to another call: the outcome is unknown
	default:
		return fleet.RunFailed, hive.Quote(hive.SentenceExecutorFault,
			"the executor met an error that it did not expect: ‹words›", hive.Plain(ex.Error()))
	}
}
