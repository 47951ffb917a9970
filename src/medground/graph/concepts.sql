-- A graph file of concepts.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE concepts (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE ids (id TEXT PRIMARY KEY COLLATE NOCASE, concept INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE names (number INTEGER PRIMARY KEY, key TEXT NOT NULL, concept INTEGER NOT NULL, scope TEXT NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE types (concept INTEGER, type TEXT, PRIMARY KEY (concept, type)) WITHOUT ROWID;
CREATE TABLE predicates (number INTEGER PRIMARY KEY, name TEXT NOT NULL, forward TEXT NOT NULL,
    inverse TEXT NOT NULL);
CREATE TABLE relations (number INTEGER PRIMARY KEY, subject INTEGER NOT NULL, predicate INTEGER NOT NULL,
    object INTEGER NOT NULL, details TEXT NOT NULL);
CREATE TABLE rows (concept INTEGER, position INTEGER, part INTEGER, start INTEGER, end INTEGER, relation INTEGER,
    back INTEGER, text TEXT, PRIMARY KEY (concept, position)) WITHOUT ROWID;
CREATE VIRTUAL TABLE search USING fts5(text, content='names', content_rowid='number',
    tokenize="unicode61 remove_diacritics 2");
