package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// describeTimeout is how long an executor may take to say what it is, connecting included.
const describeTimeout = 5 * time.Second

// describe asks an executor what it is.
func (x *conn) describe(ctx context.Context, cl caller) (*fleet.Description, error) {
	sent := time.Now()
	r, err := x.client.Describe(ctx, &hivego.DescribeCall{Caller: cl.wire()})
	if err != nil {
		return nil, callError("describe", err)
	}
	d, err := readDescription(r)
	if err != nil {
		return nil, err
	}
	if r.IsSetNowMillis() {
		middle := sent.Add(time.Since(sent) / 2)
		d.Offset, d.OffsetKnown = middle.Sub(time.UnixMilli(r.GetNowMillis())), true
	}
	return d, nil
}

// unfitError says what is wrong with what an executor says of itself. Its words quote nothing of it.
type unfitError struct{ words string }

func (e *unfitError) Error() string { return e.words }

func unfit(format string, args ...any) error { return &unfitError{fmt.Sprintf(format, args...)} }

// readDescription checks what an executor says of itself. It is shown to people and kept in the database.
func readDescription(r *hivego.DescribeReply) (*fleet.Description, error) {
	d := &fleet.Description{
		ID: r.GetExecutorId(), BootID: r.GetBootId(), Name: r.GetName(), Group: r.GetGroup(),
		Version: hive.Clean(r.GetVersion(), maxName), Labels: r.GetLabels(), Durable: r.GetDurable(), Slots: 1,
	}
	for _, w := range []struct {
		what, text string
		most       int
	}{
		{"executorId", d.ID, maxID}, {"bootId", d.BootID, maxID}, {"name", d.Name, maxName}, {"group", d.Group, maxName},
	} {
		if w.text != "" && !word(w.text, w.most) {
			return nil, unfit("its %s is not a name: write at most %d printable characters without spaces", w.what,
				w.most)
		}
	}
	if d.Durable && (d.ID == "" || d.BootID == "") {
		return nil, unfit("it says that it is durable, and names no executorId or bootId")
	}
	if err := checkContract(d.Durable, r.GetContract()); err != nil {
		return nil, err
	}
	if l := r.GetLoad(); l != nil {
		d.Load = loadOf(l)
		if l.IsSetSlots() {
			d.Slots = int(l.GetSlots())
		}
	}
	if d.Slots < 1 || d.Slots > maxSlots {
		return nil, unfit("its slots are to be between 1 and %d, not %d", maxSlots, d.Slots)
	}
	if err := checkLabels(d.Labels); err != nil {
		return nil, err
	}
	var err error
	d.Handlers, err = readHandlers(r.GetHandlers())
	return d, err
}

// leastContract is the lowest number of the contract that a durable executor may have: those before do not know the
// keys of attempts, and would take an attempt for another one with the same id.
const leastContract = hivego.MIN_DURABLE_CONTRACT

func checkContract(durable bool, number int32) error {
	if number = max(number, 1); durable && number < leastContract {
		return unfit("it speaks version %d of the contract, and this server needs %d: upgrade the executor", number,
			leastContract)
	}
	return nil
}

func checkLabels(labels map[string]string) error {
	if len(labels) > maxLabels {
		return unfit("at most %d labels", maxLabels)
	}
	for k, v := range labels {
		if !word(k, maxName) || len(v) > maxLabel || !printable(v) {
			return unfit("labels are printable: names of at most %d bytes without spaces, values of at most %d",
				maxName, maxLabel)
		}
	}
	return nil
}

func readHandlers(list []*hivego.HandlerInfo) ([]hive.Handler, error) {
	if len(list) > maxHandlers {
		return nil, unfit("at most %d handlers", maxHandlers)
	}
	var out []hive.Handler
	all := 0
	for _, h := range list {
		name := h.GetName()
		if !word(name, maxName) || slices.ContainsFunc(out, func(o hive.Handler) bool { return o.Name == name }) {
			return nil, unfit("each handler has a name of its own, of at most %d printable characters without spaces",
				maxName)
		}
		schema := h.GetParamsSchema()
		if all += len(schema); len(schema) > maxSchema || all > maxSchemas {
			return nil, unfit("its schemas are too large: that of a handler has at most %d KiB, all of them %d KiB",
				maxSchema>>10, maxSchemas>>10)
		}
		out = append(out, hive.Handler{
			Name: name, Title: hive.Clean(h.GetTitle(), 255), Description: hive.Clean(h.GetDescription(), 4096),
			Schema: hive.Clean(schema, maxSchema), Survives: h.GetSurvives(),
		})
	}
	return out, nil
}

// Describe connects to an executor and asks what it is. Errors are *hive.Error, and repeat nothing that the other side
// sent.
func (s *Service) Describe(ctx context.Context, e hive.Executor) (*fleet.Description, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	cl := s.caller(&e)
	d, err := s.pool.describe(ctx, e, cl)
	if err == nil {
		return d, nil
	}
	if u, ok := errors.AsType[*unfitError](err); ok {
		return nil, hive.Errorf(hive.CodeInvalid, "what %s says of itself cannot be kept: %s", e.Address, u.words).
			WithReason(hive.ErrorExecutorUnfit, "address", e.Address, "detail", u.words)
	}
	s.cfg.Log.Info("an executor is not added", "address", e.Address, "error", err)
	return nil, s.pool.diagnose(e, cl, err)
}
