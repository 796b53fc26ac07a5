package api_test

import (
	"maps"
	"net/http"
)

// samples returns one good call of every operation.
func samples() map[string]call {
	all := otherSamples()
	maps.Copy(all, archiveSamples())
	maps.Copy(all, forecastSamples())
	maps.Copy(all, backfillSamples())
	maps.Copy(all, chainRepairSamples())
	maps.Copy(all, batchListSamples())
	maps.Copy(all, calendarSamples())
	maps.Copy(all, alertSamples())
	maps.Copy(all, webhookSamples())
	maps.Copy(all, secretSamples())
	maps.Copy(all, plannedSamples())
	maps.Copy(all, reportSamples())
	maps.Copy(all, limitSamples())
	return all
}

func reportSamples() map[string]call {
	const query = "?from=2026-04-30&to=2026-05-01&zone=Asia/Shanghai&schedule=warehouse&tag=night&owner=ada" +
		"&executor=etl-1&by=person&param=region=east"
	return map[string]call{
		"reportBatches":   {http.MethodGet, "/api/v1/reports/batches" + query, "", nil},
		"reportTasks":     {http.MethodGet, "/api/v1/reports/tasks" + query, "", nil},
		"reportExecutors": {http.MethodGet, "/api/v1/reports/executors" + query, "", nil},
	}
}

// moreFilters are those that the list of batches and the file have beside the first ones.
const moreFilters = "&tag=finance&owner=ada&executor=etl-1&by=person&param=region=east&since=7d&until=now" +
	"&momentFrom=2026-01-01&momentTo=2026-06-01T00:00:00Z&longer=1m&from=2026-04-01T00:00:00Z&to=2026-06-01T00:00:00Z"

func forecastSamples() map[string]call {
	return map[string]call{
		"forecastTriggers": {
			http.MethodPost, "/api/v1/forecasts",
			`{"timezone":"UTC","triggers":[{"cron":"@daily"}],"count":3}`, nil,
		},
		"forecastMonth": {
			http.MethodGet, "/api/v1/forecast/month?month=2026-12&timezone=Asia/Shanghai&schedule=warehouse", "", nil,
		},
		"forecastSlots": {
			http.MethodGet, "/api/v1/forecast/slots?from=2026-05-01T00:00:00Z&until=2026-05-02T00:00:00Z&parts=24" +
				"&shift=warehouse=1h", "", nil,
		},
		"forecastFeed": {http.MethodGet, "/api/v1/forecast.ics?schedule=warehouse", "", nil},
		"getRunGrid": {
			http.MethodGet,
			"/api/v1/schedules/warehouse/runs?state=failed&kind=scheduled&from=2026-04-01T00:00:00Z" +
				"&to=2026-05-02T00:00:00Z&before=9&limit=1",
			"", nil,
		},
		"getNight": {
			http.MethodGet, "/api/v1/night?from=2026-04-30T12:00:00Z&to=2026-05-01T12:00:00Z&rows=20&parts=96", "", nil,
		},
		"listOpenBatches": {http.MethodGet, "/api/v1/night/open?before=9&limit=1", "", nil},
		"getChain": {
			http.MethodGet, "/api/v1/schedules/warehouse/chain?resumeAt=2026-05-01T05:00:00Z", "", nil,
		},
		"forecastTicks": {
			http.MethodGet, "/api/v1/forecast?schedule=warehouse&until=2026-05-02T00:00:00Z" +
				"&down=2026-05-01T02:00:00Z..2026-05-01T05:00:00Z&limit=10", "", nil,
		},
	}
}

