package document

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// decoder fills a definition from a tree. The types of package hive and their JSON tags define the fields.
type decoder struct {
	*parser
	shapes shapes
}

// decode reads a definition, or returns nil if the tree is not a mapping. Values of a wrong shape become faults and are
// left out.
func (p *parser) decode(root *node) *hive.Definition {
	def := &hive.Definition{}
	if !p.decodeInto(root, reflect.ValueOf(def).Elem()) {
		return nil
	}
	(&decoder{parser: p}).explicit(root)
	normalize(def)
	overrides(root, def)
	return def
}

// decodeInto fills a struct from a tree. It returns false if the tree is not a mapping.
func (p *parser) decodeInto(root *node, v reflect.Value) bool {
	if root.kind != mapping {
		p.fault(root, "", mistyped(root, codeWrongType, hive.FaultNoMap, "a schedule is a map of fields",
			"begin the text with apiVersion: hivego/v1"))
		return false
	}
	d := &decoder{parser: p, shapes: shapes{}}
	d.structure(root, v, "")
	return true
}

// value reads n into v. It treats null as missing.
func (d *decoder) value(n *node, v reflect.Value, path string) {
	if n.kind == scalar && n.tag == tagNull {
		return
	}
	switch t := v.Type(); {
	case isDuration(t):
		d.duration(n, v, path)
	case t == reflect.TypeFor[hive.Sharding]() && n.kind == scalar:
		d.sharding(n, v, path)
	case t.Kind() == reflect.Pointer:
		fresh := reflect.New(t.Elem())
		before := len(d.faults)
		if d.value(n, fresh.Elem(), path); len(d.faults) == before {
			v.Set(fresh)
		}
	case t.Kind() == reflect.Struct:
		if t == reflect.TypeFor[hive.Pool]() {
			n.expand("name")
		}
		if n.kind != mapping {
			d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantMap, "this must be a map of fields",
				"write its fields as {name: value}, or on lines of their own below it"))
			return
		}
		d.structure(n, v, path)
	case t.Kind() == reflect.Slice:
		d.items(n, v, path)
	case t.Kind() == reflect.Map:
		d.userMap(n, v, path)
	default:
		d.single(n, v, path)
	}
}

// sharding reads the one word that may stand for a map.
func (d *decoder) sharding(n *node, v reflect.Value, path string) {
	if n.tag == tagText && n.text == hive.ShardBroadcast {
		v.Set(reflect.ValueOf(hive.Sharding{Broadcast: true}))
		return
	}
	value := hive.Clean(n.text, 80)
	d.shape(n, path, hive.NewFault(codeWrongType, hive.FaultShardWord, "‹value› does not say how to shard a task",
		"write broadcast, {count: 5} or {over: outputs.list.files}", "value", value))
}

// mistyped returns the fault of a value of a wrong kind. wanted is an English sentence with the expected kind. The
// params describe the actual value.
func mistyped(n *node, code string, reason hive.FaultReason, wanted, remedy string) hive.Fault {
	_, value := kindOf(n)
	return mistypedAs(n, code, reason, wanted, remedy, value)
}

// mistypedAs is mistyped with a value for the remedy: the right notation of the value.
func mistypedAs(n *node, code string, reason hive.FaultReason, wanted, remedy, value string) hive.Fault {
	got, _ := kindOf(n)
	f := hive.NewFault(code, reason, "", remedy, "got", got, "value", value)
	f.Message = wanted + ", not " + describe(n)
	return f
}

func (d *decoder) structure(n *node, v reflect.Value, path string) {
	fields := d.shapes.of(v.Type())
	for i, key := range n.keys {
		at := join(path, key.text)
		known := false
		for _, f := range fields {
			if f.name == key.text {
				d.value(n.values[i], v.Field(f.index), at)
				known = true
			}
		}
		if !known {
			d.misread = true
			u := unknown{hive.FaultUnknownField, hive.FaultUnknownFieldNear, "the fields here are ‹known›"}
			d.fault(key, at, u.fault(codeUnknownField, "‹value› is not a field here", key.text, names(fields),
				"value", hive.Clean(key.text, 80), "known", strings.Join(names(fields), ", ")))
		}
	}
	for _, f := range fields {
		if got := n.get(f.name); f.required && (got == nil || got.kind == scalar && got.tag == tagNull) {
			reason, remedy := missing(f.name)
			d.shape(n, join(path, f.name), hive.NewFault(graph.CodeMissingField, reason,
				"the field ‹value› is missing", remedy, "value", f.name))
		}
	}
}

