package sdk

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/internal/plainfile"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Limits of the contract.
const (
	maxSubmitBytes = hivego.MAX_SUBMIT_BYTES
	maxLogBytes    = hivego.MAX_READ_BYTES
	maxWait        = hivego.MAX_POLL_WAIT_MILLIS * time.Millisecond
)

// calls answers the contract's calls for an executor.
type calls struct{ e *Executor }

func processor(e *Executor) *hivego.DurableExecutorProcessor {
	return hivego.NewDurableExecutorProcessor(&calls{e})
}

// authorize checks the caller: the secret, in constant time, and the cluster.
func (c *calls) authorize(ctx context.Context, who *hivego.Caller) error {
	e := c.e
	if who == nil {
		return denied("the call names no caller")
	}
	given, own := sha256.Sum256([]byte(who.GetToken())), sha256.Sum256([]byte(e.id.secret))
	if subtle.ConstantTimeCompare(given[:], own[:]) != 1 {
		e.log.Warn("executor: a call with a wrong token", "server", clean(who.GetServerId()), "from", remote(ctx))
		return denied("wrong token")
	}
	if who.GetClusterId() == "" {
		return denied("the call names no cluster")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch e.ledger.Cluster() {
	case who.GetClusterId():
	case "":
		st, _ := e.ledger.SetCluster(clock(), who.GetClusterId())
		e.commit(st, nil)
	default:
		return denied("this executor belongs to another cluster")
	}
	trust(ctx)
	return nil
}

// denied makes the error for a caller that is refused.
func denied(text string) error { return &hivego.AccessDenied{Message: &text} }

// fault converts an error of the ledger into an exception of the contract.
func fault(err error) error {
	if stale, ok := errors.AsType[*ledger.StaleError](err); ok {
		text := stale.Error()
		return &hivego.StaleEpoch{Message: &text, Epoch: &stale.Epoch}
	}
	if bad, ok := errors.AsType[*ledger.BadCallError](err); ok {
		return &hivego.BadCall{Message: &bad.Message}
	}
	return err
}

// errStopping is the answer to calls that are cut short because the executor stops.
var errStopping = errors.New("the executor is stopping")

// step lets the ledger decide under the lock, and returns once the decision is durable: only then a reply may be sent.
// tasks are the tasks that the step may start.
func (c *calls) step(
	ctx context.Context, tasks map[ledger.Ref]*Task, decide func() (ledger.Step, error),
) (ledger.Load, error) {
	e := c.e
	full := e.noRoom()
	e.mu.Lock()
	e.setFull(full)
	st, err := decide()
	done := e.commit(st, tasks)
	load := e.ledger.Load()
	e.mu.Unlock()
	if err != nil {
		return load, fault(err)
	}
	return load, c.durably(ctx, done)
}

// durably waits until a step is durable, when done is closed.
func (c *calls) durably(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.e.quit:
		// The journal still writes its queue. If that succeeds soon, the answer may be sent.
		select {
		case <-done:
			return nil
		case <-time.After(time.Second):
			return errStopping
		}
	}
}

// Describe describes the executor.
func (c *calls) Describe(ctx context.Context, call *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	e := c.e
	full := e.noRoom()
	e.mu.Lock()
	e.setFull(full)
	load := e.ledger.Load()
	e.mu.Unlock()
	return &hivego.DescribeReply{
		ExecutorId: &e.id.executorID, BootId: &e.id.bootID, Name: &e.cfg.Name, Group: &e.cfg.Group,
		Labels: e.cfg.Labels, Load: loadOut(load), Handlers: infosOut(e.infos, e.durables), Version: &e.cfg.Version,
		NowMillis: new(time.Now().UnixMilli()), Durable: new(true), Contract: new(int32(hivego.CONTRACT)),
	}, nil
}

// Submit accepts attempts.
func (c *calls) Submit(ctx context.Context, call *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	if n := frameSize(ctx); n > maxSubmitBytes+4096 {
		text := fmt.Sprintf("a submit of %d bytes; at most %d", n, maxSubmitBytes)
		return nil, fault(&ledger.BadCallError{Message: text})
	}
	e := c.e
	now := clock()
	tasks := make(map[ledger.Ref]*Task, len(call.Assignments))
	in := ledger.SubmitCall{Caller: callerIn(call.Caller), LastAnswer: call.GetLastAnswer()}
	for _, a := range call.Assignments {
		t, err := e.task(now, in.Caller.LeaseName(), a)
		t.assignment = a
		o := ledger.Offer{Attempt: t.ref(), Handler: t.Handler, About: t.about(), Survives: e.survives(t.Handler)}
		if err == nil {
			err = e.check(t)
		}
		if err != nil {
			o.Refusal = cleanText(t.maskedText(message.Of(err)))
		}
		in.Offers = append(in.Offers, o)
		tasks[t.ref()] = t
	}
	var receipts []ledger.Receipt
	var st ledger.Step
	load, err := c.step(ctx, tasks, func() (_ ledger.Step, err error) {
		receipts, st, err = e.ledger.Submit(now, in)
		return st, err
	})
	if err != nil {
		return nil, err
	}
	if len(st.Starts) > 0 {
		e.leaseChanged(in.Caller.LeaseName())
	}
	return &hivego.SubmitReply{Receipts: receiptsOut(receipts), Load: loadOut(load)}, nil
}