func backfillSamples() map[string]call {
	return map[string]call{
		"createBackfill": {
			http.MethodPost, "/api/v1/schedules/warehouse/backfills",
			`{"from":"2026-02-01","to":"2026-04-30","step":"1d","order":"desc","parallel":3,"existing":"failed",` +
				`"onFailure":"continue","params":{"region":"west"},"note":"for the audit","withDependants":true}`, nil,
		},
		"previewBackfill": {
			http.MethodPost, "/api/v1/schedules/warehouse/backfill-previews",
			`{"moments":["2026-02-01T03:00"]}`, nil,
		},
		"listBackfills": {
			http.MethodGet, "/api/v1/backfills?schedule=warehouse&live=true&by=ada&since=7d" +
				"&until=2027-01-01T00:00:00Z&before=9&limit=1", "", nil,
		},
		"getBackfill":     {http.MethodGet, "/api/v1/backfills/4", "", nil},
		"setBackfillWish": {http.MethodPut, "/api/v1/backfills/4/wish", `{"wish":"pause"}`, nil},
	}
}

func archiveSamples() map[string]call {
	return map[string]call{
		"deleteSchedule": {http.MethodDelete, "/api/v1/schedules/warehouse", "", nil},
		"listDeletions":  {http.MethodGet, "/api/v1/deletions?limit=10", "", nil},
		"prune": {
			http.MethodPost, "/api/v1/prune", `{"schedule":"warehouse","olderThan":"90d","dryRun":true}`, nil,
		},
		"getDiskUse": {http.MethodGet, "/api/v1/disk", "", nil},
		"renameSchedule": {
			http.MethodPost, "/api/v1/schedules/warehouse/rename",
			`{"to":"store","bases":{"warehouse":2},"documents":["name: mart\n"],"note":"why"}`, nil,
		},
		"releaseFormerName": {http.MethodDelete, "/api/v1/former-names/warehouse", "", nil},
		"setArchived": {
			http.MethodPut, "/api/v1/schedules/warehouse/archived", `{"archived":true,"confirmed":true}`, nil,
		},
	}
}

func chainRepairSamples() map[string]call {
	return map[string]call{
		"listChainRepairs": {
			http.MethodGet, "/api/v1/chain-repairs?batch=7&live=true&before=9&limit=1", "", nil,
		},
		"getChainRepair":     {http.MethodGet, "/api/v1/chain-repairs/6", "", nil},
		"setChainRepairWish": {http.MethodPut, "/api/v1/chain-repairs/6/wish", `{"wish":"cancel"}`, nil},
	}
}

func limitSamples() map[string]call {
	return map[string]call{
		"listLimits":  {http.MethodGet, "/api/v1/limits", "", nil},
		"setLimit":    {http.MethodPut, "/api/v1/limits", `{"kind":"pool","name":"dw","most":3}`, nil},
		"deleteLimit": {http.MethodDelete, "/api/v1/limits?kind=pool&name=dw", "", nil},
	}
}

