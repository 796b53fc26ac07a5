package document

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// JSON returns the definition as JSON without losing anything of the canonical text: fields and keys have the same
// order, and the schedule, jobs and tasks have their comments in the member #. Parse makes the same canonical text from
// it.
func (d *Document) JSON() []byte { return writeJSON(canonical(d.root, d.value())) }

type jsonWriter struct{ bytes.Buffer }

func writeJSON(p page) []byte {
	w := &jsonWriter{}
	var own remarks
	own.add("", remark{Top: p.top, Tail: p.tail})
	w.object(p.root, "jobs", &own)
	return w.Bytes()
}

// object writes a schedule, job or task; inner is the field with its jobs or tasks.
func (w *jsonWriter) object(it item, inner string, own *remarks) {
	w.WriteByte('{')
	comma := false
	for _, e := range it.entries {
		own.add(e.name, remarkOf(e, false))
		if e.item.void {
			continue
		}
		w.comma(&comma)
		w.Write(quoteJSON(e.name))
		w.WriteByte(':')
		if e.name != inner || e.item.kind != list {
			w.value(e.item, e.name, own)
			continue
		}
		w.WriteByte('[')
		for i, one := range e.item.entries {
			if i > 0 {
				w.WriteByte(',')
			}
			var its remarks
			its.add("", remarkOf(one, false))
			w.object(one.item, next(inner), &its)
		}
		w.WriteByte(']')
	}
	w.remarks(own, comma)
	w.WriteByte('}')
}

// next returns the inner field of the objects in a field.
func next(inner string) string {
	if inner == "jobs" {
		return "tasks"
	}
	return ""
}

func (w *jsonWriter) comma(written *bool) {
	if *written {
		w.WriteByte(',')
	}
	*written = true
}

func (w *jsonWriter) remarks(r *remarks, comma bool) {
	if len(r.paths) == 0 {
		return
	}
	w.comma(&comma)
	w.WriteString(`"` + remarksKey + `":{`)
	for i, path := range r.paths {
		if i > 0 {
			w.WriteByte(',')
		}
		w.Write(quoteJSON(path))
		w.WriteByte(':')
		w.Write(plainJSON(r.by[path]))
	}
	w.WriteByte('}')
}

// value writes any other value, and adds the remarks about the places within it.
func (w *jsonWriter) value(it item, path string, own *remarks) {
	switch it.kind {
	case scalar:
		w.scalar(it)
	case mapping:
		w.WriteByte('{')
		comma := false
		for _, e := range it.entries {
			at := below(path, e.name)
			own.add(at, remarkOf(e, false))
			if e.item.void {
				continue
			}
			w.comma(&comma)
			w.Write(quoteJSON(e.name))
			w.WriteByte(':')
			w.value(e.item, at, own)
		}
		w.WriteByte('}')
	default:
		w.WriteByte('[')
		for i, e := range it.entries {
			if i > 0 {
				w.WriteByte(',')
			}
			at := itemOf(path, i)
			own.add(at, remarkOf(e, true))
			w.value(e.item, at, own)
		}
		w.WriteByte(']')
	}
}

func (w *jsonWriter) scalar(it item) {
	n := it.from
	switch {
	case n == nil: // a duration
		w.Write(quoteJSON(it.text))
	case n.tag == tagInt || n.tag == tagFloat:
		w.WriteString(plainNumber(n))
	case n.tag == tagText:
		w.Write(quoteJSON(n.text))
	default: // true, false, null
		w.WriteString(it.text)
	}
}

// remarkOf returns the remark about an entry.
func remarkOf(e entry, isItem bool) remark {
	r := remark{Above: e.head, Behind: e.note}
	n := e.item.from
	switch {
	case e.item.void:
		r.As = "null"
	case n == nil:
	case (n.tag == tagInt || n.tag == tagFloat) && n.text != shortNumber(n):
		r.As = n.text
	case isItem && n.tag == tagText && len(n.text) <= maxKey && (len(r.Above) > 0 || r.Behind != ""):
		r.Of = n.text
	}
	return r
}

// plainNumber returns a number in JSON: unchanged if JSON allows its notation, otherwise in plain digits.
func plainNumber(n *node) string {
	if json.Valid([]byte(n.text)) {
		return n.text
	}
	switch x := number(n).(type) {
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return shortFloat(x)
	default: // refused by decode
		return "null"
	}
}

// shortNumber returns a number as a program with float64 only writes it, such as a browser.
func shortNumber(n *node) string {
	switch x := number(n).(type) {
	case int64:
		return shortFloat(float64(x))
	case float64:
		return shortFloat(x)
	default:
		return n.text
	}
}

// shortFloat writes a number as JavaScript does.
func shortFloat(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return "0"
	}
	text, err := json.Marshal(x)
	if err != nil {
		return "0"
	}
	return string(text)
}