// missing returns the fault's reason and remedy for a missing required field.
func missing(field string) (reason hive.FaultReason, remedy string) {
	switch field {
	case "apiVersion":
		return hive.FaultMissingAPIVersion, "write apiVersion: " + hive.APIVersion
	case "kind":
		return hive.FaultMissingKind, "write kind: " + hive.KindSchedule
	case "name":
		return hive.FaultMissingName, "write a name of lower-case letters, digits and hyphens"
	case "jobs":
		return hive.FaultMissingJobs, "list the jobs, or write jobs: []"
	case "cron":
		return hive.FaultMissingCron, `write one such as "20 3 * * *" or "@daily"`
	case "schedule":
		return hive.FaultMissingUpstream, "name the schedule to wait for"
	case "on", "channels", "type", "host", "from", "to", "url", "after":
		return hive.FaultMissingField, "write the field ‹value›"
	case "handler":
		return hive.FaultMissingHandler, "name the kind of work, such as shell or sql"
	default:
		return hive.FaultMissingKey, "give it a key, unique in the schedule"
	}
}

func (d *decoder) items(n *node, v reflect.Value, path string) {
	if n.kind != list {
		d.shape(n, path, notList(n, path))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.values), len(n.values)))
	for i, item := range n.values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if item.kind == scalar && item.tag == tagNull {
			d.shape(item, at, hive.NewFault(codeWrongType, hive.FaultItemEmpty, "this item is empty",
				"give it a value, or take the - out"))
			continue
		}
		d.value(item, v.Index(i), at)
	}
}

// notList returns the fault of a value that is not a list. For a single value the remedy shows it as a list.
func notList(n *node, path string) hive.Fault {
	const wanted = "this must be a list"
	if n.kind != scalar {
		return mistyped(n, codeWrongType, hive.FaultWantList, wanted,
			"write the items in brackets, or on lines of their own that begin with -")
	}
	item := hive.Clean(n.text, 80)
	if path == "triggers" || strings.HasSuffix(path, ".after") { // its items are not texts
		item = fmt.Sprintf("{cron: %q}", item)
	}
	return mistypedAs(n, codeWrongType, hive.FaultWantListAs, wanted, "write it as [‹value›]", item)
}

func (d *decoder) userMap(n *node, v reflect.Value, path string) {
	if n.kind != mapping {
		d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantNames, "this must be a map of names to values",
			"write them as {name: value}"))
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.keys)))
	for i, key := range n.keys {
		at := join(path, key.text)
		if strings.ContainsRune(key.text, 0) {
			d.shape(key, at, hive.NewFault(codeNotText, hive.FaultNameNUL, "a name holds the character NUL",
				"take it out"))
			continue
		}
		if v.Type().Elem().Kind() == reflect.String {
			into := reflect.New(v.Type().Elem()).Elem()
			if d.text(n.values[i], at) {
				into.SetString(n.values[i].text)
				v.SetMapIndex(reflect.ValueOf(key.text), into)
			}
			continue
		}
		if value := d.any(n.values[i], at); value != nil {
			v.SetMapIndex(reflect.ValueOf(key.text), reflect.ValueOf(value))
		} else {
			v.SetMapIndex(reflect.ValueOf(key.text), reflect.Zero(v.Type().Elem()))
		}
	}
}

// single reads a text, a number, or true or false.
func (d *decoder) single(n *node, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if d.text(n, path) {
			v.SetString(n.text)
		}
	case reflect.Bool:
		if n.kind != scalar || n.tag != tagBool {
			d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantBool, "this must be true or false",
				"write true or false, without quotes"))
			return
		}
		v.SetBool(strings.EqualFold(n.text, "true"))
	case reflect.Int:
		if x, ok := number(n).(int64); ok && x >= math.MinInt32 && x <= math.MaxInt32 {
			v.SetInt(x)
			return
		}
		d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantWhole, "this must be a whole number",
			"write one such as 3, without quotes"))
	default: // float64
		switch x := number(n).(type) {
		case int64:
			v.SetFloat(float64(x))
		case float64:
			v.SetFloat(x)
		default:
			d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantNumber, "this must be a number",
				"write one such as 1.5, without quotes"))
		}
	}
}

