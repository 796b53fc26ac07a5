package schedule

// Reason tells programs what is wrong with a trigger or a time zone; the code of a fault tells only the kind. Reasons
// are stable: with the params of the fault, a program can say the same in other words or another language. The param
// field is second, minute, hour, day_of_month, month or day_of_week.
type Reason string

// The reasons, with their params.
const (
	ReasonCronEmpty       Reason = "cron_empty"
	ReasonCronLong        Reason = "cron_long"         // most
	ReasonCronZone        Reason = "cron_zone"         // value
	ReasonCronReboot      Reason = "cron_reboot"       // value
	ReasonCronName        Reason = "cron_name"         // value
	ReasonCronMore        Reason = "cron_more"         // value
	ReasonCronYear        Reason = "cron_year"         // value
	ReasonCronFields      Reason = "cron_fields"       // value, count
	ReasonCronUnread      Reason = "cron_unread"       // value
	ReasonCronPart        Reason = "cron_part"         // value, field
	ReasonCronQuestion    Reason = "cron_question"     // field
	ReasonCronNth         Reason = "cron_nth"          // value
	ReasonCronWorkday     Reason = "cron_workday"      // value
	ReasonCronLast        Reason = "cron_last"         // value
	ReasonCronLastWeekday Reason = "cron_last_weekday" // value
	ReasonCronBackwards   Reason = "cron_backwards"    // value, field, example
	ReasonCronStep        Reason = "cron_step"         // value, field
	ReasonCronStepLarge   Reason = "cron_step_large"   // value, step, least, most, field
	ReasonCronNumber      Reason = "cron_number"       // value, field
	ReasonCronWord        Reason = "cron_word"         // value, known, field
	ReasonCronRange       Reason = "cron_range"        // value, least, most, field
	ReasonCronNever       Reason = "cron_never"        // value
	ReasonEveryPeriod     Reason = "every_period"      // value
	ReasonEveryOften      Reason = "every_often"       // value
	ReasonEveryWhole      Reason = "every_whole"       // value
	ReasonZoneLong        Reason = "zone_long"         // most
	ReasonZoneLocal       Reason = "zone_local"        // value
	ReasonZoneOffset      Reason = "zone_offset"       // value, zone
	ReasonZoneNear        Reason = "zone_near"         // value, near
	ReasonZoneUnknown     Reason = "zone_unknown"      // value
	ReasonDSTUnknown      Reason = "dst_unknown"       // value, known
	ReasonDSTUnused       Reason = "dst_unused"        // value
	ReasonDSTAt           Reason = "dst_at"            //
	ReasonPointUnread     Reason = "time_unread"       // value
	ReasonAtDate          Reason = "at_date"           // value
	ReasonAtGap           Reason = "at_gap"            // value, zone
	ReasonAtPassed        Reason = "at_passed"         // value
	ReasonAtBounds        Reason = "at_bounds"         // field
	ReasonEndBeforeStart  Reason = "end_before_start"  // start, end
	ReasonNeverBetween    Reason = "never_between"     // value, start, end
	ReasonEnded           Reason = "ended"             // end
	ReasonRangeAndList    Reason = "range_and_list"    //
	ReasonRangeOpen       Reason = "range_open"        //
	ReasonRangeStep       Reason = "range_step"        // value
	ReasonRangeBackwards  Reason = "range_backwards"   // start, end
	ReasonRangeNoTriggers Reason = "range_no_triggers" //
	ReasonRangeEmpty      Reason = "range_empty"       //
	ReasonRangeMany       Reason = "range_many"        // count, most
	ReasonRangeFuture     Reason = "range_future"      // value
	ReasonJitterLong      Reason = "jitter_long"       // value
	ReasonJitterExpire    Reason = "jitter_expire"     // value, expire
	ReasonFromAlone       Reason = "from_alone"        //
	ReasonFromUnknown     Reason = "from_unknown"      // value, every
	ReasonDelayWhole      Reason = "delay_whole"       // value
	ReasonDelayAlone      Reason = "delay_alone"       // field
	ReasonDelayTwice      Reason = "delay_twice"       //
	ReasonNoCalendar      Reason = "no_calendar"       // value
	ReasonCalendarNever   Reason = "calendar_never"    // value, calendar
	ReasonCalendarEvery   Reason = "calendar_every"    // value
	ReasonAtCalendar      Reason = "at_calendar"       //
)

// The reasons of webhooks, with their params.
const (
	ReasonWebhookName   Reason = "webhook_name"   // value
	ReasonWebhookTwice  Reason = "webhook_twice"  // value
	ReasonWebhookField  Reason = "webhook_field"  // field
	ReasonAcceptUnused  Reason = "accept_unused"  //
	ReasonAcceptUnknown Reason = "accept_unknown" // value
	ReasonAcceptPointer Reason = "accept_pointer" // value
)

// The reasons of after, with their params.
const (
	ReasonWindowUnread  Reason = "window_unread"  // value
	ReasonWindowFuture  Reason = "window_future"  // value
	ReasonWindowEmpty   Reason = "window_empty"   // value
	ReasonWindowLong    Reason = "window_long"    // value
	ReasonWindowNoCron  Reason = "window_no_cron" // value
	ReasonWindowsMixed  Reason = "windows_mixed"  //
	ReasonPolicyUnread  Reason = "policy_unread"  // value, most
	ReasonPolicyWindow  Reason = "policy_window"  // value
	ReasonAfterItself   Reason = "after_itself"   // value
	ReasonAfterTwice    Reason = "after_twice"    // value
	ReasonAfterMany     Reason = "after_many"     // value, most
	ReasonAfterAt       Reason = "after_at"       //
	ReasonAfterBounds   Reason = "after_bounds"   // field
	ReasonUnknown       Reason = "after_unknown"  // value
	ReasonUnknownNear   Reason = "after_near"     // value, near
	ReasonCircle        Reason = "after_circle"   // path
	ReasonWindowNothing Reason = "window_nothing" // value, schedule

	ReasonUpstreamArchived Reason = "after_archived" // value
	ReasonUpstreamRenamed  Reason = "after_renamed"  // value, to
)
