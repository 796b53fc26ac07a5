package conform

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// newer is a describe call of a server with a newer contract. It has fields that this contract does not have.
type newer struct{ caller *hivego.Caller }

func (n newer) write(ctx context.Context, o thrift.TProtocol) error {
	c := n.caller
	return errors.Join(
		o.WriteMessageBegin(ctx, "describe", thrift.CALL, 1),
		o.WriteFieldBegin(ctx, "c", thrift.STRUCT, 1),
		o.WriteFieldBegin(ctx, "caller", thrift.STRUCT, 1),
		o.WriteFieldBegin(ctx, "token", thrift.STRING, 1), o.WriteString(ctx, c.GetToken()),
		o.WriteFieldBegin(ctx, "clusterId", thrift.STRING, 2), o.WriteString(ctx, c.GetClusterId()),
		o.WriteFieldBegin(ctx, "serverId", thrift.STRING, 3), o.WriteString(ctx, c.GetServerId()),
		o.WriteFieldBegin(ctx, "epoch", thrift.I64, 4), o.WriteI64(ctx, c.GetEpoch()),
		o.WriteFieldBegin(ctx, "newer", thrift.STRING, 99), o.WriteString(ctx, newerText),
		o.WriteFieldStop(ctx),
		o.WriteFieldBegin(ctx, "newer", thrift.MAP, 77), o.WriteMapBegin(ctx, thrift.STRING, thrift.I64, 1),
		o.WriteString(ctx, newerText), o.WriteI64(ctx, 1),
		o.WriteFieldStop(ctx), // of the call
		o.WriteFieldStop(ctx), // of the arguments
		o.WriteMessageEnd(ctx),
		o.Flush(ctx),
	)
}

const newerText = "newer than you"

func wireUnknown(ctx context.Context, p *probe) error {
	l, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := (newer{p.caller()}).write(ctx, l.proto); err != nil {
		return fmt.Errorf("send: %w", reported(ctx, err))
	}
	_, kind, _, err := l.proto.ReadMessageBegin(ctx)
	if err != nil {
		return fmt.Errorf("describe with unknown fields: %w", reported(ctx, err))
	}
	if kind != thrift.REPLY {
		return errors.New("describe with unknown fields was answered with an error")
	}
	var result hivego.ExecutorDescribeResult
	if err := result.Read(ctx, l.proto); err != nil {
		return fmt.Errorf("describe with unknown fields: %w", reported(ctx, err))
	}
	if result.GetDenied() != nil {
		return fmt.Errorf("describe with unknown fields was denied: %s", result.GetDenied().GetMessage())
	}
	if got := result.GetSuccess().GetExecutorId(); got != p.described.GetExecutorId() {
		return fmt.Errorf("describe with unknown fields answers executorId %q", got)
	}
	return nil
}

const (
	maxRunLinks = 16 // limit of the connections for slots that are tried
	serverLinks = 4  // how many more connections a server opens to a durable executor
)

func wireConnections(ctx context.Context, p *probe) error {
	n := int(min(max(loadOf(p.described).GetSlots(), 1), maxRunLinks))
	if p.described.GetDurable() {
		n += serverLinks
	}
	var links []*link
	defer func() {
		for _, l := range links {
			l.close()
		}
	}()
	for i := range n {
		l, err := p.open(ctx)
		if err != nil {
			return fmt.Errorf("connection %d of %d: %w", i+1, n, err)
		}
		links = append(links, l)
	}
	for i, l := range slices.Backward(links) { // the last first, because a sequential executor would never answer it
		if _, err := l.Describe(ctx, &hivego.DescribeCall{Caller: p.caller()}); err != nil {
			return fmt.Errorf("describe on connection %d, while %d are open: %w", i+1, n, reported(ctx, err))
		}
	}
	return nil
}

func wireHuge(ctx context.Context, p *probe) error {
	for _, size := range []uint32{1 << 30, 0xFFFF_FFFF} {
		if err := p.huge(ctx, size); err != nil {
			return fmt.Errorf("a frame of size %d: %w", int32(size), err)
		}
	}
	if _, err := p.describe(ctx, p.caller()); err != nil {
		return fmt.Errorf("describe after it: %w", reported(ctx, err))
	}
	return nil
}

// huge sends the beginning of a frame, and waits until the executor closes the connection.
func (p *probe) huge(ctx context.Context, size uint32) error {
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	until, ok := ctx.Deadline()
	if !ok {
		until = time.Now().Add(p.Patience)
	}
	half := time.Now().Add(time.Until(until) / 2) // the other half is for the calls that follow
	if err := c.SetDeadline(half); err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(nil, size)
	if _, err := c.Write(append(frame, make([]byte, bufferSize)...)); err != nil {
		return nil // the executor closed the connection during the write
	}
	_, err = c.Read(make([]byte, 1))
	switch {
	case err == nil:
		return errors.New("it was answered")
	case errors.Is(err, os.ErrDeadlineExceeded) || isTimeout(err):
		return errors.New("the executor waits for all of it; the connection is still open")
	default:
		return nil
	}
}

func isTimeout(err error) bool {
	n, ok := errors.AsType[net.Error](err)
	return ok && n.Timeout()
}