func otherSamples() map[string]call {
	return map[string]call{
		"getHealth":    {http.MethodGet, "/healthz", "", nil},
		"getReadiness": {http.MethodGet, "/readyz", "", nil},
		"getVersion":   {http.MethodGet, "/api/v1/version", "", nil},
		"getSetup":     {http.MethodGet, "/api/v1/setup", "", nil},
		"setUp": {
			http.MethodPost, "/api/v1/setup", `{"name":"ada","password":"correct horse","code":"A-B"}`,
			ownPage(),
		},
		"logIn": {
			http.MethodPost, "/api/v1/session", `{"name":"ada","password":"correct horse"}`,
			ownPage(),
		},
		"logOut": {http.MethodDelete, "/api/v1/session", "", nil},
		"setPassword": {
			http.MethodPut, "/api/v1/me/password",
			`{"current":"correct horse","next":"correct horses"}`, nil,
		},
		"getMe":              {http.MethodGet, "/api/v1/me", "", nil},
		"listTokens":         {http.MethodGet, "/api/v1/tokens", "", nil},
		"createToken":        {http.MethodPost, "/api/v1/tokens", `{"name":"ci","expiresIn":"30d"}`, nil},
		"deleteToken":        {http.MethodDelete, "/api/v1/tokens/10", "", nil},
		"validateDocument":   {http.MethodPost, "/api/v1/validate", `{"name":"x"}`, nil},
		"listSchedules":      {http.MethodGet, "/api/v1/schedules?find=a&show=late&sort=need&tag=a&owner=ada", "", nil},
		"listScheduleLabels": {http.MethodGet, "/api/v1/schedule-labels", "", nil},
		"getSchedule":        {http.MethodGet, "/api/v1/schedules/warehouse", "", nil},
		"putSchedule": {
			http.MethodPut, "/api/v1/schedules/warehouse?base=2&note=more", `{"name":"warehouse"}`,
			nil,
		},
		"convertDocument": {http.MethodPost, "/api/v1/documents", `{"name":"x"}`, nil},
		"previewTask": {
			http.MethodPost, "/api/v1/previews",
			`{"definition":{"name":"x"},"task":"b","params":{"region":"east"}}`, nil,
		},
		"listDrafts": {http.MethodGet, "/api/v1/drafts", "", nil},
		"getDraft":   {http.MethodGet, "/api/v1/drafts/warehouse", "", nil},
		"putDraft": {
			http.MethodPut, "/api/v1/drafts/warehouse",
			`{"base":3,"version":12,"definition":{"name":"warehouse"}}`, nil,
		},
		"deleteDraft":    {http.MethodDelete, "/api/v1/drafts/warehouse?version=12", "", nil},
		"releaseTick":    {http.MethodPost, "/api/v1/schedules/warehouse/ticks/release", sampleRelease, nil},
		"setEnabled":     {http.MethodPut, "/api/v1/schedules/warehouse/enabled", `{"enabled":false}`, nil},
		"exportSchedule": {http.MethodGet, "/api/v1/schedules/warehouse/export?revision=3", "", nil},
		"listRevisions":  {http.MethodGet, "/api/v1/schedules/warehouse/revisions", "", nil},
		"getRevision":    {http.MethodGet, "/api/v1/schedules/warehouse/revisions/3", "", nil},
		"listTicks": {
			http.MethodGet, "/api/v1/schedules/warehouse/ticks?before=2026-05-01T00:00:00Z&limit=1" +
				"&since=2026-04-01&until=2026-05-02T00:00:00Z",
			"", nil,
		},
		"runSchedule": {
			http.MethodPost, "/api/v1/schedules/warehouse/batches", `{"params":{"region":"west"}}`,
			nil,
		},
		"getBatch":        {http.MethodGet, "/api/v1/batches/7?tasks=true", "", nil},
		"getDefinition":   {http.MethodGet, "/api/v1/batches/7/definition", "", nil},
		"getOverview":     {http.MethodGet, "/api/v1/overview", "", nil},
		"getHistory":      {http.MethodGet, "/api/v1/batches/7/history", "", nil},
		"listAttempts":    {http.MethodGet, "/api/v1/batches/7/attempts?task=b", "", nil},
		"listSlotHolders": {http.MethodGet, "/api/v1/batches/7/tasks/a/slot-holders", "", nil},
		"listUsualRuns":   {http.MethodGet, "/api/v1/batches/7/usual-runs", "", nil},
		"planRepair": {
			http.MethodPost, "/api/v1/batches/7/repair-plans", `{"action":"resume","latest":true,"dependants":true}`,
			nil,
		},
		"repair": {
			http.MethodPost, "/api/v1/batches/7/repairs",
			`{"action":"rerun","tasks":["a"],"downstream":true}`, nil,
		},
		"setWish":      {http.MethodPut, "/api/v1/batches/7/wish", `{"wish":"cancel","note":"enough"}`, nil},
		"listCommands": {http.MethodGet, "/api/v1/batches/7/commands?limit=20", "", nil},
		"getCommand":   {http.MethodGet, "/api/v1/commands/5", "", nil},
		"getLog":       {http.MethodGet, "/api/v1/batches/7/tasks/b/log?attempt=1&offset=6&limit=3", "", nil},
		"findInLog": {
			http.MethodGet,
			"/api/v1/batches/7/tasks/b/log/find?text=WORLD&from=0&backwards=false&attempt=1", "", nil,
		},
		"getLogFile":         {http.MethodGet, "/api/v1/batches/7/tasks/b/log/file?attempt=1", "", nil},
		"getWhy":             {http.MethodGet, "/api/v1/batches/7/tasks/c/why", "", nil},
		"listExecutors":      {http.MethodGet, "/api/v1/executors", "", nil},
		"deleteExecutor":     {http.MethodDelete, "/api/v1/executors/embedded", "", nil},
		"setOffline":         {http.MethodPut, "/api/v1/executors/embedded/offline", `{"offline":true}`, nil},
		"listExecutorGroups": {http.MethodGet, "/api/v1/executor-groups", "", nil},
		"setExecutorGroup": {
			http.MethodPut, "/api/v1/executor-groups/gpu", `{"route":"round_robin","reason":"even use"}`, nil,
		},
		"listNotices":   {http.MethodGet, "/api/v1/notices?dismissed=true", "", nil},
		"dismissNotice": {http.MethodDelete, "/api/v1/notices/1", "", nil},
		"setDrain":      {http.MethodPut, "/api/v1/executors/embedded/drain", `{"drained":true}`, nil},
		"addExecutor": {
			http.MethodPost, "/api/v1/executors",
			`{"address":"127.0.0.1:9999","group":"ml","name":"python","tls":false,"token":"secret","slots":2,` +
				`"labels":{"gpu":"a"}}`, nil,
		},
		"listExecutorAttempts": {http.MethodGet, "/api/v1/executors/embedded/attempts", "", nil},
	}
}

