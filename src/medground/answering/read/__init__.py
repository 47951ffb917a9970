"""From hits to evidence: which documents are read first, and the sentences that are quoted."""
