package hive

import "fmt"

// ErrorReason is the detailed reason of an Error. With the params of the Error, a program can show it in another
// language. Reasons are stable; openapi.yaml lists all of them with their params (schema Problem).
type ErrorReason string

// The reasons, by subject.
const (
	ErrorNoSchedule     ErrorReason = "schedule_not_found"
	ErrorNoRevision     ErrorReason = "revision_not_found"
	ErrorNoTick         ErrorReason = "tick_not_found"
	ErrorTickEnded      ErrorReason = "tick_not_waiting"
	ErrorTickDisabled   ErrorReason = "tick_schedule_disabled"
	ErrorReleaseReason  ErrorReason = "release_without_reason"
	ErrorNoScheduleTask ErrorReason = "task_not_in_schedule"
	ErrorRevisionMoved  ErrorReason = "revision_moved"
	ErrorScheduleExists ErrorReason = "schedule_exists"
	ErrorDocument       ErrorReason = "document_faults"
	ErrorOtherName      ErrorReason = "document_other_name"
	ErrorParams         ErrorReason = "params_faults"
	ErrorUnread         ErrorReason = "document_unreadable"
	ErrorNoDocumentTask ErrorReason = "task_not_in_document"
	ErrorNoDraft        ErrorReason = "draft_not_found"
	ErrorDraftMoved     ErrorReason = "draft_moved"
	ErrorDraftsFull     ErrorReason = "drafts_full"
	ErrorScheduleName   ErrorReason = "schedule_name_form"

	ErrorScheduleArchived ErrorReason = "schedule_archived"
	ErrorScheduleDeleting ErrorReason = "schedule_deleting"
	ErrorScheduleWaitedOn ErrorReason = "schedule_waited_for"
	ErrorScheduleNamed    ErrorReason = "schedule_named"
	ErrorScheduleActive   ErrorReason = "schedule_not_archived"
	ErrorScheduleLive     ErrorReason = "schedule_has_live_work"
	ErrorRenamed          ErrorReason = "schedule_renamed"
	ErrorFormerName       ErrorReason = "schedule_name_former"
	ErrorNoFormerName     ErrorReason = "former_name_not_found"
	ErrorRenameSame       ErrorReason = "rename_same"
	ErrorRenameNamed      ErrorReason = "rename_named"
	ErrorRenameDocument   ErrorReason = "rename_document"
	ErrorNoChange         ErrorReason = "change_not_found"
	ErrorChangeDecided    ErrorReason = "change_decided"
	ErrorChangeMany       ErrorReason = "changes_too_many"
	ErrorChangeReason     ErrorReason = "change_reason_missing"
	ErrorChangeMoment     ErrorReason = "change_moment_unknown"
	ErrorChangePast       ErrorReason = "change_moment_past"
	ErrorChangeTo         ErrorReason = "change_move_time"
	ErrorChangeExpire     ErrorReason = "change_move_expires"
	ErrorChangeAction     ErrorReason = "change_action"
	ErrorChangeNone       ErrorReason = "change_no_moments"
	ErrorChangeForm       ErrorReason = "change_moment_form"
	ErrorChangeParams     ErrorReason = "change_params"

	ErrorNoWebhook     ErrorReason = "webhook_not_found"
	ErrorWebhookSecret ErrorReason = "webhook_secret_wrong"
	ErrorWebhookFlood  ErrorReason = "webhook_calls_pending"
	ErrorWebhookBody   ErrorReason = "webhook_body"

	ErrorNoBackfill    ErrorReason = "backfill_not_found"
	ErrorBackfill      ErrorReason = "backfill_faults"
	ErrorBackfillState ErrorReason = "backfill_state"

	ErrorNoChainRepair  ErrorReason = "chain_repair_not_found"
	ErrorChainBusy      ErrorReason = "chain_repair_busy"
	ErrorChainMoved     ErrorReason = "chain_repair_moved"
	ErrorChainLong      ErrorReason = "chain_repair_long"
	ErrorChainAction    ErrorReason = "chain_repair_action"
	ErrorChainCanceling ErrorReason = "chain_repair_over"
	ErrorRoundMoved     ErrorReason = "round_moved"

	ErrorNoDocument     ErrorReason = "document_not_found" // kind, name
	ErrorDocumentExists ErrorReason = "document_exists"    // kind, name, newest
	ErrorDocumentMoved  ErrorReason = "document_moved"     // kind, name, newest, base
	ErrorChannelUsed    ErrorReason = "channel_used"       // channel, rules
	ErrorSecretUnknown  ErrorReason = "secret_unknown"     // channel, secret, known
	ErrorSecretForm     ErrorReason = "secret_form"        // channel, secret, most
	ErrorNoCalendar     ErrorReason = "calendar_not_found"
	ErrorCalendarExists ErrorReason = "calendar_exists"
	ErrorCalendarMoved  ErrorReason = "calendar_moved"
	ErrorCalendarUsed   ErrorReason = "calendar_used"
	ErrorCalendarGone   ErrorReason = "calendar_deleted"

	ErrorNoBatch       ErrorReason = "batch_not_found"
	ErrorNoTask        ErrorReason = "task_not_found"
	ErrorNoAttempt     ErrorReason = "attempt_not_found"
	ErrorNoCommand     ErrorReason = "command_not_found"
	ErrorCommandUnread ErrorReason = "command_unreadable"
	ErrorCommandDefect ErrorReason = "command_defect"
	ErrorBatchFinal    ErrorReason = "batch_final"
	ErrorBatchCancel   ErrorReason = "batch_canceling"
	ErrorPlanMoved     ErrorReason = "plan_moved"
	ErrorNothing       ErrorReason = "nothing_to_do"
	ErrorPlan          ErrorReason = "plan_refused"
	ErrorPlanTasks     ErrorReason = "plan_needs_tasks"
	ErrorPlanRevision  ErrorReason = "plan_no_revision"
	ErrorPlanAction    ErrorReason = "plan_unknown_action"
	ErrorPlanDown      ErrorReason = "plan_downstream"
	ErrorPlanKeys      ErrorReason = "plan_unknown_tasks"
	ErrorLatest        ErrorReason = "plan_latest_and_revision"
	ErrorAdhoc         ErrorReason = "adhoc_no_revision"
	ErrorUnreadable    ErrorReason = "revision_unreadable"
	ErrorCloseTasks    ErrorReason = "close_whole"
	ErrorCloseNote     ErrorReason = "close_needs_note"
	ErrorCloseState    ErrorReason = "close_state"
	ErrorRunFinal      ErrorReason = "run_final"
	ErrorRunSkipped    ErrorReason = "run_skipped"
	ErrorRunNotFailed  ErrorReason = "run_not_failed"
	ErrorRunHasAttempt ErrorReason = "run_in_hand"
	ErrorRunGoodInput  ErrorReason = "run_good_input"
	ErrorRunRemoved    ErrorReason = "run_removed"
	ErrorKeyReused     ErrorReason = "key_reused"
	ErrorKeyForm       ErrorReason = "key_invalid"
	ErrorNotStarted    ErrorReason = "not_started"
	ErrorLogRange      ErrorReason = "log_range"
	ErrorLogRangeEnd   ErrorReason = "log_range_after_end"
	ErrorLogRangeTwice ErrorReason = "log_range_and_offset"
	ErrorLogElsewhere  ErrorReason = "log_elsewhere"

	ErrorNoExecutor        ErrorReason = "executor_not_found"
	ErrorExecutorOnline    ErrorReason = "executor_online"
	ErrorExecutorBusy      ErrorReason = "executor_busy"
	ErrorExecutorNameTaken ErrorReason = "executor_name_taken"

	ErrorExecutorAddress     ErrorReason = "executor_address"
	ErrorExecutorSelf        ErrorReason = "executor_is_server"
	ErrorExecutorNeedsTLS    ErrorReason = "executor_needs_tls"
	ErrorExecutorNeedsToken  ErrorReason = "executor_needs_token"
	ErrorExecutorUnreachable ErrorReason = "executor_unreachable"
	ErrorExecutorNotThrift   ErrorReason = "executor_not_thrift"
	ErrorExecutorNotFramed   ErrorReason = "executor_not_framed"
	ErrorExecutorToken       ErrorReason = "executor_token_wrong"
	ErrorExecutorCertificate ErrorReason = "executor_certificate"
	ErrorExecutorCertHost    ErrorReason = "executor_certificate_host"
	ErrorExecutorCertOld     ErrorReason = "executor_certificate_expired"
	ErrorExecutorNoTLS       ErrorReason = "executor_not_tls"
	ErrorExecutorTLS         ErrorReason = "executor_speaks_tls"
	ErrorExecutorUnfit       ErrorReason = "executor_unfit"
	ErrorExecutorNoHandlers  ErrorReason = "executor_no_handlers"
	ErrorExecutorRegistered  ErrorReason = "executor_registered"
	ErrorExecutorElsewhere   ErrorReason = "executor_elsewhere"

	ErrorDatabase ErrorReason = "database_unreachable"
	ErrorDiskFull ErrorReason = "disk_full"
	ErrorBusy     ErrorReason = "server_busy"
	ErrorStopping ErrorReason = "server_stopping"

	ErrorDamaged       ErrorReason = "database_damaged"
	ErrorServerSession ErrorReason = "server_session_lost"

	ErrorAdminOnly ErrorReason = "admin_only"
	ErrorNoToken   ErrorReason = "token_missing"
	ErrorToken     ErrorReason = "token_wrong"

	ErrorSession       ErrorReason = "session_ended"
	ErrorSessionTwice  ErrorReason = "session_twice"
	ErrorLogIn         ErrorReason = "login_wrong"
	ErrorWait          ErrorReason = "login_wait"
	ErrorHashing       ErrorReason = "login_busy"
	ErrorSetUp         ErrorReason = "setup_done"
	ErrorSetUpCode     ErrorReason = "setup_code"
	ErrorPassword      ErrorReason = "password_wrong"
	ErrorPasswordForm  ErrorReason = "password_form"
	ErrorPasswordShort ErrorReason = "password_short"
	ErrorPasswordLong  ErrorReason = "password_long"
	ErrorPasswordMoved ErrorReason = "password_moved"
	ErrorUserForm      ErrorReason = "user_name_form"
	ErrorUserTaken     ErrorReason = "user_name_taken"
	ErrorCSRF          ErrorReason = "csrf_wrong"
	ErrorNoOrigin      ErrorReason = "origin_missing"
	ErrorOrigin        ErrorReason = "origin_foreign"
	ErrorHost          ErrorReason = "host_foreign"
	ErrorHostUnclear   ErrorReason = "host_unclear"

	ErrorForecastUntil ErrorReason = "forecast_until"
	ErrorForecastDown  ErrorReason = "forecast_down"
	ErrorForecastShift ErrorReason = "forecast_shift"
	ErrorShiftNothing  ErrorReason = "shift_nothing"
	ErrorForecastMonth ErrorReason = "forecast_month"
	ErrorForecastMany  ErrorReason = "forecast_many"
	ErrorForecastZone  ErrorReason = "forecast_zone"
	ErrorChainResume   ErrorReason = "chain_resume"

	ErrorValue     ErrorReason = "bad_value"
	ErrorRange     ErrorReason = "out_of_range"
	ErrorLong      ErrorReason = "too_long"
	ErrorParameter ErrorReason = "unknown_parameter"
	ErrorBody      ErrorReason = "bad_body"
	ErrorBodySize  ErrorReason = "body_too_large"
	ErrorMediaType ErrorReason = "media_type"
	ErrorPath      ErrorReason = "path_not_found"
	ErrorMethod    ErrorReason = "method_not_allowed"
	ErrorTooMany   ErrorReason = "too_many_requests"
)

// WithReason sets the reason of an error and its params, given as pairs of name and value.
func (e *Error) WithReason(r ErrorReason, pairs ...any) *Error {
	e.Reason = r
	for i := 0; i+1 < len(pairs); i += 2 {
		if e.Params == nil {
			e.Params = make(map[string]string, len(pairs)/2)
		}
		e.Params[fmt.Sprint(pairs[i])] = Clean(fmt.Sprint(pairs[i+1]), maxReasonParam)
	}
	return e
}

// maxReasonParam is the maximum length of a param in bytes.
const maxReasonParam = 200
