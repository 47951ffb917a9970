"""A snapshot as a collection of a SolrCloud cluster: searched by many machines at once, ranked as in a folder."""
