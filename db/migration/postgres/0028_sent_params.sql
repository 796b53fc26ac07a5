-- What the params of an attempt were rendered to, as JSON for people; '' if nothing was rendered.
ALTER TABLE attempts ADD COLUMN params TEXT NOT NULL DEFAULT '';
