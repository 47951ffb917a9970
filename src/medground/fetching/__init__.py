"""Asking services and fetching pages: one client for services with an HTTP interface, one polite reader of pages."""
