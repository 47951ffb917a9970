-- From a draft, attached as `draft`, into a graph file.
INSERT INTO concepts SELECT number, id, name FROM draft.concepts WHERE joined = number ORDER BY number;
INSERT OR IGNORE INTO ids SELECT id, joined FROM draft.concepts ORDER BY id;
INSERT INTO names SELECT NULL, key, concept, scope, text FROM draft.names ORDER BY concept, position;
INSERT INTO types SELECT concept, type FROM draft.types ORDER BY 1, 2;
INSERT INTO predicates SELECT * FROM draft.predicates;
INSERT INTO relations SELECT number, subject, predicate, object, details FROM draft.relations ORDER BY number;
INSERT INTO rows SELECT * FROM draft.rows ORDER BY 1, 2;
INSERT INTO search (search) VALUES ('rebuild');
CREATE INDEX names_key ON names (key);
