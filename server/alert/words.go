package alert

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// language has the texts of messages in one language. ‹name› stands for a detail of the event.
type language struct {
	titles    map[hive.AlertKind]string
	recovered map[hive.AlertKind]string // by what is over
	hooks     map[hive.HookScope]string // what failed hooks follow
	moment    string
	task      string
	failure   string // of a task
	due       string
	owners    string
	detail    string
	open      string
	gone      string // instead of the link
	several   string // number of events, title of the first
	escalated string // title
	more      string // number of events that are not described
	adhoc     string
	test      string
}

func words(name string) *language {
	if name == "zh" {
		return chinese()
	}
	return english()
}

func english() *language {
	return &language{
		titles: map[hive.AlertKind]string{
			hive.AlertStarted:        "‹schedule›: batch ‹batch› has started",
			hive.AlertSucceeded:      "‹schedule›: batch ‹batch› succeeded",
			hive.AlertCanceled:       "‹schedule›: batch ‹batch› was canceled",
			hive.AlertFailed:         "‹schedule›: batch ‹batch› failed",
			hive.AlertHookFailed:     "‹schedule›: ‹hooks› failed",
			hive.AlertLate:           "‹schedule›: batch ‹batch› is late",
			hive.AlertNotStarted:     "‹schedule›: the batch of ‹moment› has not started",
			hive.AlertSkipped:        "‹schedule›: ‹count› moments in a row were skipped because a batch still ran",
			hive.AlertNeedsPerson:    "‹schedule›: batch ‹batch› needs a person",
			hive.AlertStuck:          "‹schedule›: batch ‹batch› is stuck",
			hive.AlertExecutorLost:   "Executor ‹executor› is silent",
			hive.AlertExecutorFull:   "Executor ‹executor› has had no free slot since ‹since›",
			hive.AlertClockJumped:    "The server's clock jumped, and no schedule is started",
			hive.AlertDiskShort:      "The disk of a server is short of space",
			hive.AlertDeliveryFailed: "A message to channel ‹channel› could not be delivered",
			hive.AlertTest:           "A test of channel ‹channel›",
		},
		recovered: map[hive.AlertKind]string{
			hive.AlertFailed:       "‹schedule› has recovered: batch ‹batch› succeeded",
			hive.AlertHookFailed:   "‹schedule› has recovered: ‹hooks› succeeded",
			hive.AlertLate:         "‹schedule› has recovered: batch ‹batch› has ended",
			hive.AlertNotStarted:   "‹schedule› has recovered: the batch of ‹moment› has started",
			hive.AlertSkipped:      "‹schedule› has recovered: its moments are not skipped any more",
			hive.AlertNeedsPerson:  "‹schedule› has recovered: batch ‹batch› needs no person any more",
			hive.AlertStuck:        "‹schedule› has recovered: batch ‹batch› is not stuck any more",
			hive.AlertExecutorLost: "Executor ‹executor› is in contact again",
			hive.AlertExecutorFull: "Executor ‹executor› has a free slot again",
			hive.AlertClockJumped:  "The server's clock is steady, and schedules are started again",
			hive.AlertDiskShort:    "The disk of a server has enough space again",
		},
		hooks: map[hive.HookScope]string{
			hive.HookOfBatch: "a hook of batch ‹follows›", hive.HookOfJob: "a hook of job ‹key› of batch ‹follows›",
			hive.HookOfTask: "a hook of task ‹key› of batch ‹follows›",
		},
		moment: "Moment: ‹moment›", task: "Task: ‹task›", failure: "Task ‹task›: ‹error›", due: "Due: ‹due›",
		owners: "Owners: ‹owners›", detail: "‹error›", open: "Open", several: "%d alerts: %s and others",
		gone:      "Batch ‹batch›, removed by retention",
		escalated: "Nobody is on it: %s",
		more:      "and %d more", adhoc: "Single task", test: "Messages of alerts arrive here.",
	}
}

