package conform

import "slices"

// rules returns all rules, in the order in which an author should fix violations.
func rules() []rule {
	list := slices.Concat(describeRules(), runRules())
	for _, r := range slices.Concat(wholeLifeRules(), keyRules(), submitRules(), pollRules(), endRules(), lifeRules(),
		loadRules(), ownerRules(), restartRules()) {
		r.durable = true
		list = append(list, r)
	}
	return list
}

// Names returns the names of all rules.
func Names() []string {
	all := rules()
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.name
	}
	return names
}

// describeRules returns the rules of describe. Like runRules, they apply to every executor.
func describeRules() []rule {
	return []rule{
		{
			name: "describe.identity", check: describeIdentity,
			text: "describe names the executor: an executorId that stays, a bootId of this start, a name",
			remedy: "make executorId once and keep it (a file, or name and address); make bootId once at " +
				"the start of the process",
		},
		{
			name: "describe.clock", check: describeClock,
			text:   "nowMillis is the executor's clock in milliseconds since 1970 UTC",
			remedy: "multiply seconds by 1000; the server measures the offset of your clock with it",
		},
		{
			name: "describe.load", check: describeLoad,
			text:   "load.slots, if it is set, is 1 or more, and load.running is not negative",
			remedy: "set load.slots and load.running; without slots the server gives you one attempt at a time",
		},
		{
			name: "describe.handlers", check: describeHandlers,
			text:   "the names of handlers are unique, and the handler to be called is among them",
			remedy: "list each handler once, by the name that tasks say",
		},
		{
			name: "describe.schema", check: describeSchema,
			text:   "paramsSchema is a JSON Schema of an object; x-render is shell, sql, plain, url or json",
			remedy: "the editor makes a form of it: send {\"type\": \"object\", \"properties\": {…}} as text",
		},
		{
			name: "describe.limits", check: describeLimits,
			text: "the texts of describe are short and printable",
			remedy: "ids have at most 128 bytes, names 63, both without spaces; 100 handlers, 64 labels, " +
				"10,000 slots; " +
				"schemas have 64 KiB, 1 MiB in all",
		},
		{
			name: "token.refused", check: tokenRefused,
			text:   "a wrong token, and a call without a caller, are refused with AccessDenied",
			remedy: "compare Caller.token with your secret in constant time before anything else, in every call",
		},
		{
			name: "wire.unknown", check: wireUnknown,
			text: "unknown fields are skipped",
			remedy: "generate the code from hivego.thrift instead of reading frames by hand: newer " +
				"servers send more fields",
		},
		{
			name: "wire.connections", check: wireConnections,
			text:   "it answers on as many connections at once as it has slots; if it is durable, on four more",
			remedy: "use a server with a thread, or a coroutine, for each connection; or say that you have one slot",
		},
		{
			name: "wire.huge", check: wireHuge,
			text:   "a frame that is too large, or of a negative size, ends its connection and nothing else",
			remedy: "limit frames to 16 MiB where the length is read, before memory is taken for it",
		},
	}
}

func runRules() []rule {
	return []rule{
		{
			name: "run.success", check: runSuccess,
			text:   "run answers SUCCESS when the work is done, with its times in milliseconds",
			remedy: "set outcome.kind, startedAtMillis and finishedAtMillis",
		},
		{
			name: "run.failure", check: runFailure,
			text:   "failed work is an outcome FAILURE with an error or an exit code, not an exception",
			remedy: "catch all exceptions of the work, and put their text into outcome.error",
		},
		{
			name: "run.handler", check: runHandler,
			text:   "an unknown handler is an outcome FAILURE or a BadCall, and says so",
			remedy: "look the handler up; if there is none, answer FAILURE and name it in outcome.error",
		},
		{
			name: "run.params", check: runParams,
			text:   "invalid params are an outcome FAILURE with an error, or a BadCall with a message",
			remedy: "check paramsJson before the work: an object, with what the schema requires",
		},
		{
			name: "run.reason", check: runReason,
			text:   "an outcome has a reason with its error or not at all, a short one, and small params",
			remedy: "leave reason and params out: they are for texts that the server's pages know",
		},
		{
			name: "run.sparse", check: runSparse,
			text:   "an assignment with nothing but attemptId, handler and paramsJson runs",
			remedy: "every field is optional: have a default for each that you read",
		},
		{
			name: "run.empty", check: runEmpty,
			text:   "run without an assignment is refused with BadCall, and the connection goes on",
			remedy: "throw BadCall if a call lacks what it is about",
		},
	}
}

