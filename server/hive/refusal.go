package hive

import "fmt"

// Refusal is the fine-grained reason of an Error: what a program needs, beside the Error's params, to say the same in its
// own words. It is stable; openapi.yaml lists all of them with their params (schema Problem).
type Refusal string

// The refusals, by what they are about.
const (
	RefusedNoSchedule     Refusal = "schedule_not_found"
	RefusedNoRevision     Refusal = "revision_not_found"
	RefusedNoScheduleTask Refusal = "task_not_in_schedule"
	RefusedRevisionMoved  Refusal = "revision_moved"
	RefusedScheduleExists Refusal = "schedule_exists"
	RefusedDocument       Refusal = "document_faults"
	RefusedOtherName      Refusal = "document_other_name"
	RefusedParams         Refusal = "params_faults"
	RefusedUnread         Refusal = "document_unreadable"
	RefusedNoDocumentTask Refusal = "task_not_in_document"
	RefusedNoDraft        Refusal = "draft_not_found"
	RefusedDraftMoved     Refusal = "draft_moved"
	RefusedDraftsFull     Refusal = "drafts_full"
	RefusedScheduleName   Refusal = "schedule_name_form"

	RefusedNoBatch       Refusal = "batch_not_found"
	RefusedNoTask        Refusal = "task_not_found"
	RefusedNoAttempt     Refusal = "attempt_not_found"
	RefusedNoCommand     Refusal = "command_not_found"
	RefusedBatchFinal    Refusal = "batch_final"
	RefusedBatchCancel   Refusal = "batch_canceling"
	RefusedPlanMoved     Refusal = "plan_moved"
	RefusedNothing       Refusal = "nothing_to_do"
	RefusedPlan          Refusal = "plan_refused"
	RefusedPlanTasks     Refusal = "plan_needs_tasks"
	RefusedPlanRevision  Refusal = "plan_no_revision"
	RefusedPlanAction    Refusal = "plan_unknown_action"
	RefusedPlanDown      Refusal = "plan_downstream"
	RefusedPlanKeys      Refusal = "plan_unknown_tasks"
	RefusedLatest        Refusal = "plan_latest_and_revision"
	RefusedAdhoc         Refusal = "adhoc_no_revision"
	RefusedUnreadable    Refusal = "revision_unreadable"
	RefusedCloseTasks    Refusal = "close_whole"
	RefusedCloseNote     Refusal = "close_needs_note"
	RefusedCloseState    Refusal = "close_state"
	RefusedRunFinal      Refusal = "run_final"
	RefusedRunSkipped    Refusal = "run_skipped"
	RefusedRunNotFailed  Refusal = "run_not_failed"
	RefusedRunInHand     Refusal = "run_in_hand"
	RefusedRunGoodInput  Refusal = "run_good_input"
	RefusedRunRemoved    Refusal = "run_removed"
	RefusedKeyReused     Refusal = "key_reused"
	RefusedKeyForm       Refusal = "key_invalid"
	RefusedNotStarted    Refusal = "not_started"
	RefusedLogRange      Refusal = "log_range"
	RefusedLogRangeEnd   Refusal = "log_range_after_end"
	RefusedLogRangeTwice Refusal = "log_range_and_offset"
	RefusedLogElsewhere  Refusal = "log_elsewhere"

	RefusedNoExecutor     Refusal = "executor_not_found"
	RefusedExecutorOnline Refusal = "executor_online"
	RefusedExecutorBusy   Refusal = "executor_busy"
	RefusedExecutorTwin   Refusal = "executor_name_taken"

	RefusedExecutorAddress     Refusal = "executor_address"
	RefusedExecutorSelf        Refusal = "executor_is_server"
	RefusedExecutorNeedsTLS    Refusal = "executor_needs_tls"
	RefusedExecutorNeedsToken  Refusal = "executor_needs_token"
	RefusedExecutorUnreachable Refusal = "executor_unreachable"
	RefusedExecutorNotThrift   Refusal = "executor_not_thrift"
	RefusedExecutorNotFramed   Refusal = "executor_not_framed"
	RefusedExecutorToken       Refusal = "executor_token_wrong"
	RefusedExecutorCertificate Refusal = "executor_certificate"
	RefusedExecutorCertHost    Refusal = "executor_certificate_host"
	RefusedExecutorCertOld     Refusal = "executor_certificate_expired"
	RefusedExecutorNoTLS       Refusal = "executor_not_tls"
	RefusedExecutorTLS         Refusal = "executor_speaks_tls"
	RefusedExecutorUnfit       Refusal = "executor_unfit"
	RefusedExecutorNoHandlers  Refusal = "executor_no_handlers"
	RefusedExecutorRegistered  Refusal = "executor_registered"
	RefusedExecutorElsewhere   Refusal = "executor_elsewhere"

	RefusedDatabase Refusal = "database_unreachable"
	RefusedDiskFull Refusal = "disk_full"
	RefusedBusy     Refusal = "server_busy"
	RefusedStopping Refusal = "server_stopping"

	RefusedDamaged       Refusal = "database_damaged"
	RefusedServerSession Refusal = "server_session_lost"

	RefusedAdminOnly Refusal = "admin_only"
	RefusedNoToken   Refusal = "token_missing"
	RefusedToken     Refusal = "token_wrong"

	RefusedSession       Refusal = "session_ended"
	RefusedSessionTwice  Refusal = "session_twice"
	RefusedLogIn         Refusal = "login_wrong"
	RefusedWait          Refusal = "login_wait"
	RefusedHashing       Refusal = "login_busy"
	RefusedSetUp         Refusal = "setup_done"
	RefusedSetUpCode     Refusal = "setup_code"
	RefusedPassword      Refusal = "password_wrong"
	RefusedPasswordForm  Refusal = "password_form"
	RefusedPasswordShort Refusal = "password_short"
	RefusedPasswordLong  Refusal = "password_long"
	RefusedPasswordMoved Refusal = "password_moved"
	RefusedUserForm      Refusal = "user_name_form"
	RefusedUserTaken     Refusal = "user_name_taken"
	RefusedCSRF          Refusal = "csrf_wrong"
	RefusedNoOrigin      Refusal = "origin_missing"
	RefusedOrigin        Refusal = "origin_foreign"
	RefusedHost          Refusal = "host_foreign"
	RefusedHostUnclear   Refusal = "host_unclear"

	RefusedValue     Refusal = "bad_value"
	RefusedRange     Refusal = "out_of_range"
	RefusedLong      Refusal = "too_long"
	RefusedParameter Refusal = "unknown_parameter"
	RefusedBody      Refusal = "bad_body"
	RefusedBodySize  Refusal = "body_too_large"
	RefusedMediaType Refusal = "media_type"
	RefusedPath      Refusal = "path_not_found"
	RefusedMethod    Refusal = "method_not_allowed"
	RefusedTooMany   Refusal = "too_many_requests"
)

// Because gives an error its refusal, with its params as pairs of name and value.
func (e *Error) Because(r Refusal, pairs ...any) *Error {
	e.Refusal = r
	for i := 0; i+1 < len(pairs); i += 2 {
		if e.Params == nil {
			e.Params = make(map[string]string, len(pairs)/2)
		}
		e.Params[fmt.Sprint(pairs[i])] = Clean(fmt.Sprint(pairs[i+1]), maxRefusalParam)
	}
	return e
}

// maxRefusalParam is how many bytes of what was asked for come back.
const maxRefusalParam = 200
