package hive

import "errors"

// SentenceReason is the reason of a Sentence. It is stored, so it never changes. The constants below are the server's
// own. Executors send others, and reasons of faults (FaultReason) occur too. The pages have a text for each of them.
type SentenceReason string

// The troubles of executors, with their params.
const (
	SentenceExecutorAnother  SentenceReason = "executor_another"
	SentenceLaterSession     SentenceReason = "executor_later_session"
	SentenceExecutorTurned   SentenceReason = "executor_turned"
	SentenceExecutorDenies   SentenceReason = "executor_denies"
	SentenceCertHost         SentenceReason = "certificate_host"
	SentenceCertExpired      SentenceReason = "certificate_expired"
	SentenceCertAuthority    SentenceReason = "certificate_authority"
	SentenceTLSEnded         SentenceReason = "tls_ended"
	SentenceTLSNone          SentenceReason = "tls_none"
	SentenceHostUnknown      SentenceReason = "host_unknown"
	SentenceNothingListens   SentenceReason = "nothing_listens"
	SentenceNoAnswerInTime   SentenceReason = "no_answer_in_time"
	SentenceNotContract      SentenceReason = "not_contract"
	SentenceNoConnection     SentenceReason = "no_connection"
	SentenceClosedConnection SentenceReason = "closed_connection"
	SentenceUnknownReceipt   SentenceReason = "unknown_receipt"
	SentenceUnfitName        SentenceReason = "unfit_name"         // what, most
	SentenceUnfitDurable     SentenceReason = "unfit_durable"      //
	SentenceUnfitContract    SentenceReason = "unfit_contract"     // version, need
	SentenceUnfitSlots       SentenceReason = "unfit_slots"        // most, value
	SentenceUnfitLabels      SentenceReason = "unfit_labels"       // most
	SentenceUnfitLabel       SentenceReason = "unfit_label"        // name, value
	SentenceUnfitHandlers    SentenceReason = "unfit_handlers"     // most
	SentenceUnfitHandlerName SentenceReason = "unfit_handler_name" // most
	SentenceUnfitSchemas     SentenceReason = "unfit_schemas"      // most, all
)

// Notes of attempts, with their params.
const (
	SentenceOfferBusy     SentenceReason = "offer_busy"      // executor
	SentenceOfferBusyWhy  SentenceReason = "offer_busy_why"  // executor, words
	SentenceOfferDraining SentenceReason = "offer_draining"  // executor
	SentenceNoReceiptLine SentenceReason = "no_receipt_line" // executor
	SentenceNoReceipt     SentenceReason = "no_receipt"      // executor, words
	SentenceNotReached    SentenceReason = "not_reached"     // executor, words
	SentenceNeverArrived  SentenceReason = "never_arrived"
	SentenceNeverLeft     SentenceReason = "never_left"
	SentenceOutOfReach    SentenceReason = "out_of_reach"
	SentenceNoRetry       SentenceReason = "no_retry"
	SentenceRetryCode     SentenceReason = "retry_code"    // code, on
	SentenceRetryNoCode   SentenceReason = "retry_no_code" // on
	SentenceRetryTimeout  SentenceReason = "retry_timeout" // on
	SentenceRetryKilled   SentenceReason = "retry_killed"  // on
	SentenceRetryWhen     SentenceReason = "retry_when"    // when
	SentenceRetryError    SentenceReason = "retry_error"   // words
	SentenceRejected      SentenceReason = "rejected"      // times, most; of a run
	SentenceShardsFailed  SentenceReason = "shards_failed" // failed, total, index; of the run of a task
	SentenceShardFailed   SentenceReason = "shard_failed"  // failed, total, index, words; of the run of a task
	SentenceShardGone     SentenceReason = "shard_gone"    // executor; of a shard
)

// Errors of attempts, with their params.
const (
	SentenceLostForgotten   SentenceReason = "lost_forgotten"
	SentenceNoSecret        SentenceReason = "no_secret"         // secret
	SentenceSecretGroup     SentenceReason = "secret_denied"     // secret, group
	SentenceSecretsLarge    SentenceReason = "secrets_large"     // most
	SentenceConnectionGroup SentenceReason = "connection_denied" // connection, group
	SentenceConnectionOpen  SentenceReason = "connection_open"   // connection, executor
	SentenceSecretOpen      SentenceReason = "secret_open"       // secret, executor
	SentenceLostLease       SentenceReason = "lost_lease"
	SentenceLostUnreported  SentenceReason = "lost_unreported"
	SentenceLostExecutor    SentenceReason = "lost_executor"
	SentenceLostCut         SentenceReason = "lost_cut"
	SentenceLostOrphaned    SentenceReason = "lost_orphaned"
	SentenceLostUnkilled    SentenceReason = "lost_unkilled"
	SentenceLostTurned      SentenceReason = "lost_turned"
	SentenceLostUnsaid      SentenceReason = "lost_unsaid"
	SentenceOvertime        SentenceReason = "overtime"
	SentenceCallUnread      SentenceReason = "call_unread"
	SentenceNoRun           SentenceReason = "no_run"
	SentenceNoOutcome       SentenceReason = "no_outcome"
	SentenceExecutorFault   SentenceReason = "executor_fault" // words
	SentenceUnknownEnd      SentenceReason = "unknown_end"
	SentenceOutputs         SentenceReason = "outputs_too_large"
	SentenceParam           SentenceReason = "param_unfilled"  // field, words
	SentenceParams          SentenceReason = "params_unfilled" // field, words, others
)

// Why a batch is stuck, with their params.
const (
	SentenceStuckUnread   SentenceReason = "stuck_unread"   // words
	SentenceStuckGone     SentenceReason = "stuck_gone"     //
	SentenceStuckRevision SentenceReason = "stuck_revision" // words
	SentenceStuckUnstored SentenceReason = "stuck_unstored" // words
	SentenceStuckDefect   SentenceReason = "stuck_defect"   // batch
)

// notRetried reports whether a note with this reason says why a failed attempt was not repeated.
func (r SentenceReason) notRetried() bool {
	switch r {
	case SentenceNoRetry, SentenceRetryCode, SentenceRetryNoCode, SentenceRetryTimeout, SentenceRetryKilled,
		SentenceRetryWhen, SentenceRetryError:
		return true
	default:
		return false
	}
}

// SentenceOf returns the text of an error, with the reason of the fault in err, if there is one.
func SentenceOf(err error) Sentence {
	s := Plain(err.Error())
	if e, ok := errors.AsType[*FaultError](err); ok && e.Fault.Reason != "" {
		s.Reason = &TextReason{Code: SentenceReason(e.Fault.Reason), Params: e.Fault.Params}
	}
	return s
}