func batchListSamples() map[string]call {
	return map[string]call{
		"listBatches": {
			http.MethodGet,
			"/api/v1/batches?schedule=warehouse&state=failed&kind=manual&backfill=4&hookOf=3&live=false&before=9" +
				"&limit=1" + moreFilters,
			"", nil,
		},
		"exportBatches": {
			http.MethodGet,
			"/api/v1/batches.csv?schedule=warehouse&state=failed&kind=manual&backfill=4&hookOf=3&live=false&before=9" +
				"&rows=1&bom=true" + moreFilters,
			"", nil,
		},
		"exportTasks": {http.MethodGet, "/api/v1/batches/7/tasks.csv?bom=true", "", nil},
	}
}

// sampleRelease releases a waiting tick.
const sampleRelease = `{"moment":"2026-05-02T03:20:00Z","reason":"the file is there"}`

func plannedSamples() map[string]call {
	const path = "/api/v1/schedules/warehouse/planned-changes"
	return map[string]call{
		"listPlannedChanges": {http.MethodGet, path, "", nil},
		"planChange": {
			http.MethodPut, path + "/2026-05-02T03:20:00Z",
			`{"action":"move","to":"2026-05-02T05:00:00Z","params":{"region":"west"},"reason":"the file is late"}`, nil,
		},
		"undoChange": {http.MethodDelete, path + "/2026-05-02T03:20:00Z", "", nil},
	}
}

func secretSamples() map[string]call {
	return map[string]call{
		"listSecrets":      {http.MethodGet, "/api/v1/secrets", "", nil},
		"setSecret":        {http.MethodPut, "/api/v1/secrets/DW", `{"value":"correct horse","groups":["etl"]}`, nil},
		"deleteSecret":     {http.MethodDelete, "/api/v1/secrets/DW?force=true", "", nil},
		"listConnections":  {http.MethodGet, "/api/v1/connections", "", nil},
		"getConnection":    {http.MethodGet, "/api/v1/connections/dw", "", nil},
		"putConnection":    {http.MethodPut, "/api/v1/connections/dw?base=1", `{"name":"dw"}`, nil},
		"deleteConnection": {http.MethodDelete, "/api/v1/connections/dw?force=true", "", nil},
		"testConnection":   {http.MethodPost, "/api/v1/connections/dw/tests", `{"group":"etl"}`, nil},
		"rotateSecretKey":  {http.MethodPost, "/api/v1/secret-key/rotation", "{}", nil},
	}
}

func webhookSamples() map[string]call {
	return map[string]call{
		"listWebhooks": {http.MethodGet, "/api/v1/schedules/warehouse/webhooks", "", nil},
		"createWebhookSecret": {
			http.MethodPost, "/api/v1/schedules/warehouse/webhooks/files-ready/secrets", `{"overlapHours":24}`, nil,
		},
	}
}

