-- Backfills with the schedules that wait for theirs.
ALTER TABLE backfills ADD COLUMN dependants BOOLEAN NOT NULL DEFAULT FALSE;

-- The schedules of a backfill: its own first, each before those that wait for it.
CREATE TABLE backfill_schedules (
    backfill_id BIGINT NOT NULL REFERENCES backfills (id),
    position    INTEGER NOT NULL,
    schedule_id BIGINT NOT NULL REFERENCES schedules (id),
    revision_id BIGINT NOT NULL REFERENCES revisions (id),
    revision    BIGINT NOT NULL,
    first       BIGINT NOT NULL, -- earliest moment
    last        BIGINT NOT NULL, -- latest moment
    PRIMARY KEY (backfill_id, position)
);
CREATE INDEX backfill_schedules_schedule ON backfill_schedules (schedule_id, backfill_id);
INSERT INTO backfill_schedules (backfill_id, position, schedule_id, revision_id, revision, first, last)
SELECT id, 0, schedule_id, revision_id, revision, first, last FROM backfills;

ALTER TABLE backfill_moments ADD COLUMN schedule_id BIGINT NOT NULL DEFAULT 0;
UPDATE backfill_moments SET schedule_id =
    (SELECT f.schedule_id FROM backfills AS f WHERE f.id = backfill_moments.backfill_id);
CREATE INDEX backfill_moments_schedule ON backfill_moments (schedule_id);
-- What a moment reads of other schedules in the backfill, as JSON; empty: nothing.
ALTER TABLE backfill_moments ADD COLUMN needs TEXT NOT NULL DEFAULT '';
-- The position of the moment whose failure lets this one be skipped while it waits; -1 for none.
ALTER TABLE backfill_moments ADD COLUMN skipped_for INTEGER NOT NULL DEFAULT -1;
