-- Requests sent again, as they were kept before jobs were. Read in an SQLite file alone.
INSERT INTO jobs (id, owner, kind, state, trace_id, told, server, created, finished, key, digest)
SELECT
    hex(owner || ' ' || key), owner, 'ask', 'done', trace_id,
    json_object('id', hex(owner || ' ' || key), 'kind', 'ask', 'title', '', 'state', 'done', 'created', created,
        'trace_id', trace_id, 'last_event', 2),
    '', CAST(strftime('%s', created) AS REAL), CAST(strftime('%s', created) AS REAL), key, digest
FROM repeats WHERE true ON CONFLICT DO NOTHING;
DROP TABLE repeats;
