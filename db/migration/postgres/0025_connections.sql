-- The connections of the server. The document names the secret with the password, and never has a password.
CREATE TABLE connections (
    name       TEXT   NOT NULL PRIMARY KEY,
    revision   BIGINT NOT NULL, -- how often it was changed
    document   TEXT   NOT NULL,
    hash       TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    updated_by TEXT   NOT NULL
);
