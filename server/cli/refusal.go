package cli

import (
	"fmt"
	"strings"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// flagOf returns the flag that sets a parameter of a list which the server checks; "" for any other parameter.
func flagOf(param string) string {
	switch param {
	case "backfill":
		return "--backfill"
	case "hookOf":
		return "--hooks-of"
	case "limit", "rows":
		return "--limit"
	default:
		return ""
	}
}

// flagWords returns the detail of a problem. If that begins with a parameter of the request, the flag takes its place.
func flagWords(p *model.Problem) string {
	name := p.Params["name"]
	rest, ok := strings.CutPrefix(p.Detail, name+" ")
	if flag := flagOf(name); ok && flag != "" {
		return flag + " " + rest
	}
	return p.Detail
}

// hintFor returns the command that lists the existing objects, for an error about a missing one, or that lets a refused
// one pass.
func hintFor(p *model.Problem) string {
	switch p.Reason {
	case model.ProblemReasonScheduleNotFound:
		return "`hivego schedules` lists them"
	case model.ProblemReasonScheduleNameFormer:
		return "`hivego rename --release " + p.Params["schedule"] + "` releases it"
	case model.ProblemReasonRenameNamed:
		return "`-f FILE` or `-f FOLDER` gives them"
	case model.ProblemReasonScheduleArchived:
		return "`hivego unarchive " + p.Params["schedule"] + "` does that"
	case model.ProblemReasonScheduleNotArchived:
		return "`hivego archive " + p.Params["schedule"] + "` does that"
	case model.ProblemReasonScheduleWaitedFor:
		return "`--yes` confirms it"
	case model.ProblemReasonBackfillNotFound:
		return "`hivego backfills` lists them"
	case model.ProblemReasonDocumentNotFound:
		switch p.Params["kind"] {
		case hive.KindChannel:
			return "`hivego channels` lists them"
		case hive.KindConnection:
			return "`hivego connections list` lists them"
		}
		return "`hivego alerts rules` lists them"
	case model.ProblemReasonCalendarNotFound:
		return "`hivego calendars` lists them"
	case model.ProblemReasonBatchNotFound:
		return "`hivego batches` lists them"
	case model.ProblemReasonTaskNotFound, model.ProblemReasonAttemptNotFound:
		if id := p.Params["batch"]; id != "" {
			return fmt.Sprintf("`hivego batch %s` shows its tasks", id)
		}
	case model.ProblemReasonTaskNotInSchedule:
		if name := p.Params["schedule"]; name != "" {
			return fmt.Sprintf("`hivego export %s` shows its tasks", name)
		}
	case model.ProblemReasonExecutorNotFound:
		if !strings.Contains(p.Detail, "hivego executors") {
			return "`hivego executors` lists them"
		}
	}
	return ""
}
