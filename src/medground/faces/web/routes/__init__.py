"""Addresses of the page, one router a file."""
