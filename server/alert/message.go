package alert

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Message is what one channel tells of some events.
type Message struct {
	ID     string // unique; a message that is sent again has the same
	Rule   string
	Title  string
	Items  []Item
	Events []hive.AlertEvent
	At     time.Time

	Escalation bool // nobody has taken the problems
}

// Item is the part of a message about one event.
type Item struct {
	Title string
	Lines []string
	Link  string // to the page of the batch, the schedule or the executors; empty for none
	Open  string // the words of the link
}

// MaxItems is how many events a message describes. It only counts the others.
const MaxItems = 20

// maxError limits the line of an error.
const maxError = 300

// Context is where and when a message is written.
type Context struct {
	Language   string // en or zh
	Base       string // the address that people open
	Now        time.Time
	Escalation bool
}

// Render makes the message of some events, oldest first.
func Render(id string, rule *Rule, events []hive.AlertEvent, in Context) Message {
	w := words(in.Language)
	m := Message{ID: id, Rule: rule.Name, Events: events, At: in.Now, Escalation: in.Escalation}
	for i := range events {
		if i == MaxItems {
			m.Items = append(m.Items, Item{Title: fmt.Sprintf(w.more, len(events)-MaxItems)})
			break
		}
		m.Items = append(m.Items, w.item(&events[i], in.Base, rule.zone))
	}
	if len(m.Items) > 0 {
		m.Title = m.Items[0].Title
	}
	if len(events) > 1 {
		m.Title = fmt.Sprintf(w.several, len(events), m.Title)
	}
	if in.Escalation {
		m.Title = fmt.Sprintf(w.escalated, m.Title)
	}
	return m
}

// Owners returns the owners of all events, each once.
func (m *Message) Owners() []string {
	var out []string
	for i := range m.Events {
		for _, owner := range m.Events[i].Owners {
			if !slices.Contains(out, owner) {
				out = append(out, owner)
			}
		}
	}
	return out
}

// Text returns the message without its title as plain text.
func (m *Message) Text() string {
	var b strings.Builder
	for i := range m.Items {
		item := &m.Items[i]
		if i > 0 {
			b.WriteString("\n")
		}
		if len(m.Items) > 1 {
			b.WriteString(item.Title + "\n")
		}
		for _, line := range item.Lines {
			b.WriteString(line + "\n")
		}
		if item.Link != "" {
			b.WriteString(item.Link + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Value returns what stands for a placeholder of a template. Of several events it is the value of the first.
func (m *Message) Value(name string) string {
	var e hive.AlertEvent
	var link string
	if len(m.Events) > 0 {
		e, link = m.Events[0], m.Items[0].Link
	}
	switch name {
	case "id":
		return m.ID
	case "title":
		return m.Title
	case "text":
		return m.Text()
	case "kind":
		return string(e.Kind)
	case "schedule":
		return e.Schedule
	case "batch":
		return number(e.BatchID)
	case "task":
		return e.Task
	case "error":
		return FirstLine(e.Error)
	case "owners":
		return strings.Join(m.Owners(), ", ")
	case "link":
		return link
	case "time":
		return e.At.UTC().Format(time.RFC3339)
	case "count":
		return strconv.Itoa(len(m.Events))
	case "rule":
		return m.Rule
	default:
		return ""
	}
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// FirstLine returns the first line of a text that is not empty, shortened.
func FirstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return hive.Clean(line, maxError)
		}
	}
	return ""
}

// Link returns the path of the page that shows what an event is about. It is empty for a batch that is gone.
func Link(e *hive.AlertEvent) string {
	switch {
	case e.Gone:
		return ""
	case e.BatchID != 0 && e.Task != "":
		return fmt.Sprintf("/batches/%d?task=%s", e.BatchID, url.QueryEscape(e.Task))
	case e.BatchID != 0:
		return fmt.Sprintf("/batches/%d", e.BatchID)
	case e.Schedule != "":
		return fmt.Sprintf("/schedules/%s/ticks", e.Schedule)
	case e.Executor != "":
		return "/executors"
	default:
		return "/"
	}
}
