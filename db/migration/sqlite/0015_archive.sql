-- Schedules that people do not use any more. 0 stands for never.
ALTER TABLE schedules ADD COLUMN archived_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedules ADD COLUMN archived_by TEXT NOT NULL DEFAULT '';
ALTER TABLE schedules ADD COLUMN unarchived_at INTEGER NOT NULL DEFAULT 0; -- moments of others from before are not followed
ALTER TABLE schedules ADD COLUMN deleting BOOLEAN NOT NULL DEFAULT FALSE; -- its rows are being deleted
-- What was deleted, and by whom. The rows stay.
CREATE TABLE deletions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL, -- the row of schedules is gone in the end
    schedule    TEXT    NOT NULL,
    deleted_by  TEXT    NOT NULL,
    begun_at    INTEGER NOT NULL,
    finished_at INTEGER NOT NULL, -- 0 while rows are left
    total       INTEGER NOT NULL, -- batches at the beginning
    batches     INTEGER NOT NULL, -- deleted so far, as all that follow
    runs        INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    ticks       INTEGER NOT NULL,
    revisions   INTEGER NOT NULL
);
CREATE INDEX deletions_live ON deletions (id) WHERE finished_at = 0;
-- Deleting a row looks for those that refer to it.
CREATE INDEX commands_batch ON commands (batch_id);
CREATE INDEX batches_revision ON batches (revision_id);
CREATE INDEX backfills_revision ON backfills (revision_id);
