-- Limits on what runs at the same time, and pools, as people have set them. name is '' for the kind server.
CREATE TABLE limits (
    kind   TEXT    NOT NULL CHECK (kind IN ('server', 'group', 'tag', 'schedule', 'pool')),
    name   TEXT    NOT NULL CHECK ((kind = 'server') = (name = '')),
    most   INTEGER NOT NULL CHECK (most >= 0),
    reason TEXT    NOT NULL,
    set_at BIGINT  NOT NULL,
    set_by TEXT    NOT NULL,
    PRIMARY KEY (kind, name)
);
-- The pool whose slots an attempt holds until it ends; '' for none.
ALTER TABLE attempts ADD COLUMN pool TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN slots INTEGER NOT NULL DEFAULT 0;
-- Both columns never change, so that changes of an attempt do not touch the index.
CREATE INDEX attempts_pool ON attempts (pool, batch_id) WHERE pool <> '';
