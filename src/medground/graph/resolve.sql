-- The tables from which documents are written, made of what was read.
DROP TABLE IF EXISTS names; DROP TABLE IF EXISTS types; DROP TABLE IF EXISTS definitions;
DROP TABLE IF EXISTS relations; DROP TABLE IF EXISTS stated;
CREATE TABLE names (concept INTEGER, position INTEGER, text TEXT, scope TEXT, key TEXT,
    PRIMARY KEY (concept, position)) WITHOUT ROWID;
CREATE TABLE types (concept INTEGER, type TEXT, PRIMARY KEY (concept, type)) WITHOUT ROWID;
CREATE TABLE definitions (concept INTEGER, position INTEGER, label TEXT, source TEXT, text TEXT,
    PRIMARY KEY (concept, position)) WITHOUT ROWID;
CREATE TABLE relations (number INTEGER PRIMARY KEY, subject INTEGER, predicate INTEGER, object INTEGER,
    details TEXT, both_ways INTEGER);
CREATE TABLE stated (concept INTEGER, back INTEGER, relation INTEGER,
    PRIMARY KEY (concept, back, relation)) WITHOUT ROWID;

-- A concept of a vocabulary that joins takes the place of the first concept of another one with its name: of the
-- same preferred name, or else with an exact synonym of that name.
CREATE INDEX IF NOT EXISTS concepts_key ON concepts (key);
CREATE INDEX IF NOT EXISTS read_names_key ON read_names (key);
UPDATE concepts SET joined = number;
UPDATE concepts SET joined = coalesce(
    (SELECT min(o.number) FROM concepts o JOIN vocabularies v ON v.number = o.vocabulary
    WHERE o.key = concepts.key AND NOT v.joins),
    (SELECT min(o.number) FROM read_names n JOIN concepts o ON o.id = n.concept
    JOIN vocabularies v ON v.number = o.vocabulary
    WHERE n.key = concepts.key AND n.scope IN ('name', 'exact') AND NOT v.joins),
    number)
    WHERE key != '' AND vocabulary IN (SELECT number FROM vocabularies WHERE joins);
CREATE INDEX IF NOT EXISTS concepts_joined ON concepts (joined, vocabulary);
INSERT INTO types SELECT DISTINCT c.joined, r.type FROM read_types r JOIN concepts c ON c.id = r.concept
    WHERE r.type != '';
INSERT INTO names SELECT c.joined, row_number() OVER (PARTITION BY c.joined ORDER BY min(r.rowid)), r.text,
    CASE WHEN r.scope = 'name' AND r.text != t.name THEN 'exact' ELSE r.scope END, r.key
    FROM read_names r JOIN concepts c ON c.id = r.concept JOIN concepts t ON t.number = c.joined
    GROUP BY c.joined, r.text;
INSERT INTO definitions SELECT c.joined, row_number() OVER (PARTITION BY c.joined ORDER BY min(r.rowid)),
    r.label, r.source, r.text
    FROM read_definitions r JOIN concepts c ON c.id = r.concept GROUP BY c.joined, r.label, r.text;
INSERT INTO relations SELECT NULL, s.joined, r.predicate, o.joined, r.details, min(v.both_ways)
    FROM read_relations r JOIN concepts s ON s.id = r.subject JOIN concepts o ON o.id = r.object
    JOIN vocabularies v ON v.number = r.vocabulary
    WHERE s.joined != o.joined GROUP BY s.joined, r.predicate, o.joined, r.details ORDER BY min(r.rowid);
INSERT INTO stated SELECT subject, 0, number FROM relations ORDER BY 1, 2, 3;
INSERT INTO stated SELECT object, 1, number FROM relations WHERE NOT both_ways ORDER BY 1, 2, 3;
