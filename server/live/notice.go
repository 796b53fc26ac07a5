package live

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// Limits of what a server keeps and sends of its changes. Beyond them it names whole batches, or just says that there
// are changes.
const (
	maxNoticeBytes   = 7000 // of one message; PostgreSQL takes 7,999
	maxNotices       = 4    // messages at a time
	maxNoticeBatches = 2000
	maxNoticeRuns    = 5000 // of a batch
)

// anything stands for changes that are not named one by one.
const anything = "*"

// changes gathers what has changed, by batch.
type changes struct {
	all     bool
	batches map[int64]*changedRuns
}

// changedRuns are the runs of a batch that have changed.
type changedRuns struct {
	whole bool
	runs  map[int]bool
}

func (c *changes) empty() bool { return !c.all && len(c.batches) == 0 }

// add marks a run as changed, or only the batch if run is negative.
func (c *changes) add(batch int64, run int) {
	r := c.of(batch)
	if r == nil || run < 0 || r.whole {
		return
	}
	if len(r.runs) >= maxNoticeRuns {
		r.whole, r.runs = true, nil
		return
	}
	if r.runs == nil {
		r.runs = map[int]bool{}
	}
	r.runs[run] = true
}

// addWhole marks all runs of a batch.
func (c *changes) addWhole(batch int64) {
	if r := c.of(batch); r != nil {
		r.whole, r.runs = true, nil
	}
}

// of returns the changes of a batch; nil if batches are no longer named.
func (c *changes) of(batch int64) *changedRuns {
	if c.all {
		return nil
	}
	r := c.batches[batch]
	if r != nil {
		return r
	}
	if len(c.batches) >= maxNoticeBatches {
		c.all, c.batches = true, nil
		return nil
	}
	if c.batches == nil {
		c.batches = map[int64]*changedRuns{}
	}
	r = new(changedRuns)
	c.batches[batch] = r
	return r
}

// messages writes the changes of a server as few short texts: the server's id, and for each batch its id and the
// numbers of its runs. A number is written as the distance from the one before, and +n stands for n more that follow
// it.
func (c *changes) messages(server string) []string {
	var out []string
	body := ""
	for _, id := range slices.Sorted(maps.Keys(c.batches)) {
		word := strconv.FormatInt(id, 10) + c.batches[id].text()
		if len(body)+len(word)+1 > maxNoticeBytes {
			out, body = append(out, server+body), ""
		}
		body += " " + word
	}
	if body != "" {
		out = append(out, server+body)
	}
	if c.all || len(out) > maxNotices {
		return []string{server + " " + anything}
	}
	return out
}

func (r *changedRuns) text() string {
	if r.whole {
		return ":" + anything
	}
	var b strings.Builder
	numbers := slices.Sorted(maps.Keys(r.runs))
	last := 0
	for i := 0; i < len(numbers); {
		end := i + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		b.WriteByte(":,"[min(b.Len(), 1)])
		b.WriteString(strconv.Itoa(numbers[i] - last))
		if more := end - 1 - i; more > 0 {
			b.WriteString("+" + strconv.Itoa(more))
		}
		last = numbers[end-1]
		i = end
	}
	if b.Len() > maxNoticeBytes/2 {
		return ":" + anything
	}
	return b.String()
}

// readNotice reads a message. all is set for changes that are not named, and for a message that this version of HiveGo
// cannot read.
func readNotice(message string) (server string, list []hive.FarChange, all bool) {
	words := strings.Fields(message)
	if len(words) < 2 {
		return "", nil, true
	}
	for _, word := range words[1:] {
		c, ok := readChange(word)
		if !ok {
			return words[0], nil, true
		}
		list = append(list, c)
	}
	return words[0], list, false
}

func readChange(word string) (c hive.FarChange, ok bool) {
	id, runs, some := strings.Cut(word, ":")
	var err error
	if c.Batch, err = strconv.ParseInt(id, 10, 64); err != nil {
		return c, false
	}
	if c.Whole = runs == anything; c.Whole || !some {
		return c, true
	}
	last := 0
	for part := range strings.SplitSeq(runs, ",") {
		first, more, _ := strings.Cut(part, "+")
		step, err := strconv.Atoi(first)
		n := 0
		if err == nil && more != "" {
			n, err = strconv.Atoi(more)
		}
		if err != nil || step < 0 || n < 0 || len(c.Runs)+n >= maxNoticeRuns {
			return c, false
		}
		for i := range n + 1 {
			c.Runs = append(c.Runs, last+step+i)
		}
		last += step + n
	}
	return c, true
}
