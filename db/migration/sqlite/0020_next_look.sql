-- When the ticker looks at a schedule next, so that it reads only those that are due soon. 0: it does not know.
ALTER TABLE schedules ADD COLUMN next_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE schedules ADD COLUMN version INTEGER NOT NULL DEFAULT 0; -- grows with each change that sets next_at to 0
ALTER TABLE schedules ADD COLUMN linked INTEGER NOT NULL DEFAULT 0;  -- schedule_links is of this revision
CREATE INDEX schedules_next ON schedules (next_at);
-- The schedules for which the newest revision of a schedule waits, by name, as its document has them. Its own name says
-- that its moments wait for each other.
CREATE TABLE schedule_links (
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    upstream    TEXT    NOT NULL,
    follows     BOOLEAN NOT NULL, -- a trigger has no moments of its own
    PRIMARY KEY (schedule_id, upstream)
);
CREATE INDEX schedule_links_upstream ON schedule_links (upstream);
CREATE INDEX schedule_links_follows ON schedule_links (schedule_id) WHERE follows;
-- The batches that a person may have to look after, without a look at each schedule.
CREATE INDEX batches_failed ON batches (schedule_id, id) WHERE state = 'failed' AND closed_note = '';
