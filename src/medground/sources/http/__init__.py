"""The one careful HTTP client: limits, pace, retries, recorded replies, and a polite reader of pages."""
