-- Made once all rows are there.
CREATE UNIQUE INDEX IF NOT EXISTS concepts_id ON concepts (id COLLATE NOCASE);
CREATE UNIQUE INDEX IF NOT EXISTS concepts_exact_id ON concepts (id);
CREATE INDEX IF NOT EXISTS names_key ON names (key);
CREATE INDEX IF NOT EXISTS relations_subject ON relations (subject, start);
CREATE INDEX IF NOT EXISTS relations_object ON relations (object);
CREATE INDEX IF NOT EXISTS edges_parent ON edges (parent);
