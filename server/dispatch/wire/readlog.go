package wire

import (
	"context"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// ReadLog asks an executor for at most limit bytes of a log; found is false if it does not have it. Copies and readers
// use connections of their own, so that people do not wait for copies.
func (x *Client) ReadLog(ctx context.Context, from Caller, e hive.Executor, forCopy bool, attempt hive.AttemptRef,
	offset int64, limit int,
) (part hive.LogPart, found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	l := lineRead
	if forCopy {
		l = lineLog
	}
	err = x.use(ctx, e, l, func(c *conn) error {
		most := int32(min(limit, hivego.MAX_READ_BYTES))
		r, err := c.client.ReadLog(ctx, &hivego.LogCall{
			Caller: from.wire(), AttemptId: &attempt.ID, Key: &attempt.Key, Offset: &offset, Limit: &most,
		})
		if err != nil {
			return callError("read log", err)
		}
		part = hive.LogPart{Data: r.GetData(), Offset: offset, Size: r.GetSize(), Complete: r.GetComplete()}
		found = r.GetFound()
		return nil
	})
	return part, found, err
}
