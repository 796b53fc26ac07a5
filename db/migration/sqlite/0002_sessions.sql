-- People who are logged in with a browser. What the browser holds is not stored, only its hash.
CREATE TABLE sessions (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    hash       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    idle_at    INTEGER NOT NULL, -- it ends then unless it is used before
    ends_at    INTEGER NOT NULL, -- it ends then however much it is used
    address    TEXT    NOT NULL,
    agent      TEXT    NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