// check asks the handler of a task whether it accepts the task.
func (e *Executor) check(t *Task) error {
	var h any = e.handlers[t.Handler]
	if d := e.durables[t.Handler]; d != nil {
		h = d
	} else if e.handlers[t.Handler] == nil {
		return message.Errorf(message.NoHandler, "this executor has no handler ‹name›",
			"name", strconv.Quote(t.Handler))
	}
	if checker, ok := h.(Checker); ok {
		return checker.Check(t)
	}
	return nil
}

// Attach makes the caller the owner of attempts.
func (c *calls) Attach(ctx context.Context, call *hivego.AttachCall) (*hivego.AttachReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	e := c.e
	attempts, err := refsIn(call.AttemptIds, call.Keys, "attemptIds", "keys")
	if err != nil {
		return nil, fault(err)
	}
	in := ledger.AttachCall{Caller: callerIn(call.Caller), Attempts: attempts, OrphanTimeout: -1}
	if call.OrphanTimeoutMillis != nil {
		in.OrphanTimeout = millis(call.GetOrphanTimeoutMillis())
	}
	var reply ledger.AttachReply
	load, err := c.step(ctx, nil, func() (st ledger.Step, err error) {
		reply, st, err = e.ledger.Attach(clock(), in)
		return st, err
	})
	if err != nil {
		return nil, err
	}
	e.leaseChanged(in.Caller.LeaseName())
	e.log.Info("a server attached", "server", in.Caller.Server, "epoch", in.Caller.Epoch, "attempts", len(in.Attempts),
		"others", len(reply.Others))
	return &hivego.AttachReply{
		Attempts: reportsOut(reply.Attempts), Others: reportsOut(reply.Others), Load: loadOut(load),
		ExecutorId: &e.id.executorID, BootId: &e.id.bootID,
	}, nil
}

// Kill kills attempts.
func (c *calls) Kill(ctx context.Context, call *hivego.KillCall) (*hivego.KillReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	e := c.e
	orders := make([]ledger.KillRequest, 0, len(call.Orders))
	for _, o := range call.Orders {
		orders = append(orders, ledger.KillRequest{
			Attempt: refOf(o), Grace: millis(o.GetGraceMillis()), Reason: clean(o.GetReason()),
		})
	}
	var statuses []ledger.KillStatus
	_, err := c.step(ctx, nil, func() (st ledger.Step, err error) {
		statuses, st, err = e.ledger.Kill(clock(), callerIn(call.Caller), orders)
		return st, err
	})
	if err != nil {
		return nil, err
	}
	reply := &hivego.KillReply{}
	for _, s := range statuses {
		reply.Statuses = append(reply.Statuses, &hivego.KillStatus{
			AttemptId: &s.Attempt.ID, Key: &s.Attempt.Key, Code: enum(hivego.KillCodeFromString, s.Code),
		})
	}
	return reply, nil
}

// ReadLog reads a range of an attempt's log.
func (c *calls) ReadLog(ctx context.Context, call *hivego.LogCall) (*hivego.LogReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	limit := call.GetLimit()
	if limit < 0 || call.GetOffset() < 0 {
		return nil, fault(&ledger.BadCallError{Message: "a negative offset or limit"})
	}
	e := c.e
	e.mu.Lock()
	state := e.ledger.State(refOf(call))
	t := e.tasks[refOf(call)]
	e.mu.Unlock()
	if !state.Known {
		return &hivego.LogReply{Found: new(false)}, nil
	}
	// The state is read before the log: a log that is reported as complete is complete. An attempt with a checkpoint
	// continues its log after a crash of the machine, so the bytes must be on disk before they are returned.
	data, size, err := readRange(filepath.Join(e.folder(refOf(call)), logName), call.GetOffset(),
		int(min(limit, maxLogBytes)), t != nil && t.hasCheckpoint())
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	return &hivego.LogReply{Data: data, Size: &size, Complete: new(state.Outcome != nil), Found: new(true)}, nil
}

// readRange reads at most limit bytes of a file from offset. With durable, the bytes are on disk when it returns. A
// missing file counts as empty, and so does something else that a task has put in its place.
func readRange(path string, offset int64, limit int, durable bool) (data []byte, size int64, err error) {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, plainfile.ErrOther) {
		return []byte{}, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	size = info.Size()
	if durable && size > offset {
		if err := f.Sync(); err != nil {
			return nil, 0, err
		}
	}
	data = make([]byte, max(0, min(int64(limit), size-offset)))
	n, err := f.ReadAt(data, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], size, err
}
