-- Ends that hooks follow, and for which no batch was made yet. The commit of the end stores them, and a driver takes
-- them out.
CREATE TABLE hook_calls (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id    INTEGER NOT NULL,
    revision_id INTEGER NOT NULL,
    round       INTEGER NOT NULL,
    scope       TEXT    NOT NULL CHECK (scope IN ('batch', 'job', 'task')),
    key         TEXT    NOT NULL, -- of the job or task
    state       TEXT    NOT NULL CHECK (state IN ('succeeded', 'failed', 'canceled')),
    error       TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    at          INTEGER NOT NULL
);
CREATE INDEX hook_calls_batch ON hook_calls (batch_id);

-- The batch that a batch of hooks follows; 0 for all others. Its kind is stored as adhoc, because SQLite cannot change
-- the CHECK of kind. It names no schedule either.
ALTER TABLE batches ADD COLUMN hook_of INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN hook TEXT NOT NULL DEFAULT ''; -- the end that they follow, as JSON
CREATE INDEX batches_hook_of ON batches (hook_of) WHERE hook_of > 0;
