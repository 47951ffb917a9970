"""Tables and figures of the papers as files, run here and printed next to the published figures."""
