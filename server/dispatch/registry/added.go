package registry

import (
	"cmp"
	"maps"
	"net"
	"strconv"
	"time"

	"github.com/rprp/hivego/server/dispatch/wire"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// CheckNew refuses an executor that a person wants to add, as far as that can be decided without a call: an address
// that cannot be called, or an address beyond this machine without TLS and a token. Errors are *hive.Error.
func CheckNew(n *hive.NewExecutor) error {
	host, port, err := net.SplitHostPort(n.Address)
	number, perr := strconv.ParseUint(port, 10, 16)
	ip := net.ParseIP(host)
	refuse := func(r hive.ErrorReason, words string) error {
		address := hive.Clean(n.Address, hivego.MAX_LABEL_BYTES)
		return hive.Errorf(hive.CodeInvalid, "%s: %s", strconv.Quote(address), words).WithReason(r, "address", address)
	}
	switch {
	case err != nil || perr != nil || number == 0 || !wire.IsName(host, hivego.MAX_LABEL_BYTES):
		return refuse(hive.ErrorExecutorAddress, "an executor's address is HOST:PORT")
	case ip != nil && (ip.IsUnspecified() || ip.IsMulticast() || ip.Equal(net.IPv4bcast)):
		return refuse(hive.ErrorExecutorAddress, "that is no address of one machine")
	case !loopback(host) && !n.TLS:
		return refuse(hive.ErrorExecutorNeedsTLS,
			"beyond this machine an executor speaks TLS; make its certificate with: hivego certs")
	case !loopback(host) && n.Token == "":
		return refuse(hive.ErrorExecutorNeedsToken, "beyond this machine an executor asks for a token; say which")
	}
	for _, f := range []struct {
		name, text string
		most       int
	}{
		{"name", n.Name, hivego.MAX_NAME_BYTES},
		{"group", n.Group, hivego.MAX_NAME_BYTES},
		{"token", n.Token, hivego.MAX_ID_BYTES},
	} {
		if f.text != "" && !wire.IsName(f.text, f.most) {
			return badValue(f.name, "at most "+strconv.Itoa(f.most)+" printable characters without spaces")
		}
	}
	if err := wire.CheckLabels(n.Labels); err != nil {
		return badValue("labels", err.Error())
	}
	if n.Slots < 0 || n.Slots > hivego.MAX_SLOTS {
		return badValue("slots", "between 1 and "+strconv.Itoa(hivego.MAX_SLOTS))
	}
	return nil
}

// badValue refuses a field without quoting it, because it may be the token.
func badValue(name, want string) error {
	return hive.Errorf(hive.CodeInvalid, "%s: %s", name, want).WithReason(hive.ErrorValue, "name", name, "value", "")
}

// NewExecutor returns the row of an executor that a person adds. d is its description; known is its stored row if it
// was added before.
func NewExecutor(n *hive.NewExecutor, d *fleet.Description, known *hive.Executor, now time.Time) hive.Executor {
	e := hive.Executor{
		ID: cmp.Or(d.ID, fleet.AddressID(n.Address)), Address: n.Address, TLS: n.TLS, Secret: n.Token,
		Version: d.Version, Handlers: d.Handlers, BootID: d.BootID, Durable: d.Durable, Origin: hive.OriginAddress,
		CreatedAt: now, SeenAt: now,
		Slots: cmp.Or(n.Slots, d.Slots), SlotsByPerson: n.Slots > 0, Labels: map[string]string{},
	}
	maps.Copy(e.Labels, d.Labels)
	maps.Copy(e.Labels, n.Labels)
	if known == nil {
		known = &hive.Executor{}
	} else {
		e.CreatedAt, e.Offline, e.Drained = known.CreatedAt, known.Offline, known.Drained && known.BootID == d.BootID
	}
	e.Name = cmp.Or(n.Name, known.Name, d.Name, hive.Clean(n.Address, hivego.MAX_NAME_BYTES))
	e.Group = cmp.Or(n.Group, known.Group, d.Group, hive.DefaultGroup)
	return e
}
