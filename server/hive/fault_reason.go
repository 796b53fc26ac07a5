package hive

// FaultReason is the detailed reason of a fault, for programs. It is finer than the fault's code. Reasons are stable:
// the web interface has a text for each of them in each language. The comments below name their params; got is the kind
// of a value (map, list, text, number, bool, nothing), and value is the value itself. Package schedule has the reasons
// of triggers.
type FaultReason string

// The text.
const (
	FaultDuplicateCalendar  FaultReason = "duplicate_calendar" // value, line
	FaultDuplicateDocument  FaultReason = "duplicate_document" // kind, value, line
	FaultDuplicateSchedule  FaultReason = "duplicate_schedule" // value, line
	FaultNameNUL            FaultReason = "name_nul"
	FaultNotJSON            FaultReason = "not_json" // words
	FaultOtherName          FaultReason = "other_name"
	FaultSeveralDocuments   FaultReason = "several_documents"
	FaultTextByte           FaultReason = "text_byte"    // value
	FaultTextControl        FaultReason = "text_control" // value, escape
	FaultTextEmpty          FaultReason = "text_empty"
	FaultTextNUL            FaultReason = "text_nul"
	FaultTextTooLarge       FaultReason = "text_too_large"        // value, most
	FaultTextTooLargeStored FaultReason = "text_too_large_stored" // value, most
	FaultTooDeep            FaultReason = "too_deep"              // most
	FaultTooManyFaults      FaultReason = "too_many_faults"       // high
	FaultUnwritable         FaultReason = "unwritable"            // words
)

// YAML.
const (
	FaultYAMLAlias   FaultReason = "yaml_alias"
	FaultYAMLKeyKind FaultReason = "yaml_key_kind"
	FaultYAMLKeyLong FaultReason = "yaml_key_long" // most
	FaultYAMLKeyTag  FaultReason = "yaml_key_tag"  // value
	FaultYAMLMerge   FaultReason = "yaml_merge"
	FaultYAMLSyntax  FaultReason = "yaml_syntax" // words
	FaultYAMLTabs    FaultReason = "yaml_tabs"   // words
	FaultYAMLTag     FaultReason = "yaml_tag"    // value
)

// Fields and their values.
const (
	FaultBadDuration       FaultReason = "bad_duration" // value
	FaultItemEmpty         FaultReason = "item_empty"
	FaultMissingAPIVersion FaultReason = "missing_api_version"
	FaultMissingCron       FaultReason = "missing_cron"
	FaultMissingField      FaultReason = "missing_field" // value
	FaultMissingHandler    FaultReason = "missing_handler"
	FaultMissingJobs       FaultReason = "missing_jobs"
	FaultMissingKey        FaultReason = "missing_key" // value
	FaultMissingKind       FaultReason = "missing_kind"
	FaultMissingName       FaultReason = "missing_name"
	FaultMissingUpstream   FaultReason = "missing_upstream"
	FaultNegativeBatches   FaultReason = "negative_batches"   // value
	FaultNegativeTime      FaultReason = "negative_time"      // value
	FaultNoMap             FaultReason = "no_map"             // got
	FaultNumberKept        FaultReason = "number_kept"        // value
	FaultOutOfRange        FaultReason = "out_of_range"       // value, low, high
	FaultRouteKeyAlone     FaultReason = "route_key_alone"    // value, route
	FaultRetryJitter       FaultReason = "retry_jitter"       // value
	FaultRetryOnCode       FaultReason = "retry_on_code"      // value, low, high
	FaultRetryOnLong       FaultReason = "retry_on_long"      // high
	FaultRetryOnLost       FaultReason = "retry_on_lost"      //
	FaultRetryOnRange      FaultReason = "retry_on_range"     // value
	FaultRetryOnWord       FaultReason = "retry_on_word"      // value, known
	FaultBadSelector       FaultReason = "selector_bad"       // value
	FaultSelectorLong      FaultReason = "selector_long"      // high
	FaultShortMaxDelay     FaultReason = "short_max_delay"    // value, low
	FaultTwice             FaultReason = "twice"              // value, line
	FaultUnknownField      FaultReason = "unknown_field"      // value, known
	FaultUnknownFieldNear  FaultReason = "unknown_field_near" // value, near
	FaultUnknownValue      FaultReason = "unknown_value"      // value, known, near
	FaultWantBool          FaultReason = "want_bool"          // got
	FaultWantDuration      FaultReason = "want_duration"      // got
	FaultWantList          FaultReason = "want_list"          // got
	FaultWantListAs        FaultReason = "want_list_as"       // got, value
	FaultWantMap           FaultReason = "want_map"           // got
	FaultWantNames         FaultReason = "want_names"         // got
	FaultWantNumber        FaultReason = "want_number"        // got
	FaultWantText          FaultReason = "want_text"          // got
	FaultWantTextQuoted    FaultReason = "want_text_quoted"   // got, value
	FaultWantWhole         FaultReason = "want_whole"         // got
	FaultZeroBackoff       FaultReason = "zero_backoff"       // value, low
	FaultZeroGrace         FaultReason = "zero_grace"
)

