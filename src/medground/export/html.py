"""The whole answer as one HTML file that needs nothing else: no script, no font, no address is loaded.

Text of documents is escaped, and pictures are inside the file. A content security policy forbids everything else, also
in a reader that would run or load it.
"""

from __future__ import annotations

from html import escape

from medground.answer import Answer
from medground.export.page import bibliography
from medground.export.reference import one_line
from medground.wording.html import as_html
from medground.wording.pictures import Files

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_LOOK = """
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;
background:#fff;overflow-wrap:anywhere}
h3{font-size:1.5rem;line-height:1.25}h4{font-size:1.15rem;margin:1.8rem 0 .4rem;border-bottom:1px solid #ddd}
h5{font-size:1rem;margin:1.2rem 0 .3rem}table{border-collapse:collapse;font-size:.9rem;margin:.8rem 0}
th,td{border:1px solid #ccc;padding:.2rem .5rem;text-align:left}figure{margin:1rem 0}figcaption{font-size:.9rem}
a{color:#0b57a4}li{margin:.3rem 0}
"""


def as_page(answer: Answer, style: str, files: Files | None = None) -> bytes:
    """An answer as one HTML file.

    Raises:
        UsageError: there is no such style.
        ConfigError: the `export` extra is missing.
    """
    body = as_html(answer, bibliography=bibliography(answer, style), files=files)
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(one_line(answer.question.text))}</title><style>{_LOOK}</style>"
    )
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'.encode()
