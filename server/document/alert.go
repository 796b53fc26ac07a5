package document

import (
	"github.com/rprp/hivego/server/alert"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// MaxAlert is the limit of the text of a rule or a channel, in bytes.
const MaxAlert = 256 << 10

// ParseAlert reads one rule or channel from YAML or JSON. kind is hive.KindAlert or hive.KindChannel; the kind of the
// text must be the same. The document is nil if a fault is more than a warning.
func ParseAlert(src []byte, kind string, o Options) (*Document, []hive.Fault) {
	if o.Limit == 0 && !o.Stored {
		o.Limit = MaxAlert
	}
	p := &parser{options: o}
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, p.sorted()
	}
	d := p.alert(roots[0], kind)
	if len(roots) > 1 {
		d = nil
		p.several(roots[1])
	}
	return d, p.sorted()
}

// ConvertedAlert is one rule or channel in both forms, with its definition.
type ConvertedAlert struct {
	Forms
	Alert   *hive.AlertDefinition   // nil for a channel
	Channel *hive.ChannelDefinition // nil for a rule
}

// ConvertAlert reads one rule or channel that may have faults, and writes it in both forms, as Convert does with a
// schedule. It returns nil if a wrong shape makes the forms lose part of the text.
func ConvertAlert(src []byte, kind string, o Options) (*ConvertedAlert, []hive.Fault) {
	o.Limit = MaxAlert
	p := &parser{options: o}
	roots := p.read(src)
	if len(roots) == 0 {
		return nil, p.sorted()
	}
	d := p.readAlert(roots[0], kind)
	if d == nil {
		return nil, p.sorted()
	}
	if len(roots) > 1 {
		p.several(roots[1])
	}
	if p.misread {
		return nil, p.sorted()
	}
	return &ConvertedAlert{Forms: formsOf(d.root, d.value()), Alert: d.Alert, Channel: d.Channel}, p.sorted()
}

// kindOfTree returns the kind that a tree calls itself.
func kindOfTree(root *node) string {
	if kind := root.get("kind"); kind != nil && kind.kind == scalar {
		return kind.text
	}
	return ""
}

// alert makes the document of the tree of a rule or a channel. It is nil if a fault of the tree is more than a warning.
func (p *parser) alert(root *node, kind string) *Document {
	before := len(p.faults)
	d := p.readAlert(root, kind)
	if d == nil || hive.Refused(p.faults[before:]) {
		return nil
	}
	d.finish()
	return d
}

// readAlert reads and checks the tree of a rule or a channel, even after faults. It returns nil if the tree is not a
// mapping. The document has no text yet.
func (p *parser) readAlert(root *node, kind string) *Document {
	d := &Document{root: root}
	if kind == hive.KindChannel {
		d.Channel = &hive.ChannelDefinition{}
	} else {
		d.Alert = &hive.AlertDefinition{}
	}
	p.refused = nil
	if !p.decodeInto(root, d.value()) {
		return nil
	}
	if d.Alert != nil {
		normalizeAlert(d.Alert)
	} else {
		normalizeChannel(d.Channel)
	}
	if !p.shapeOnly && !p.options.Stored {
		p.place(root, checkAlert(d, alert.Known{Channels: p.options.Channels, Schedules: p.options.Named}))
	}
	return d
}

func checkAlert(d *Document, known alert.Known) []hive.Fault {
	if c := d.Channel; c != nil {
		head := hive.Definition{APIVersion: c.APIVersion, Kind: c.Kind, Name: c.Name, Title: c.Title}
		return append(graph.ValidateHead(&head, hive.KindChannel, `"‹value›" cannot be the name of a channel`),
			alert.CheckChannel(c)...)
	}
	a := d.Alert
	head := hive.Definition{APIVersion: a.APIVersion, Kind: a.Kind, Name: a.Name, Title: a.Title}
	return append(graph.ValidateHead(&head, hive.KindAlert, `"‹value›" cannot be the name of a rule`),
		alert.CheckRule(a, known)...)
}

// normalizeAlert empties fields that have their default value.
func normalizeAlert(def *hive.AlertDefinition) {
	drop(&def.Timezone, "UTC")
	drop(&def.Wait, hive.DefaultAlertWait)
	drop(&def.Skips, hive.DefaultAlertSkips)
	dropPointer(&def.Group, hive.DefaultAlertGroup)
	dropEmpty(&def.Schedules)
	dropEmpty(&def.Tags)
	dropEmpty(&def.Quiet)
	for i := range def.Quiet {
		dropEmpty(&def.Quiet[i].Days)
	}
}

func normalizeChannel(def *hive.ChannelDefinition) {
	drop(&def.Language, "en")
	drop(&def.Email.Security, "starttls")
	dropEmpty(&def.Email.To)
	drop(&def.HTTP.Method, "POST")
	if len(def.HTTP.Headers) == 0 {
		def.HTTP.Headers = nil
	}
}

func dropEmpty[T any](list *[]T) {
	if len(*list) == 0 {
		*list = nil
	}
}

// isAlert reports whether a kind is that of a rule or a channel.
func isAlert(kind string) bool {
	return kind == hive.KindAlert || kind == hive.KindChannel
}
