-- Runs of a schedule for many moments of the past.
CREATE TABLE backfills (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    revision_id INTEGER NOT NULL REFERENCES revisions (id),
    revision    INTEGER NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('running', 'paused', 'stopped', 'done', 'canceled')),
    first       INTEGER NOT NULL, -- earliest moment
    last        INTEGER NOT NULL, -- latest moment
    sequence    TEXT NOT NULL CHECK (sequence IN ('asc', 'desc')),
    parallel    INTEGER NOT NULL CHECK (parallel >= 1),
    existing    TEXT NOT NULL CHECK (existing IN ('keep', 'rerun', 'failed')),
    on_failure  TEXT NOT NULL CHECK (on_failure IN ('stop', 'continue')),
    params      TEXT NOT NULL,
    note        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT NOT NULL,
    changed_at  INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    finished_at INTEGER NOT NULL,
    stopped_by  INTEGER NOT NULL, -- the batch whose failure stopped it; 0 for none
    key         TEXT UNIQUE     -- idempotency key; NULL for none
);
CREATE INDEX backfills_schedule ON backfills (schedule_id, id);
CREATE INDEX backfills_live ON backfills (id) WHERE state NOT IN ('done', 'canceled');

-- The moments of a backfill, by position in the order in which they run.
CREATE TABLE backfill_moments (
    backfill_id INTEGER NOT NULL REFERENCES backfills (id),
    position    INTEGER NOT NULL,
    moment      INTEGER NOT NULL,
    act         TEXT NOT NULL CHECK (act IN ('waiting', 'created', 'rerun', 'kept')),
    batch_id    INTEGER NOT NULL, -- 0 while it waits
    command_id  INTEGER NOT NULL, -- of the repair; 0 for none
    passed      BOOLEAN NOT NULL, -- a person let the backfill go on after this failure
    PRIMARY KEY (backfill_id, position)
);
CREATE INDEX backfill_moments_waiting ON backfill_moments (backfill_id, position) WHERE act = 'waiting';

-- The backfill that made a batch; 0 for none.
ALTER TABLE batches ADD COLUMN backfill_id INTEGER NOT NULL DEFAULT 0;
-- Whether a moment has a batch already.
CREATE INDEX batches_moment ON batches (schedule_id, moment);
-- The latest batches from which the usual duration is computed: backfills do not count, and may be many.
CREATE INDEX batches_usual ON batches (schedule_id, id) WHERE kind <> 'backfill';
