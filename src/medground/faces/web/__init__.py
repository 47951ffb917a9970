"""The web page's side of the server: login, the built page, uploads, suggestions."""
