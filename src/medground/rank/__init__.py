"""From hits to fewer, better hits."""