// text checks that n is a text.
func (d *decoder) text(n *node, path string) bool {
	switch {
	case n.kind == scalar && n.tag == tagText && !strings.ContainsRune(n.text, 0):
		return true
	case n.kind == scalar && n.tag == tagText:
		d.shape(n, path, hive.NewFault(codeNotText, hive.FaultTextNUL, "the text holds the character NUL",
			"take it out"))
	case n.kind == scalar:
		d.shape(n, path, mistypedAs(n, codeWrongType, hive.FaultWantTextQuoted, "this must be a text",
			"put it in quotes: ‹value›", strconv.Quote(n.text)))
	default:
		d.shape(n, path, mistyped(n, codeWrongType, hive.FaultWantText, "this must be a text", "write a single value"))
	}
	return false
}

func (d *decoder) duration(n *node, v reflect.Value, path string) {
	if n.kind != scalar || n.tag != tagText {
		d.shape(n, path, mistyped(n, codeBadDuration, hive.FaultWantDuration, "this must be a duration",
			"write one such as 30s, 10m, 2h or 1d"))
		return
	}
	value, err := hive.ParseDuration(n.text)
	if err != nil {
		d.shape(n, path, hive.FaultOf(err, codeBadDuration))
		return
	}
	v.SetInt(int64(value))
}

// any reads a value of a user map: text, int64, float64, bool, nil, []any or map[string]any.
func (d *decoder) any(n *node, path string) any {
	switch n.kind {
	case list:
		out := make([]any, len(n.values))
		for i, item := range n.values {
			out[i] = d.any(item, fmt.Sprintf("%s[%d]", path, i))
		}
		return out
	case mapping:
		out := make(map[string]any, len(n.keys))
		for i, key := range n.keys {
			out[key.text] = d.any(n.values[i], join(path, key.text))
		}
		return out
	}
	switch n.tag {
	case tagNull:
		return nil
	case tagBool:
		return strings.EqualFold(n.text, "true")
	case tagInt, tagFloat:
		x := number(n)
		if x == nil {
			d.shape(n, path, hive.NewFault(codeWrongType, hive.FaultNumberKept,
				"‹value› is not a number that can be kept",
				"write a finite one of at most 18 digits, or put it in quotes", "value", hive.Clean(n.text, 80)))
		}
		return x
	default:
		d.text(n, path)
		return n.text
	}
}

// number returns n as int64 or float64, or nil if it is neither or not finite.
func number(n *node) any {
	if n.kind != scalar || n.tag != tagInt && n.tag != tagFloat {
		return nil
	}
	var value any
	if err := (&yaml.Node{Kind: yaml.ScalarNode, Value: n.text}).Decode(&value); err != nil {
		return nil
	}
	switch x := value.(type) {
	case int:
		return int64(x)
	case int64:
		return x
	case float64:
		if math.IsInf(x, 0) || math.IsNaN(x) || !strings.ContainsAny(n.text, ".eE") { // an integer would lose digits
			return nil
		}
		return x
	default: // beyond int64
		return nil
	}
}

// kindOf returns the kind of n for programs, and the value of a scalar.
func kindOf(n *node) (kind, value string) {
	switch {
	case n.kind == mapping:
		return "map", ""
	case n.kind == list:
		return "list", ""
	case n.tag == tagText:
		return "text", strconv.Quote(hive.Clean(n.text, 40))
	case n.tag == tagNull:
		return "nothing", ""
	case n.tag == tagBool:
		return "bool", n.text
	default:
		return "number", hive.Clean(n.text, 40)
	}
}

// describe names the kind of n in English.
func describe(n *node) string {
	switch {
	case n.kind == mapping:
		return "a map"
	case n.kind == list:
		return "a list"
	case n.tag == tagText:
		return fmt.Sprintf("the text %q", hive.Clean(n.text, 40))
	case n.tag == tagNull:
		return "nothing"
	case n.tag == tagBool:
		return n.text
	default:
		return "the number " + hive.Clean(n.text, 40)
	}
}

// list returns the items of n, or none if it is not a list.
func (n *node) list() []*node {
	if n == nil || n.kind != list {
		return nil
	}
	return n.values
}