func chinese() *language {
	return &language{
		titles: map[hive.AlertKind]string{
			hive.AlertStarted:        "‹schedule›：批次 ‹batch› 已开始",
			hive.AlertSucceeded:      "‹schedule›：批次 ‹batch› 成功",
			hive.AlertCanceled:       "‹schedule›：批次 ‹batch› 已取消",
			hive.AlertFailed:         "‹schedule›：批次 ‹batch› 失败",
			hive.AlertHookFailed:     "‹schedule›：‹hooks›失败",
			hive.AlertLate:           "‹schedule›：批次 ‹batch› 延误",
			hive.AlertNotStarted:     "‹schedule›：‹moment› 的批次尚未开始",
			hive.AlertSkipped:        "‹schedule›：因批次仍在运行，已连续跳过 ‹count› 次",
			hive.AlertNeedsPerson:    "‹schedule›：批次 ‹batch› 需要人工处理",
			hive.AlertStuck:          "‹schedule›：批次 ‹batch› 卡住",
			hive.AlertExecutorLost:   "执行器 ‹executor› 失联",
			hive.AlertExecutorFull:   "执行器 ‹executor› 自 ‹since› 起没有空闲槽位",
			hive.AlertClockJumped:    "服务器时钟跳变，调度已停止触发",
			hive.AlertDiskShort:      "服务器磁盘空间不足",
			hive.AlertDeliveryFailed: "发往通道 ‹channel› 的消息未能送达",
			hive.AlertTest:           "通道 ‹channel› 的测试消息",
		},
		recovered: map[hive.AlertKind]string{
			hive.AlertFailed:       "‹schedule› 已恢复：批次 ‹batch› 成功",
			hive.AlertHookFailed:   "‹schedule› 已恢复：‹hooks›成功",
			hive.AlertLate:         "‹schedule› 已恢复：批次 ‹batch› 已结束",
			hive.AlertNotStarted:   "‹schedule› 已恢复：‹moment› 的批次已开始",
			hive.AlertSkipped:      "‹schedule› 已恢复：不再跳过触发",
			hive.AlertNeedsPerson:  "‹schedule› 已恢复：批次 ‹batch› 不再需要人工处理",
			hive.AlertStuck:        "‹schedule› 已恢复：批次 ‹batch› 不再卡住",
			hive.AlertExecutorLost: "执行器 ‹executor› 恢复联系",
			hive.AlertExecutorFull: "执行器 ‹executor› 又有空闲槽位",
			hive.AlertClockJumped:  "服务器时钟已稳定，调度恢复触发",
			hive.AlertDiskShort:    "服务器磁盘空间已恢复",
		},
		hooks: map[hive.HookScope]string{
			hive.HookOfBatch: "批次 ‹follows› 的钩子", hive.HookOfJob: "批次 ‹follows› 作业 ‹key› 的钩子",
			hive.HookOfTask: "批次 ‹follows› 任务 ‹key› 的钩子",
		},
		moment: "触发时刻：‹moment›", task: "任务：‹task›", failure: "任务 ‹task›：‹error›", due: "应于：‹due›",
		owners: "负责人：‹owners›", detail: "‹error›", open: "打开", several: "%d 条告警：%s 等",
		gone:      "批次 ‹batch› 已按保留规则清理",
		escalated: "无人处理：%s",
		more:      "另有 %d 条", adhoc: "单个任务", test: "告警消息会发送到这里。",
	}
}

// item describes one event.
func (l *language) item(e *hive.AlertEvent, base string, zone *time.Location) Item {
	fill := l.filler(e, zone)
	title := l.titles[e.Kind]
	if e.Kind == hive.AlertRecovered {
		title = l.recovered[e.Of]
	}
	item := Item{Title: fill.Replace(title), Open: l.open}
	line := func(show bool, text string) {
		if show {
			item.Lines = append(item.Lines, fill.Replace(text))
		}
	}
	failure := FirstLine(e.Error) != ""
	line(failure && e.Task != "", l.failure)
	line(failure && e.Task == "", l.detail)
	line(!failure && e.Task != "", l.task)
	line(!e.Moment.IsZero() && !strings.Contains(title, "‹moment›"), l.moment)
	line(!e.Due.IsZero(), l.due)
	line(len(e.Owners) > 0, l.owners)
	line(e.Kind == hive.AlertTest, l.test)
	line(e.Gone, l.gone)
	if path := Link(e); base != "" && path != "" {
		item.Link = base + path
	}
	return item
}

func (l *language) filler(e *hive.AlertEvent, zone *time.Location) *strings.Replacer {
	name := e.Schedule
	switch {
	case e.Title != "" && name != "":
		name = fmt.Sprintf("%s (%s)", e.Title, name)
	case name == "":
		name = l.adhoc
	}
	hooks := ""
	if e.Hook != nil {
		names := strings.NewReplacer("‹follows›", number(e.Hook.Batch), "‹key›", e.Hook.Key)
		hooks = names.Replace(l.hooks[e.Hook.Scope])
	}
	return strings.NewReplacer("‹schedule›", name, "‹hooks›", hooks, "‹batch›", number(e.BatchID), "‹task›", e.Task,
		"‹error›", FirstLine(e.Error), "‹executor›", e.Executor, "‹channel›", e.Channel,
		"‹count›", strconv.Itoa(e.Count), "‹owners›", strings.Join(e.Owners, ", "),
		"‹moment›", shown(e.Moment, zone), "‹since›", shown(e.At, zone), "‹due›", shown(e.Due, zone))
}

func shown(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2006-01-02 15:04 MST")
}