// Names, keys, titles, and their numbers.
const (
	FaultBadAPIVersion   FaultReason = "bad_api_version" // value
	FaultBadKey          FaultReason = "bad_key"         // value, what
	FaultBadKind         FaultReason = "bad_kind"        // value
	FaultBadLabel        FaultReason = "bad_label"       // value, high
	FaultBadName         FaultReason = "bad_name"        // value
	FaultBadParam        FaultReason = "bad_param"       // value
	FaultBadSite         FaultReason = "bad_site"        // value, what
	FaultDefaultInfinite FaultReason = "default_infinite"
	FaultDefaultKind     FaultReason = "default_kind"
	FaultDefaultNone     FaultReason = "default_none"
	FaultKeyCase         FaultReason = "key_case" // value, other, place, what
	FaultKeyUsed         FaultReason = "key_used" // value, place, what
	FaultNoCron          FaultReason = "no_cron"
	FaultCronAndAt       FaultReason = "cron_and_at"
	FaultNoHandler       FaultReason = "no_handler"
	FaultNoPoolName      FaultReason = "no_pool_name"
	FaultShardEmpty      FaultReason = "shard_empty"
	FaultShardPinned     FaultReason = "shard_pinned" // value
	FaultShardTwo        FaultReason = "shard_two"
	FaultShardWord       FaultReason = "shard_word" // value
	FaultNoHookHandler   FaultReason = "no_hook_handler"
	FaultNoKey           FaultReason = "no_key" // what
	FaultNoLabelName     FaultReason = "no_label_name"
	FaultTitleDirection  FaultReason = "title_direction"   // char
	FaultTitleTooLong    FaultReason = "title_too_long"    // high
	FaultTooManyHooks    FaultReason = "too_many_hooks"    // value, high
	FaultTooManyJobs     FaultReason = "too_many_jobs"     // value, high
	FaultTooManyTasks    FaultReason = "too_many_tasks"    // value, high
	FaultTooManyTriggers FaultReason = "too_many_triggers" // value, high
)

// Rules and channels of alerts.
const (
	FaultAlertKinds      FaultReason = "alert_kinds"       // known
	FaultAlertChannels   FaultReason = "alert_channels"    //
	FaultAlertServerKind FaultReason = "alert_server_kind" // value
	FaultAlertUnused     FaultReason = "alert_unused"      // value, kind
	FaultAlertZone       FaultReason = "alert_zone"        // value
	FaultTimeOfDay       FaultReason = "time_of_day"       // value
	FaultListedTwice     FaultReason = "listed_twice"      // value
	FaultUnknownChannel  FaultReason = "unknown_channel"   // value
	FaultAlertSchedule   FaultReason = "alert_schedule"    // value
	FaultAlertEscalation FaultReason = "alert_escalation"
	FaultChannelSection  FaultReason = "channel_section"  // value, type
	FaultChannelOther    FaultReason = "channel_extra"    // value, type
	FaultMailAddress     FaultReason = "mail_address"     // value
	FaultMailClear       FaultReason = "mail_clear"       //
	FaultNoRecipient     FaultReason = "no_recipient"     //
	FaultAlertURL        FaultReason = "alert_url"        // value
	FaultAlertHeader     FaultReason = "alert_header"     // value
	FaultPlaceholder     FaultReason = "placeholder"      // value, known
	FaultPlaceholderOpen FaultReason = "placeholder_open" //
)

