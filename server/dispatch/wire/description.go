package wire

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// describe asks an executor for its description, and measures its clock.
func (c *conn) describe(ctx context.Context, from Caller) (*fleet.Description, error) {
	sent := time.Now()
	r, err := c.client.Describe(ctx, &hivego.DescribeCall{Caller: from.wire()})
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

// unfitError explains why an executor's description is refused. It quotes nothing of it.
type unfitError struct{ hive.Sentence }

func (e *unfitError) Error() string { return e.Text }

func unfit(code hive.SentenceReason, text string, params ...any) error {
	return &unfitError{hive.NewSentence(code, text, params...)}
}

// readDescription checks an executor's description, because people see it and the database stores it.
func readDescription(r *hivego.DescribeReply) (*fleet.Description, error) {
	d := &fleet.Description{
		ID: r.GetExecutorId(), BootID: r.GetBootId(), Name: r.GetName(), Group: r.GetGroup(),
		Version: hive.Clean(r.GetVersion(), hivego.MAX_NAME_BYTES), Labels: r.GetLabels(), Durable: r.GetDurable(),
		Slots: 1,
	}
	for _, w := range []struct {
		what, text string
		most       int
	}{
		{"executorId", d.ID, hivego.MAX_ID_BYTES},
		{"bootId", d.BootID, hivego.MAX_ID_BYTES},
		{"name", d.Name, hivego.MAX_NAME_BYTES},
		{"group", d.Group, hivego.MAX_NAME_BYTES},
	} {
		if w.text != "" && !IsName(w.text, w.most) {
			return nil, unfit(hive.SentenceUnfitName,
				"its ‹what› is not a name: write at most ‹most› printable characters without spaces",
				"what", w.what, "most", w.most)
		}
	}
	if d.Durable && (d.ID == "" || d.BootID == "") {
		return nil, unfit(hive.SentenceUnfitDurable,
			"it says that it is durable, and names no executorId or bootId")
	}
	if err := CheckContract(d.Durable, r.GetContract()); err != nil {
		return nil, err
	}
	if l := r.GetLoad(); l != nil {
		d.Load = loadOf(l)
		if l.IsSetSlots() {
			d.Slots = int(l.GetSlots())
		}
	}
	if d.Slots < 1 || d.Slots > hivego.MAX_SLOTS {
		return nil, unfit(hive.SentenceUnfitSlots, "its slots are to be between 1 and ‹most›, not ‹value›",
			"most", hivego.MAX_SLOTS, "value", d.Slots)
	}
	if err := CheckLabels(d.Labels); err != nil {
		return nil, err
	}
	var err error
	d.Handlers, err = ReadHandlers(r.GetHandlers())
	return d, err
}

// CheckContract refuses a durable executor with a version of the contract that is too low: it would not know the keys
// of attempts, and would confuse attempts with the same id. A missing version is 0.
func CheckContract(durable bool, number int32) error {
	if number = max(number, 1); durable && number < hivego.MIN_DURABLE_CONTRACT {
		return unfit(hive.SentenceUnfitContract,
			"it speaks version ‹version› of the contract, and this server needs ‹need›: upgrade the executor",
			"version", number, "need", hivego.MIN_DURABLE_CONTRACT)
	}
	return nil
}

// CheckLabels refuses labels that are too many, too long, or not printable. The error does not quote them.
func CheckLabels(labels map[string]string) error {
	if len(labels) > hivego.MAX_LABELS {
		return unfit(hive.SentenceUnfitLabels, "at most ‹most› labels", "most", hivego.MAX_LABELS)
	}
	for k, v := range labels {
		if !IsName(k, hivego.MAX_NAME_BYTES) || len(v) > hivego.MAX_LABEL_BYTES || !isPrintable(v) {
			return unfit(hive.SentenceUnfitLabel,
				"labels are printable: names of at most ‹name› bytes without spaces, values of at most ‹value›",
				"name", hivego.MAX_NAME_BYTES, "value", hivego.MAX_LABEL_BYTES)
		}
	}
	return nil
}

// ReadHandlers checks the handlers that an executor offers. The error does not quote them.
func ReadHandlers(list []*hivego.HandlerInfo) ([]hive.Handler, error) {
	if len(list) > hivego.MAX_HANDLERS {
		return nil, unfit(hive.SentenceUnfitHandlers, "at most ‹most› handlers", "most", hivego.MAX_HANDLERS)
	}
	var out []hive.Handler
	all := 0
	for _, h := range list {
		name := h.GetName()
		again := slices.ContainsFunc(out, func(o hive.Handler) bool { return o.Name == name })
		if again || !IsName(name, hivego.MAX_NAME_BYTES) {
			return nil, unfit(hive.SentenceUnfitHandlerName,
				"each handler has a name of its own, of at most ‹most› printable characters without spaces",
				"most", hivego.MAX_NAME_BYTES)
		}
		schema := h.GetParamsSchema()
		if all += len(schema); len(schema) > hivego.MAX_SCHEMA_BYTES || all > hivego.MAX_SCHEMAS_BYTES {
			return nil, unfit(hive.SentenceUnfitSchemas,
				"its schemas are too large: that of a handler has at most ‹most› KiB, all of them ‹all› KiB",
				"most", hivego.MAX_SCHEMA_BYTES>>10, "all", hivego.MAX_SCHEMAS_BYTES>>10)
		}
		out = append(out, hive.Handler{
			Name: name, Title: hive.Clean(h.GetTitle(), 255), Description: hive.Clean(h.GetDescription(), 4096),
			Schema: hive.Clean(schema, hivego.MAX_SCHEMA_BYTES), Survives: h.GetSurvives(),
		})
	}
	return out, nil
}

// IsName reports whether s is a name: printable, without spaces, of 1 to most bytes.
func IsName(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.Contains(s, " ") && isPrintable(s)
}

// isPrintable reports whether s can be shown in a line: nothing in it steers a terminal or is invisible.
func isPrintable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
