package expression

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Shard is `shard`: which part of its task a run is. It is empty outside the shards of a task.
type Shard struct {
	Index int `expr:"index"` // from 0
	Total int `expr:"total"`
	Item  any `expr:"item"` // the element of the list; nil without one
}

// ShardOf returns `shard` for a shard; an empty one for nil.
func ShardOf(s *hive.Shard) Shard {
	if s == nil {
		return Shard{}
	}
	return Shard{Index: s.Index, Total: s.Total, Item: readItem(s.Item)}
}

// readItem reads the stored JSON of an element. Whole numbers stay whole. A text that is not one JSON value to its end
// is returned unchanged.
func readItem(text string) any {
	if text == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return text
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return text // such as "[1] files found"
	}
	return plainNumbers(value)
}

// plainNumbers turns a number of JSON into an int, or into a float64 if it is not whole.
func plainNumbers(value any) any {
	switch x := value.(type) {
	case json.Number:
		if whole, err := x.Int64(); err == nil {
			return int(whole)
		}
		broken, _ := x.Float64()
		return broken
	case []any:
		for i := range x {
			x[i] = plainNumbers(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = plainNumbers(x[name])
		}
	}
	return value
}

// AddShard adds which part of its task a run is to its environment variables. It adds nothing for nil.
func AddShard(env map[string]string, s *hive.Shard) {
	if s == nil {
		return
	}
	env["HIVEGO_SHARD_INDEX"], env["HIVEGO_SHARD_TOTAL"] = fmt.Sprint(s.Index), fmt.Sprint(s.Total)
	if s.Item == "" {
		return
	}
	env["HIVEGO_SHARD_ITEM"] = s.Item
	if words, ok := readItem(s.Item).(string); ok {
		env["HIVEGO_SHARD_ITEM"] = words
	}
}

// AddLists replaces the outputs of sharded tasks by their lists: by task and name, the values of the shards.
func AddLists(env map[string]any, lists map[string]map[string]any) {
	byTask, ok := env["outputs"].(map[string]map[string]any)
	if !ok {
		return
	}
	maps.Copy(byTask, lists)
}

// Elements evaluates src, whose value must be a list or a text with a list as JSON, and returns its elements as JSON.
func (c *Cache) Elements(src string, env map[string]any) ([]string, error) {
	value, err := c.eval(src, env)
	if err != nil {
		return nil, err
	}
	elements, err := elementsOf(value)
	if err != nil {
		return nil, err
	}
	if len(elements) > hive.MaxShards {
		return nil, refuse(hive.FaultShardMany, "the list has ‹value› elements, more than ‹most›",
			"join several of them into one", "value", len(elements), "most", hive.MaxShards)
	}
	out := make([]string, len(elements))
	for i, element := range elements {
		if at, ok := element.(time.Time); ok {
			element = text(at)
		}
		if out[i], err = marshal(element); err != nil {
			return nil, err
		}
		if len(out[i]) > hive.MaxShardItem {
			return nil, refuse(hive.FaultShardItemLong, "element ‹index› has more than ‹most› bytes",
				"write it to a file, and name the file", "index", i, "most", hive.MaxShardItem)
		}
	}
	return out, nil
}

func elementsOf(value any) ([]any, error) {
	switch x := value.(type) {
	case []any:
		return x, nil
	case []string:
		out := make([]any, len(x))
		for i := range x {
			out[i] = x[i]
		}
		return out, nil
	case string:
		if trimmed := bytes.TrimSpace([]byte(x)); len(trimmed) > 0 && trimmed[0] == '[' {
			if list, ok := readItem(string(trimmed)).([]any); ok {
				return list, nil
			}
		}
	}
	return nil, refuse(hive.FaultShardNotList, "the expression gives ‹words›, not a list",
		`give a list, such as split(outputs.list.files, ",")`, "words", describe(value))
}
