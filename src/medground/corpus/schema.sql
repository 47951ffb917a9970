-- The tables of a snapshot's SQLite file. Snapshots of before lack some of them, which are then made.

-- Documents, their passages, what could not be read, and how far a build got.
CREATE TABLE IF NOT EXISTS documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  record BLOB NOT NULL,
  digest BLOB NOT NULL,
  year INTEGER,
  kind TEXT NOT NULL,
  retraction TEXT NOT NULL
);
-- Records as their files have them, compressed with a checksum (zlib), and the hash of each before that.
CREATE TABLE IF NOT EXISTS raw (id TEXT PRIMARY KEY, file INTEGER NOT NULL, xml BLOB NOT NULL, digest BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS raw_by_file ON raw (file);
CREATE TABLE IF NOT EXISTS passages (
  number INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  start INTEGER NOT NULL,
  stop INTEGER NOT NULL,
  section TEXT,
  checksum INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS passages_by_document ON passages (document);
CREATE INDEX IF NOT EXISTS retracted ON documents (number) WHERE retraction = 'retracted';
CREATE TABLE IF NOT EXISTS retracts (id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS skipped (input TEXT NOT NULL, file TEXT NOT NULL, position INTEGER, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
-- What is not as an earlier snapshot had it, until words and vectors are brought up to date.
CREATE TABLE IF NOT EXISTS pending (what TEXT NOT NULL, value NOT NULL, PRIMARY KEY (what, value)) WITHOUT ROWID;
-- How many rows the large tables have, and the sum of their digests.
CREATE TABLE IF NOT EXISTS tally (name TEXT PRIMARY KEY, count INTEGER NOT NULL, total BLOB NOT NULL) WITHOUT ROWID;

-- The files: what was read, what was passed over and why, and who holds which id.
CREATE TABLE IF NOT EXISTS files (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  folder TEXT,
  reader TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  made_by TEXT NOT NULL,
  reason TEXT,
  passing INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS holds (
  id TEXT NOT NULL,
  file INTEGER NOT NULL,
  kept INTEGER NOT NULL,
  PRIMARY KEY (id, file)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS holds_by_file ON holds (file);
CREATE TABLE IF NOT EXISTS withdrawn (
  id TEXT NOT NULL,
  file INTEGER NOT NULL,
  PRIMARY KEY (id, file)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS withdrawn_by_file ON withdrawn (file);
CREATE TABLE IF NOT EXISTS notes (file INTEGER NOT NULL, text TEXT NOT NULL);

-- Which documents were joined with their records, and what their files said.
CREATE TABLE IF NOT EXISTS joins (
  id TEXT NOT NULL,
  source TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (id, source)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS own (id TEXT PRIMARY KEY, digest BLOB NOT NULL, fields TEXT NOT NULL) WITHOUT ROWID;
