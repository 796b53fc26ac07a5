package conform_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// serve reads frames and answers them one after another.
func (w wireFault) serve(ctx context.Context, c net.Conn, p *hivego.DurableExecutorProcessor) {
	defer c.Close()
	for {
		frame, ok := w.read(c)
		if !ok || w.refuses != nil && w.refuses(frame) {
			return
		}
		in, out := thrift.NewTMemoryBuffer(), thrift.NewTMemoryBuffer()
		if _, err := in.Write(frame); err != nil {
			return
		}
		_, _ = p.Process(ctx, thrift.NewTBinaryProtocolConf(in, nil), thrift.NewTBinaryProtocolConf(out, nil))
		if ctx.Err() != nil {
			return
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(out.Len())),
			out.Bytes()...)); err != nil {
			return
		}
	}
}

func (w wireFault) read(c net.Conn) ([]byte, bool) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return nil, false
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > hivego.MAX_FRAME_BYTES {
		if w.readsAll {
			_, _ = io.Copy(io.Discard, c)
		}
		return nil, false
	}
	frame := make([]byte, size)
	_, err := io.ReadFull(c, frame)
	return frame, err == nil
}
