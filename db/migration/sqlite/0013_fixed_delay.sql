-- Triggers that count from the end of the last batch, or from the time at which the schedule was enabled.
ALTER TABLE schedules ADD COLUMN enabled_at INTEGER NOT NULL DEFAULT 0; -- 0 for never
CREATE INDEX batches_finished ON batches (schedule_id, finished_at) WHERE finished_at > 0;