// Calendars.
const (
	FaultCalendarLoose   FaultReason = "calendar_loose"
	FaultUnknownCalendar FaultReason = "unknown_calendar" // value
	FaultCalendarDays    FaultReason = "calendar_days"
	FaultCalendarEntries FaultReason = "calendar_entries" // value, most
	FaultDate            FaultReason = "date"             // value
	FaultDaysBackwards   FaultReason = "days_backwards"   // from, to
	FaultDaysMany        FaultReason = "days_many"        // value, most
	FaultDayTwice        FaultReason = "day_twice"        // value, other
	FaultWeekday         FaultReason = "weekday"          // value, known
	FaultWorkdayAlone    FaultReason = "workday_alone"
)

// Files of calendars.
const (
	FaultFileYear    FaultReason = "file_year" // value
	FaultFileDays    FaultReason = "file_days" // most
	FaultFileBoth    FaultReason = "file_both" // value
	FaultFileSize    FaultReason = "file_size" // most
	FaultFileText    FaultReason = "file_text"
	FaultCSVLine     FaultReason = "csv_line" // words
	FaultCSVEmpty    FaultReason = "csv_empty"
	FaultCSVColumn   FaultReason = "csv_column" // value
	FaultCSVDays     FaultReason = "csv_days"
	FaultCSVFields   FaultReason = "csv_fields" // value, most
	FaultCSVRange    FaultReason = "csv_range"  // from, to
	FaultCSVKind     FaultReason = "csv_kind"   // value
	FaultICSRules    FaultReason = "ics_rules"  // most
	FaultICSLong     FaultReason = "ics_long"   // most
	FaultICSLine     FaultReason = "ics_line"   // value
	FaultICSNone     FaultReason = "ics_none"
	FaultICSOpen     FaultReason = "ics_open" // value
	FaultICSDeep     FaultReason = "ics_deep"
	FaultICSEnd      FaultReason = "ics_end"    // value
	FaultICSEvents   FaultReason = "ics_events" // most
	FaultICSStart    FaultReason = "ics_start"
	FaultICSDays     FaultReason = "ics_days" // value
	FaultICSRule     FaultReason = "ics_rule" // words
	FaultICSWithin   FaultReason = "ics_within"
	FaultICSCount    FaultReason = "ics_count"    // most
	FaultICSDate     FaultReason = "ics_date"     // value
	FaultICSList     FaultReason = "ics_list"     // most
	FaultICSDuration FaultReason = "ics_duration" // value
	FaultFileNone    FaultReason = "file_none"    // first, last
)

// Needs.
const (
	FaultDuplicateNeed   FaultReason = "duplicate_need"    // need
	FaultLaterNeed       FaultReason = "later_need"        // need, job, task
	FaultNeedRedundant   FaultReason = "need_redundant"    // need
	FaultSameJobNeed     FaultReason = "same_job_need"     // need, job, task
	FaultSelfNeed        FaultReason = "self_need"         // need
	FaultUnknownNeed     FaultReason = "unknown_need"      // need
	FaultUnknownNeedNear FaultReason = "unknown_need_near" // need, near
)

