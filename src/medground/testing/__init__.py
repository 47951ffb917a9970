"""Contract tests that any source or model must pass, for those who write their own."""