func alertSamples() map[string]call {
	return map[string]call{
		"listAlertRules": {http.MethodGet, "/api/v1/alert-rules", "", nil},
		"getAlertRule":   {http.MethodGet, "/api/v1/alert-rules/night", "", nil},
		"putAlertRule": {
			http.MethodPut, "/api/v1/alert-rules/night?base=2&note=more", `{"name":"night"}`, nil,
		},
		"deleteAlertRule":        {http.MethodDelete, "/api/v1/alert-rules/night", "", nil},
		"listAlertRuleRevisions": {http.MethodGet, "/api/v1/alert-rules/night/revisions", "", nil},
		"getAlertRuleRevision":   {http.MethodGet, "/api/v1/alert-rules/night/revisions/2", "", nil},
		"listChannels":           {http.MethodGet, "/api/v1/channels", "", nil},
		"getChannel":             {http.MethodGet, "/api/v1/channels/mail", "", nil},
		"putChannel":             {http.MethodPut, "/api/v1/channels/mail?base=2&note=more", `{"name":"mail"}`, nil},
		"deleteChannel":          {http.MethodDelete, "/api/v1/channels/mail", "", nil},
		"listChannelRevisions":   {http.MethodGet, "/api/v1/channels/mail/revisions", "", nil},
		"getChannelRevision":     {http.MethodGet, "/api/v1/channels/mail/revisions/2", "", nil},
		"setChannelSecrets": {
			http.MethodPut, "/api/v1/channels/mail/secrets", `{"secrets":{"password":"x"}}`, nil,
		},
		"testChannel": {http.MethodPost, "/api/v1/channels/mail/tests", `{"language":"zh"}`, nil},
		"convertAlertDocument": {
			http.MethodPost, "/api/v1/alert-documents?kind=Channel", `{"name":"mail"}`, nil,
		},
		"tryChannel": {
			http.MethodPost, "/api/v1/channel-tests", `{"definition":{"name":"mail"},"secrets":{"url":"x"}}`, nil,
		},
		"listAlerts": {http.MethodGet, "/api/v1/alerts?before=9&limit=10&open=true&taken=true&batch=7" +
			"&schedule=warehouse&since=7d&until=now", "", nil},
		"takeAlert":         {http.MethodPut, "/api/v1/alerts/8/taker", `{"note":"the disk"}`, nil},
		"releaseAlert":      {http.MethodDelete, "/api/v1/alerts/8/taker", "", nil},
		"takeBatch":         {http.MethodPut, "/api/v1/batches/7/taker", `{}`, nil},
		"releaseBatch":      {http.MethodDelete, "/api/v1/batches/7/taker", "", nil},
		"sendAgain":         {http.MethodPut, "/api/v1/alert-deliveries/9/state", `{"state":"pending"}`, nil},
		"listDeliveryTries": {http.MethodGet, "/api/v1/alert-deliveries/9/tries", "", nil},
	}
}

func calendarSamples() map[string]call {
	return map[string]call{
		"listCalendars": {http.MethodGet, "/api/v1/calendars", "", nil},
		"getCalendar":   {http.MethodGet, "/api/v1/calendars/china", "", nil},
		"putCalendar": {
			http.MethodPut, "/api/v1/calendars/china?base=2&note=more", `{"name":"china"}`, nil,
		},
		"readCalendarFile": {
			http.MethodPost, "/api/v1/calendar-files", `{"format":"csv","text":"date\n2026-01-01\n"}`, nil,
		},
		"deleteCalendar":        {http.MethodDelete, "/api/v1/calendars/china", "", nil},
		"exportCalendar":        {http.MethodGet, "/api/v1/calendars/china/export?revision=2", "", nil},
		"listCalendarRevisions": {http.MethodGet, "/api/v1/calendars/china/revisions", "", nil},
		"getCalendarRevision":   {http.MethodGet, "/api/v1/calendars/china/revisions/2", "", nil},
	}
}
