package apitest

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// sampleChain returns a failed batch, and a moment that waits for it.
func sampleChain(r hive.ChainRequest) hive.Chain {
	at := func(hours int) time.Time { return T0.Add(time.Duration(hours) * time.Hour) }
	return hive.Chain{
		Schedule: r.Schedule, Now: at(2), From: at(-1), Until: at(8), ResumeAt: r.ResumeAt,
		Links: []hive.ChainLink{
			{Schedule: "orders", Place: hive.ChainBefore, Missing: true},
			{
				Schedule: r.Schedule, Title: "The warehouse", Place: hive.ChainSubject, Enabled: true, Timezone: "UTC",
				Triggers: []hive.Trigger{{Cron: "20 3 * * *", After: []hive.Upstream{{
					Schedule: "orders", Policy: "last(2)", Window: hive.WindowSameDay,
				}}}},
				Usual: time.Hour, UsualKnown: true, NextAt: at(24), More: 3,
				Bars: []hive.ChainBar{{
					Moment: T0, Own: true, Present: true, Batch: 7, State: hive.BatchFailed, StartedAt: T0,
					FinishedAt: at(1), UsualStart: T0, UsualEnd: at(1), Outcome: hive.ChainResumed, StartsAt: at(3),
					EndsAt: at(4), Counts: hive.Counts{hive.RunSucceeded: 3, hive.RunFailed: 1},
				}},
			},
			{
				Schedule: "mart", Place: hive.ChainAfter, Enabled: true, Expire: 2 * time.Hour,
				Triggers: []hive.Trigger{{After: []hive.Upstream{{Schedule: r.Schedule}}}},
				Bars: []hive.ChainBar{{
					Moment: T0, Present: true, Waiting: true, Outcome: hive.ChainExpected, StartsAt: at(4),
					Late: time.Hour, Delay: time.Hour, MayBeginUntil: at(6), Saved: true, InTimeUntil: at(1),
					BeginsUntil: at(5),
				}},
			},
		},
		Edges: []hive.ChainEdge{
			{From: "orders", To: r.Schedule, ToMoment: T0, Missing: true},
			{From: r.Schedule, FromMoment: T0, To: "mart", ToMoment: T0, Needed: 1, Decides: true},
		},
		Failures: []hive.ChainFault{{
			Schedule: r.Schedule, Moment: T0, Batch: 7, State: hive.BatchFailed, Tasks: 1, Of: 4,
			Takes: 15 * time.Minute, Holds: []string{"mart"},
		}},
	}
}
