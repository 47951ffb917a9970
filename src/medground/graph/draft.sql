-- What the readers of vocabularies found, as it was read.
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE vocabularies (number INTEGER PRIMARY KEY, name TEXT NOT NULL, licence TEXT NOT NULL,
    origin TEXT NOT NULL, both_ways INTEGER NOT NULL, joins INTEGER NOT NULL);
CREATE TABLE parts (vocabulary INTEGER NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (vocabulary, part));
CREATE TABLE concepts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    key TEXT NOT NULL, vocabulary INTEGER NOT NULL, joined INTEGER NOT NULL DEFAULT 0);
CREATE TABLE read_types (concept TEXT NOT NULL, type TEXT NOT NULL);
CREATE TABLE read_names (concept TEXT NOT NULL, text TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL);
CREATE TABLE read_definitions (concept TEXT NOT NULL, text TEXT NOT NULL, label TEXT NOT NULL,
    source TEXT NOT NULL);
CREATE TABLE read_relations (subject TEXT NOT NULL, predicate INTEGER NOT NULL, object TEXT NOT NULL,
    details TEXT NOT NULL, vocabulary INTEGER NOT NULL);
CREATE TABLE predicates (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, forward TEXT NOT NULL,
    inverse TEXT NOT NULL);
CREATE TABLE notes (text TEXT NOT NULL UNIQUE);