// submitRules returns the rules of Submit. Like keyRules, pollRules and endRules, they apply to durable executors only.
func submitRules() []rule {
	return []rule{
		{
			name: "token.every", check: tokenEvery,
			text:   "a wrong token is refused with AccessDenied by submit, poll, attach, kill and readLog too",
			remedy: "check the caller in one place that every call goes through; a log is a secret as well",
		},
		{
			name: "attach.lease", check: attachLease,
			text:   "without a live lease a submit is answered BUSY",
			remedy: "start nothing for a server (serverId and epoch) before it has attached or polled",
		},
		{
			name: "attach.unknown", check: attachUnknown,
			text:   "attach answers FORGOTTEN for an unknown id, and that id never starts any more",
			remedy: "write a tombstone for the id before you answer; a submit of it answers FORGOTTEN",
		},
		{
			name: "attach.reports", check: attachReports,
			text:   "attach reports RUNNING for a running attempt, and ENDED with its outcome for an ended one",
			remedy: "answer one report for each id that was named",
		},
		{
			name: "attach.others", check: attachOthers,
			text:   "attach lists as others the attempts of this server that the call did not name",
			remedy: "look through the attempts whose server is the caller's, of this epoch or an earlier one",
		},
		{
			name: "submit.once", check: submitOnce,
			text:   "an id that is submitted several times answers STARTED each time and runs once",
			remedy: "look the id up and write it down under one lock; known means STARTED, whatever its state",
		},
		{
			name: "submit.ended", check: submitEnded,
			text:   "an id that has ended answers STARTED and is not started again",
			remedy: "keep ended attempts until they are released",
		},
		{
			name: "submit.refused", check: submitRefused,
			text:   "an unknown handler is REFUSED, with words that say why",
			remedy: "answer REFUSED for what will never run here; the run fails at once, with your words",
		},
		{
			name: "submit.busy", check: submitBusy,
			text: "an id that was answered BUSY never starts any more",
			remedy: "write a tombstone for it: the server gives the task away under another id, and a " +
				"late copy must not start it",
		},
		{
			name: "submit.many", check: submitMany,
			text:   "500 assignments in one call get 500 receipts; 501 are refused with BadCall",
			remedy: "answer a receipt for each attemptId; beyond the free slots it is BUSY",
		},
	}
}

func pollRules() []rule {
	return []rule{
		{
			name: "epoch.call", check: epochCall,
			text: "a call with a lower epoch than its server had before is refused with StaleEpoch",
			remedy: "remember the highest epoch of each serverId, durably, and compare it in submit, " +
				"poll, attach and kill",
		},
		{
			name: "epoch.attempt", check: epochAttempt,
			text:   "an attempt that a later epoch has attached is STALE for an earlier one",
			remedy: "remember epoch, session and server of each attempt; attach changes them",
		},
		{
			name: "epoch.session", check: epochSession,
			text:   "a call with the same epoch and another session is refused with StaleEpoch",
			remedy: "remember the session beside the highest epoch of each serverId: the epoch was given out twice",
		},
		{
			name: "cluster.other", check: clusterOther,
			text: "a call of another cluster is refused with AccessDenied",
			remedy: "keep the clusterId that you registered with, or that first called you, and compare " +
				"it in every call",
		},
		{
			name: "poll.answers", check: pollAnswers,
			text:   "answers of polls are numbered upwards, and name executorId and bootId of describe",
			remedy: "count answers for each server, also over restarts; leases are counted by these numbers",
		},
		{
			name: "poll.own", check: pollOwn,
			text:   "a poll reports to a server the events of its own attempts, and of no others",
			remedy: "remember the server of each attempt: who submitted it, or attached it last",
		},
		{
			name: "poll.waits", check: pollWaits,
			text:   "a poll without events waits for up to waitMillis",
			remedy: "wait until there is an event or the time is over; a poll that returns at once makes a busy loop",
		},
		{
			name: "poll.repeats", check: pollRepeats,
			text:   "each answer repeats ENDED, with the same seq, until it is acknowledged",
			remedy: "drop an event when its (attempt, seq) is acked, not when it is sent",
		},
		{
			name: "poll.limit", check: pollLimit, after: []string{"poll.repeats"},
			text:   "an answer has at most maxEvents events, and the rest come later",
			remedy: "cut the list; what was left out comes with the next answer",
		},
	}
}

func endRules() []rule {
	return []rule{
		{
			name: "release.forgets", check: releaseForgets,
			text:   "log and outcome stay after the ack until the release; then the id is FORGOTTEN",
			remedy: "an ack ends the repetition, only the release frees log and folder; it leaves a tombstone",
		},
		{
			name: "kill.ends", check: killEnds,
			text:   "kill answers KILLING at once, the end comes as an event KILLED, and a later kill answers ENDED",
			remedy: "ask the work to end, force it after the grace, and report its end by poll",
		},
		{
			name: "kill.unknown", check: killUnknown,
			text:   "kill of an unknown id answers FORGOTTEN, and that id never starts any more",
			remedy: "write a tombstone, as attach does",
		},
		{
			name: "log.ranges", check: logRanges,
			text: "readLog gives the bytes of a range, the size, complete after the end, and found = " +
				"false for unknown ids",
			remedy: "read from offset, at most limit bytes; a negative offset is a BadCall",
		},
		{
			name: "timeout.kept", check: timeoutKept,
			text:   "an attempt that is longer than timeoutMillis ends with TIMEOUT",
			remedy: "the executor keeps the time, from its receipt; the server does not",
		},
		{
			name: "lease.delayed", check: leaseDelayed,
			text: "a submit that names an answer older than orphanTimeoutMillis starts nothing: BUSY",
			remedy: "keep when you sent each answer; the call was so long on its way that its tasks may " +
				"be given to others by now",
		},
		{
			name: "lease.passed", check: leasePassed,
			text: "attempts of a server that is silent for longer than orphanTimeoutMillis are killed " +
				"and reported as LOST",
			remedy: "count from when you sent the answer that the server last named, on a monotonic clock",
		},
	}
}
