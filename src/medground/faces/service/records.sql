-- Tokens, answers, what was used, jobs, what is saved, and who did what: the same on SQLite and on PostgreSQL.
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
    owner TEXT NOT NULL, day TEXT NOT NULL, requests BIGINT NOT NULL, input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL, model_calls BIGINT NOT NULL, searches BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL, nanodollars BIGINT NOT NULL, unpriced BIGINT NOT NULL, PRIMARY KEY (owner, day)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saved (owner TEXT PRIMARY KEY, content TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, person TEXT NOT NULL, name TEXT NOT NULL, act TEXT NOT NULL,
    what TEXT NOT NULL, words TEXT
) WITHOUT ROWID;
-- `told` is a `JobState`; `stopping` and `heard` are what other servers ask of the one that works on it.
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, trace_id TEXT,
    told TEXT NOT NULL, server TEXT NOT NULL, created DOUBLE PRECISION NOT NULL, finished DOUBLE PRECISION,
    key TEXT, digest TEXT, stopping INTEGER NOT NULL DEFAULT 0, heard INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS jobs_of ON jobs (owner, created);
CREATE INDEX IF NOT EXISTS jobs_by_server ON jobs (server) WHERE finished IS NULL;
CREATE INDEX IF NOT EXISTS jobs_by_time ON jobs (finished);
CREATE UNIQUE INDEX IF NOT EXISTS jobs_by_key ON jobs (owner, key)
    WHERE key IS NOT NULL AND state NOT IN ('failed', 'stopped');
CREATE TABLE IF NOT EXISTS events (
    job TEXT NOT NULL, id INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (job, id)
) WITHOUT ROWID;
-- Servers that live count on; leases go with their server. `requests` are those of the last minute, for rates.
CREATE TABLE IF NOT EXISTS servers (id TEXT PRIMARY KEY, beats BIGINT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, server TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS requests (owner TEXT NOT NULL, at DOUBLE PRECISION NOT NULL);
CREATE INDEX IF NOT EXISTS requests_of ON requests (owner, at);
CREATE TABLE IF NOT EXISTS paces (address TEXT PRIMARY KEY, free DOUBLE PRECISION NOT NULL) WITHOUT ROWID;
-- Sessions of the page, by the hash of what their cookie holds; pages of results of MCP, by cursor.
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, ends DOUBLE PRECISION NOT NULL, used DOUBLE PRECISION NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pages (
    result TEXT NOT NULL, number INTEGER NOT NULL, owner TEXT NOT NULL, content TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL, PRIMARY KEY (result, number)
);
CREATE INDEX IF NOT EXISTS pages_by_time ON pages (at);
-- One row: what looks at the clock have shown, in seconds.
CREATE TABLE IF NOT EXISTS looks (
    first DOUBLE PRECISION NOT NULL, last DOUBLE PRECISION NOT NULL, ran DOUBLE PRECISION NOT NULL,
    needed DOUBLE PRECISION NOT NULL, swept DOUBLE PRECISION NOT NULL
);