// Conditions and their references. A reason that ends in _at has the position of the character too.
const (
	FaultEventOutside      FaultReason = "event_outside"
	FaultOutcomeOutside    FaultReason = "outcome_outside"
	FaultShardOutside      FaultReason = "shard_outside"
	FaultShardNotList      FaultReason = "shard_not_list"  // words
	FaultShardMany         FaultReason = "shard_many"      // value, most
	FaultShardItemLong     FaultReason = "shard_item_long" // index, most
	FaultHookOutput        FaultReason = "hook_output"     // value
	FaultLaterOutput       FaultReason = "later_output"    // value
	FaultNoParamNear       FaultReason = "no_param_near"   // value, near
	FaultNoTaskNear        FaultReason = "no_task_near"    // value, near
	FaultUnknownParam      FaultReason = "unknown_param"   // value
	FaultUnknownTask       FaultReason = "unknown_task"    // value
	FaultWhenBig           FaultReason = "when_big"        // words
	FaultWhenBigAt         FaultReason = "when_big_at"     // at, words
	FaultWhenBool          FaultReason = "when_bool"       // kind
	FaultWhenBoolAt        FaultReason = "when_bool_at"    // at, kind
	FaultWhenCall          FaultReason = "when_call"       // name, known
	FaultWhenCallKind      FaultReason = "when_call_kind"
	FaultWhenDate          FaultReason = "when_date"      // words
	FaultWhenDateAt        FaultReason = "when_date_at"   // at, words
	FaultWhenFormat        FaultReason = "when_format"    // words, value
	FaultWhenFormatAt      FaultReason = "when_format_at" // at, words, value
	FaultWhenOffset        FaultReason = "when_offset"    // words, value
	FaultWhenOffsetAt      FaultReason = "when_offset_at" // at, words, value
	FaultWhenEmpty         FaultReason = "when_empty"
	FaultWhenFunction      FaultReason = "when_function" // at, name
	FaultWhenLet           FaultReason = "when_let"
	FaultWhenLong          FaultReason = "when_long" // value, most
	FaultWhenLoops         FaultReason = "when_loops"
	FaultWhenName          FaultReason = "when_name"        // name
	FaultWhenNoField       FaultReason = "when_no_field"    // words
	FaultWhenNoFieldAt     FaultReason = "when_no_field_at" // at, words
	FaultWhenNotBool       FaultReason = "when_not_bool"    // words
	FaultWhenRanges        FaultReason = "when_ranges"
	FaultWhenTypes         FaultReason = "when_types"           // words
	FaultWhenTypesAt       FaultReason = "when_types_at"        // at, words
	FaultWhenUnknownName   FaultReason = "when_unknown_name"    // name
	FaultWhenUnknownNameAt FaultReason = "when_unknown_name_at" // at, name
	FaultWhenWrong         FaultReason = "when_wrong"           // words
	FaultWhenWrongAt       FaultReason = "when_wrong_at"        // at, words
)

// Connections.
const (
	FaultConnectionType     FaultReason = "connection_type"    // value, known
	FaultConnectionText     FaultReason = "connection_text"    // value, most
	FaultConnectionExtra    FaultReason = "connection_extra"   // value, type
	FaultConnectionMissing  FaultReason = "connection_missing" // value
	FaultConnectionOption   FaultReason = "connection_option"  // value, type, known
	FaultConnectionValue    FaultReason = "connection_value"   // value, name, known
	FaultConnectionPassword FaultReason = "connection_password"
)

