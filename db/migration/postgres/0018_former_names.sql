-- The names that schedules had before they were renamed.
CREATE TABLE former_names (
    name        TEXT COLLATE "C" PRIMARY KEY,
    schedule_id BIGINT           NOT NULL REFERENCES schedules (id),
    renamed_at  BIGINT           NOT NULL,
    renamed_by  TEXT             NOT NULL
);
CREATE INDEX former_names_schedule ON former_names (schedule_id);
-- The name of the schedule until then, of the revision that renamed it.
ALTER TABLE revisions ADD COLUMN renamed_from TEXT NOT NULL DEFAULT '';
