CREATE TABLE calendars (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    revision   INTEGER NOT NULL, -- number of the newest one
    deleted    BOOLEAN NOT NULL, -- the revisions stay; the next save makes it a calendar again
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
-- The greatest id is the version of all calendars: tickers compare it.
CREATE TABLE calendar_revisions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    calendar_id INTEGER NOT NULL REFERENCES calendars (id),
    number      INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    hash        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    note        TEXT    NOT NULL,
    UNIQUE (calendar_id, number)
);
-- The calendars that the newest revision of a schedule names.
CREATE TABLE schedule_calendars (
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    calendar_id INTEGER NOT NULL REFERENCES calendars (id),
    PRIMARY KEY (schedule_id, calendar_id)
);
CREATE INDEX schedule_calendars_calendar ON schedule_calendars (calendar_id);