// Parts of params that are filled in.
const (
	FaultSecretAlone        FaultReason = "secret_alone"       // source
	FaultSecretGroup        FaultReason = "secret_group"       // value, group
	FaultSecretPlace        FaultReason = "secret_place"       // value
	FaultUnknownSecret      FaultReason = "unknown_secret"     // value
	FaultNoSecretNear       FaultReason = "no_secret_near"     // value, near
	FaultUnknownConnection  FaultReason = "unknown_connection" // value
	FaultNoConnectionNear   FaultReason = "no_connection_near" // value, near
	FaultConnectionGroup    FaultReason = "connection_group"   // value, group
	FaultTemplateEmpty      FaultReason = "template_empty"
	FaultTemplateEscape     FaultReason = "template_escape"     // source
	FaultTemplateLong       FaultReason = "template_long"       // source, most
	FaultTemplateNoURL      FaultReason = "template_no_url"     // source
	FaultTemplateNotJSON    FaultReason = "template_not_json"   // words
	FaultTemplateNotSingle  FaultReason = "template_not_single" // source, value
	FaultTemplateNowhere    FaultReason = "template_nowhere"
	FaultTemplateOpen       FaultReason = "template_open"
	FaultTemplatePlain      FaultReason = "template_plain"
	FaultTemplateSQL        FaultReason = "template_sql"
	FaultTemplateShell      FaultReason = "template_shell"
	FaultTemplateUnwritable FaultReason = "template_unwritable" // words
)

// Handlers, their params, and the params of batches.
const (
	FaultHandlerAway        FaultReason = "handler_away"      // value
	FaultMissingParam       FaultReason = "missing_param"     // value
	FaultNoParameterNear    FaultReason = "no_parameter_near" // value, near
	FaultNoParams           FaultReason = "no_params"         // value
	FaultOtherParams        FaultReason = "other_params"      // value, known
	FaultParamAbove         FaultReason = "param_above"       // value, low
	FaultParamBelow         FaultReason = "param_below"       // value, high
	FaultParamDuration      FaultReason = "param_duration"    // value, like
	FaultParamEmpty         FaultReason = "param_empty"
	FaultParamFew           FaultReason = "param_few" // value, low
	FaultParamForm          FaultReason = "param_form"
	FaultParamFormat        FaultReason = "param_format"  // value, format
	FaultParamLeast         FaultReason = "param_least"   // value, low
	FaultParamLong          FaultReason = "param_long"    // value, high
	FaultParamMany          FaultReason = "param_many"    // value, high
	FaultParamMost          FaultReason = "param_most"    // value, high
	FaultParamName          FaultReason = "param_name"    // value
	FaultParamOneOf         FaultReason = "param_one_of"  // names
	FaultParamPattern       FaultReason = "param_pattern" // value, pattern
	FaultParamShort         FaultReason = "param_short"   // value, low
	FaultParamSingle        FaultReason = "param_single"  // names
	FaultParamStep          FaultReason = "param_step"    // value, step
	FaultParamTwice         FaultReason = "param_twice"   // one, other
	FaultParamTypes         FaultReason = "param_types"   // types, got
	FaultParamUnlike        FaultReason = "param_unlike"  // value, like
	FaultParamWith          FaultReason = "param_with"    // value, names
	FaultParamWrong         FaultReason = "param_wrong"   // words
	FaultParametersClash    FaultReason = "parameters_clash"
	FaultUnknownHandler     FaultReason = "unknown_handler"      // value
	FaultUnknownPool        FaultReason = "unknown_pool"         // value
	FaultPoolSmall          FaultReason = "pool_small"           // value, most
	FaultUnknownHandlerNear FaultReason = "unknown_handler_near" // value, near
	FaultUnknownParamField  FaultReason = "unknown_param_field"  // value, known
	FaultValueBool          FaultReason = "value_bool"           // value
	FaultValueKind          FaultReason = "value_kind"
	FaultValueLong          FaultReason = "value_long" // value, most
	FaultValueNUL           FaultReason = "value_nul"
	FaultValueNumber        FaultReason = "value_number" // value
)

// Comments in JSON.
const (
	FaultCommentControl FaultReason = "comment_control"
	FaultCommentField   FaultReason = "comment_field"  // got, value
	FaultCommentFields  FaultReason = "comment_fields" // got, value
	FaultCommentLines   FaultReason = "comment_lines"  // got, value
	FaultCommentObject  FaultReason = "comment_object" // got, value
	FaultCommentSign    FaultReason = "comment_sign"   // got, value
	FaultCommentText    FaultReason = "comment_text"   // got, value
)
