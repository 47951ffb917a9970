"""Extract the query from a language model's output: remove code fences, JSON, prose and typographic characters."""

import html
import json
import re
from functools import partial

from medground.pubmed.characters import plain as in_plain_characters
from medground.pubmed.characters import without_zero_width

_NAMED = re.compile(
    r"(?i)\"[^\"]*\"|\[[^\]]*\]|(?<!\w)(title|abstract|mesh|majr|author|journal|language|tiab|ti|ab|mh|tw|pt|pmid):(\"[^\"\n]+\"|\w[\w-]*)"
)


def without_prefixes(text: str) -> str:
    """Rewrite `title:asthma` as `asthma[title]`."""
    # Quotations and tags are matched too, so that their contents are not mistaken for fields.
    return _NAMED.sub(lambda found: f"{found[2]}[{found[1]}]" if found[1] else found[0], text) if ":" in text else text


_FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_INLINE = re.compile(r"`([^`\n]+)`")
_LABEL = re.compile(
    r"^\W*(?:the\s+)?(?:(?:final|refined|revised|optimi[sz]ed|new|search|boolean|pubmed|mesh)\s+)*"
    r"(?:query|search|search string|search strategy|query string)\s*(?:is|:|=)+\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)")
_QUERY_MARK = re.compile(r"\[[A-Za-z][^\]]{0,40}\]|(?:^|[\s)\"])(?:AND|OR|NOT)(?:[\s(\"]|$)")
_OPERATOR = re.compile(r"(?:^|[\s)\"])(?:AND|OR|NOT)(?:[\s(\"]|$)")
_PROSE_END = (".", ":", "!", "?")
_SINGLE_QUOTED = re.compile(r"(?<![\w])'([^'\"\[\]()]{2,200})'(?=\s*(?:\[|\)|$|AND\b|OR\b|NOT\b))")
_PUNCTUATED = re.compile(r"(?<=[\s)\]\"])(AND|OR|NOT)[,;.:]+(?=\s)")
_OPEN_TAG = re.compile(r"\[([A-Za-z][A-Za-z /:~-]{1,28}?\d?)(?=\s*(?:\)|\Z|\bAND\b|\bOR\b|\bNOT\b))")


def query_in(text: str) -> tuple[str, list[str]]:
    """Return the query inside a text, in plain characters, and a note for each change."""
    notes: list[str] = []
    plain = without_zero_width(in_plain_characters(text))
    if plain != text:
        notes.append("replaced typographic quotation marks, dashes or spaces")
    for clean_up, note in (
        (_without_fence, "removed the code fence around the query"),
        (_without_json, "extracted the query from JSON"),
        (_without_prose, "removed prose around the query"),
        (_unescaped, "replaced escaped or doubled characters"),
        (without_prefixes, "converted field prefixes to tags"),
        (partial(_PUNCTUATED.sub, r"\1"), "removed punctuation after an operator"),
        (partial(_SINGLE_QUOTED.sub, r'"\1"'), "replaced single with double quotation marks"),
        (partial(_OPEN_TAG.sub, r"[\1]"), "closed an unclosed field tag"),
        (_with_paired_quotes, "removed an unpaired quotation mark"),
    ):
        changed = clean_up(plain)
        if changed != plain:
            notes.append(note)
            plain = changed
    return plain, notes


def _without_fence(text: str) -> str:
    fence = _FENCE.search(text)
    if fence and fence[1].strip():
        return fence[1].strip()
    inline = [part for part in _INLINE.findall(text) if _QUERY_MARK.search(part)]
    return max(inline, key=len).strip() if inline else text.replace("`", " ") if "`" in text else text


def _without_json(text: str) -> str:
    opening = text.find("{")
    if opening < 0:
        return text
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text[opening:])
    except (json.JSONDecodeError, RecursionError):
        return text
    for name in ("query", "pubmed_query", "search_query", "final_query", "refined_query"):
        if isinstance(value, dict) and isinstance(value.get(name), str) and value[name].strip():
            return str(value[name])
    return text


def _without_prose(text: str) -> str:
    """Drop sentences at either end if some other line looks like a query."""
    lines = [line for line in text.splitlines() if line.strip()]
    labelled = [index for index, line in enumerate(lines) if _LABEL.match(line)]
    if labelled:
        lines = lines[labelled[-1] :]
        while _LABEL.match(lines[0]):
            lines[0] = _LABEL.sub("", lines[0], count=1)
        lines = [line for line in lines if line.strip()]
        text = "\n".join(lines)
    if len(lines) < 2 or not any(_QUERY_MARK.search(line) for line in lines):
        return text
    kept = list(lines)
    while len(kept) > 1 and _is_prose(kept[0]):
        kept.pop(0)
    while len(kept) > 1 and _is_prose(kept[-1]):
        kept.pop()
    return "\n".join(_BULLET.sub("", line) for line in kept) if len(kept) < len(lines) else text


def _is_prose(line: str) -> bool:
    return (
        not _QUERY_MARK.search(line)
        and '"' not in line
        and line.count("(") == line.count(")")
        and (len(line.split()) >= 4 and line.rstrip().endswith(_PROSE_END))
    )


def _unescaped(text: str) -> str:
    text = html.unescape(text) if "&" in text and ";" in text else text
    text = text.replace('\\"', '"').replace("**", " ") if "**" in text or '\\"' in text else text
    return re.sub(r'"{2,}', '"', text)


def _with_paired_quotes(text: str) -> str:
    """If the number of marks is odd, drop the first that would quote an operator or parenthesis, else the last."""
    positions = [index for index, c in enumerate(text) if c == '"']
    if len(positions) % 2 == 0:
        return text
    wrong = positions[-1]
    for first, second in zip(positions[::2], positions[1::2], strict=False):
        if _OPERATOR.search(text[first + 1 : second]) or "(" in text[first:second]:
            wrong = first
            break
    return f"{text[:wrong]} {text[wrong + 1 :]}"
