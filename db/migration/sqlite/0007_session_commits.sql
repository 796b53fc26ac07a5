-- How many groups the latest session of each server has stored. A session that counts more knows what the database does not: it
-- went back to an earlier state. Beside the row of servers, as others hold that while they write in the session's name.
CREATE TABLE session_commits (
    server TEXT PRIMARY KEY,
    number INTEGER NOT NULL
);
