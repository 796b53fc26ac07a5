-- What people are writing and have not published: one document for each user and name of a schedule, which need not exist.
CREATE TABLE drafts (
    user_id    INTEGER NOT NULL REFERENCES users (id),
    name       TEXT    NOT NULL,
    base       INTEGER NOT NULL, -- number of the revision it was made from, 0 for none
    version    INTEGER NOT NULL, -- grows with every change, also over a draft that was thrown away
    document   TEXT    NOT NULL, -- JSON
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, name)
);
-- What the author of a revision says about it.
ALTER TABLE revisions ADD COLUMN note TEXT NOT NULL DEFAULT '';
