-- The live batches of a schedule, however many have ended: read by each tick, and before a queued batch starts.
CREATE INDEX batches_overlap ON batches (schedule_id) WHERE live;
