-- Tokens, answers, what was used, requests sent again, what is saved, and who did what.
CREATE TABLE IF NOT EXISTS tokens (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, limits TEXT NOT NULL, created TEXT NOT NULL,
    revoked TEXT, admin INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS names ON tokens (name) WHERE revoked IS NULL;
CREATE TABLE IF NOT EXISTS answers (
    trace_id TEXT PRIMARY KEY, owner TEXT NOT NULL, created TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_of ON answers (owner, trace_id);
CREATE INDEX IF NOT EXISTS answers_by_time ON answers (created);
CREATE TABLE IF NOT EXISTS used (
    owner TEXT NOT NULL, day TEXT NOT NULL, requests INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, model_calls INTEGER NOT NULL, searches INTEGER NOT NULL, seconds REAL NOT NULL,
    nanodollars INTEGER NOT NULL, unpriced INTEGER NOT NULL, PRIMARY KEY (owner, day)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repeats (
    owner TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, trace_id TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (owner, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saved (owner TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, act TEXT NOT NULL,
    what TEXT NOT NULL, words TEXT
) WITHOUT ROWID;
