package hive

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Limits of the shards of a task.
const (
	MaxShards    = 1_000   // of one task
	MaxShardItem = 1 << 10 // bytes of an element as JSON
)

// ShardBroadcast is the value of Task.Shard for one shard on each executor.
const ShardBroadcast = "broadcast"

// Sharding determines into how many shards a task is split when it starts. At most one field is set; without any, the
// task is not sharded. As JSON and YAML it is the word broadcast, or a map with one field.
type Sharding struct {
	Broadcast bool   `json:"-"`               // one for each executor of the group that is in contact and matches
	Count     int    `json:"count,omitempty"` // so many
	Over      string `json:"over,omitempty"`  // expr-lang: one for each element of the list that it gives
}

// IsZero reports whether the task is not sharded.
func (s Sharding) IsZero() bool { return s == Sharding{} }

// String returns the setting in a few words: broadcast, a number, or the expression.
func (s Sharding) String() string {
	switch {
	case s.Broadcast:
		return ShardBroadcast
	case s.Count > 0:
		return strconv.Itoa(s.Count)
	default:
		return s.Over
	}
}

// shardingFields is Sharding without its methods.
type shardingFields Sharding

// MarshalJSON implements json.Marshaler.
func (s Sharding) MarshalJSON() ([]byte, error) {
	if s.Broadcast {
		return json.Marshal(ShardBroadcast)
	}
	return json.Marshal(shardingFields(s))
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Sharding) UnmarshalJSON(src []byte) error {
	var word string
	if json.Unmarshal(src, &word) != nil {
		return json.Unmarshal(src, (*shardingFields)(s))
	}
	if word != ShardBroadcast {
		return fmt.Errorf("shard is %q; it must be broadcast, or a map with count or over", word)
	}
	*s = Sharding{Broadcast: true}
	return nil
}

// Shard is what one shard of a task works on.
type Shard struct {
	Index int    `json:"index,omitempty"` // from 0
	Total int    `json:"total"`
	Item  string `json:"item,omitempty"` // JSON of its element; empty without one
	// Executor is the id of the only executor that may run it; empty for any.
	Executor     string `json:"executor,omitempty"`
	ExecutorName string `json:"executorName,omitempty"`
}

// ShardName returns the name of one shard of a task in a plan, such as copy.3. Keys of tasks have no dot.
func ShardName(task string, index int) string { return task + "." + strconv.Itoa(index) }

// ParseShardName is the inverse of ShardName; ok is false for the key of a task.
func ParseShardName(name string) (task string, index int, ok bool) {
	task, digits, found := strings.Cut(name, ".")
	index, err := strconv.Atoi(digits)
	return task, index, found && err == nil && index >= 0 && ShardName(task, index) == name
}
