-- What lists of schedules search in, and select by, from the newest revision of each schedule.
ALTER TABLE schedules ADD COLUMN described BIGINT NOT NULL DEFAULT 0; -- the texts and labels are of this revision
CREATE INDEX schedules_undescribed ON schedules (id) WHERE described <> revision;
CREATE TABLE schedule_texts (
    schedule_id BIGINT NOT NULL PRIMARY KEY REFERENCES schedules (id),
    title       TEXT   NOT NULL,
    words       TEXT   NOT NULL -- title, its pinyin initials, tags and owners, in small letters
);
CREATE TABLE schedule_labels (
    kind        TEXT             NOT NULL CHECK (kind IN ('tag', 'owner')),
    label       TEXT COLLATE "C" NOT NULL,
    schedule_id BIGINT           NOT NULL REFERENCES schedules (id),
    PRIMARY KEY (kind, label, schedule_id)
);
CREATE INDEX schedule_labels_schedule ON schedule_labels (schedule_id);
