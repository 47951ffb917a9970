"""Parse a query into a syntax tree, as PubMed does: operators from left to right, adjacent terms joined by AND.

The parser has two modes. Strict mode stops at the first fault. Lenient mode records the fault, makes the most likely
repair and continues, so that it can parse any text.
"""

from dataclasses import dataclass, field, replace

from medground.pubmed import syntax
from medground.pubmed.syntax import QuerySyntaxError
from medground.pubmed.tags import TagUse, read_tag

MAX_CHARACTERS = 100_000
MAX_DEPTH = 100
FIRST, LAST = "1000", "3000"
"""The years that PubMed users write for an open-ended range."""
_INCOMPLETE_RANGE = "a range needs two dates, as in 2010:2020[dp]"
_SPACES = str.maketrans(dict.fromkeys('!$%:;<>=?\\^{}~`"', " "))
_EDGES = ".,+'#/_-–—"
_QUOTED_EDGES = _EDGES.replace(",", "")
"""Keeps commas, because headings contain them: `Cells, Cultured`."""
_LOWER_CASE: dict[str, syntax.Operator] = {"and": "AND", "or": "OR", "not": "NOT"}


@dataclass(frozen=True, slots=True)
class Repair:
    """What was wrong and how it was repaired, with the column (from 1)."""

    reason: str
    column: int


def parse_syntax(text: str) -> syntax.Node:
    """Parse a query in strict mode. Raises QuerySyntaxError: at the first thing that PubMed would not understand."""
    if len(text) > MAX_CHARACTERS:
        raise QuerySyntaxError(f"the query exceeds {MAX_CHARACTERS:,} characters; shorten it", MAX_CHARACTERS + 1)
    node = _Parser(syntax.tokens(text), lenient=False).read()
    if node is None:
        raise QuerySyntaxError("there is no word to search for", 1)
    return node


def repair_syntax(text: str) -> tuple[syntax.Node | None, list[Repair]]:
    """Parse any text in lenient mode. Returns None if it has no words, and the repairs made."""
    parser = _Parser(syntax.tokens(text[:MAX_CHARACTERS]), lenient=True)
    return parser.read(), parser.repairs


def clean_words(text: str, edges: str = _EDGES) -> str:
    """Separate words by single spaces and drop punctuation, as PubMed does. Only a trailing asterisk is kept."""
    words = []
    for raw in text.translate(_SPACES).split():
        word = raw.strip(edges)
        if "*" in word:
            word = word.replace("*", "").strip(edges) + ("*" if word.endswith("*") else "")
        if word and any(map(str.isalnum, word)):
            # `AND;` is a word: keep it from becoming an operator without its semicolon.
            words.append(word.casefold() if word in ("AND", "OR", "NOT") else word)
    return " ".join(words)


@dataclass
class _Group:
    """An open pair of parentheses."""

    column: int
    first: syntax.Node | None = None
    rest: list[tuple[syntax.Operator, syntax.Node]] = field(default_factory=list)
    pending: syntax.Token | None = None
    negate: bool = False
    depth: int = 0
    """Nesting depth of the group as printed."""


class _Parser:
    def __init__(self, found: list[syntax.Token], *, lenient: bool) -> None:
        self._tokens = found
        self._lenient = lenient
        self._position = 0
        self.repairs: list[Repair] = []

    def read(self) -> syntax.Node | None:
        """The tree of all tokens, read from left to right; None if nothing is searched for. Faults are noted."""
        stack = [_Group(1)]
        ignored = 0
        while self._position < len(self._tokens):
            token = self._tokens[self._position]
            self._position += 1
            match token.kind:
                case "open" if len(stack) > MAX_DEPTH:
                    self._fault(f"parentheses are nested deeper than {MAX_DEPTH}", token.column)
                    ignored += 1
                case "open":
                    stack.append(_Group(token.column))
                case "close" if ignored:
                    ignored -= 1
                case "close" if len(stack) == 1:
                    self._fault("unmatched closing parenthesis", token.column)
                case "close":
                    self._close(stack)
                case "operator":
                    self._operator(stack[-1], token)
                case _:
                    self._term(stack[-1], token)
        while len(stack) > 1:
            self._fault("unmatched opening parenthesis", stack[-1].column)
            self._close(stack)
        return self._finish(stack[0])

    def _close(self, stack: list[_Group]) -> None:
        group = stack.pop()
        node = self._finish(group)
        if node is None:
            self._fault("these parentheses are empty", group.column)
            return
        while (tag := self._peek("tag")) is not None:
            self._position += 1
            self._fault("a field tag follows a term, not a parenthesis", tag.column)
            use = self._use(tag)
            node = node if use is None else apply_tag(node, use)
        self._add(stack[-1], node, group.depth)

    def _finish(self, group: _Group) -> syntax.Node | None:
        if group.pending is not None:
            self._fault(f"nothing follows {group.pending.text}", group.pending.column)
        return None if group.first is None else syntax.chained(group.first, group.rest)

    def _operator(self, group: _Group, token: syntax.Token) -> None:
        if group.pending is not None:
            self._fault(f"{group.pending.text} {token.text}: two operators in a row", token.column)
            if token.text == "NOT" and group.pending.text == "OR":
                group.negate = True
                return
        elif group.first is None and token.text != "NOT":
            self._fault(f"nothing precedes {token.text}", token.column)
            return
        group.pending = token

    def _add(self, group: _Group, node: syntax.Node, depth: int = 0) -> None:
        """Add a node to its group; `depth` is the nesting depth of the node itself."""
        operator: syntax.Operator = "AND" if group.pending is None else group.pending.text  # type: ignore[assignment]
        column = group.column if group.pending is None else group.pending.column
        if group.negate:
            node, depth = syntax.Negated(node), depth + isinstance(node, syntax.Chain)
        group.pending, group.negate = None, False
        inside = depth + isinstance(node, syntax.Chain | syntax.Negated)
        if group.first is None:
            group.first, group.depth = (syntax.Negated(node), inside) if operator == "NOT" else (node, depth)
            return
        before = group.depth + self._needs_parentheses(group, operator)
        if max(before, inside) > MAX_DEPTH:
            self._fault(f"AND, OR and parentheses are nested deeper than {MAX_DEPTH}", column)
            operator = group.rest[-1][0] if group.rest else operator
            before = group.depth + self._needs_parentheses(group, operator)
            if max(before, inside) > MAX_DEPTH:
                return
        group.rest.append((operator, node))
        group.depth = max(before, inside)

    def _needs_parentheses(self, group: _Group, operator: syntax.Operator) -> bool:
        if group.rest:
            return (group.rest[-1][0] == "OR") != (operator == "OR")
        return isinstance(group.first, syntax.Chain) and not syntax.of_one_kind(group.first, operator)

    def _term(self, group: _Group, token: syntax.Token) -> None:
        match token.kind:
            case "word" if self._lenient and self._is_lower_case_operator(self._position - 1):
                self._fault(f"read the lower-case {token.text} as an operator", token.column)
                self._operator(group, replace(token, kind="operator", text=_LOWER_CASE[token.text.casefold()]))
            case "word":
                self._run(group, token)
            case "quoted":
                self._quoted(group, token)
            case "tag":
                self._fault("a field tag must follow a term", token.column)
            case "history":
                self._fault(f"search history is not available; replace {token.text} with its query", token.column)
            case "colon":
                self._fault(_INCOMPLETE_RANGE, token.column)
                self._open_start(group, token)
            case _:
                name = {'"': "quotation mark", "[": "bracket", "]": "bracket"}.get(token.text, "character")
                self._fault(f"unmatched {name}", token.column)

    def _quoted(self, group: _Group, token: syntax.Token) -> None:
        text = clean_words(token.text, _QUOTED_EDGES)
        if "[" in token.text or "]" in token.text:
            self._fault("a field tag goes after the closing quotation mark", token.column)
            inner, _ = repair_syntax(token.text)
            if inner is not None:
                self._add(group, replace(inner, quoted=True) if isinstance(inner, syntax.Leaf) else inner)
        elif not text and self._peek("colon") is None:
            self._fault("there is no word between these quotation marks", token.column)
            self._skip("tag")
        else:
            self._leaf(group, syntax.Leaf(text, quoted=True, column=token.column))

    def _run(self, group: _Group, token: syntax.Token) -> None:
        """Read adjacent words. A tag after them applies to all of them."""
        words = [token.text]
        while (following := self._peek("word")) is not None:
            if self._lenient and self._is_lower_case_operator(self._position):
                break
            words.append(following.text)
            self._position += 1
        text = clean_words(" ".join(words))
        if text:
            self._leaf(group, syntax.Leaf(text, column=token.column))
        else:
            self._fault("there is no word here", token.column)
            self._skip("tag")

    def _leaf(self, group: _Group, leaf: syntax.Leaf) -> None:
        use = self._next_use()
        if self._peek("colon") is not None:
            self._span(group, leaf, use)
            return
        self._add(group, syntax.Leaf(leaf.text, use, leaf.quoted, leaf.column))
        while (tag := self._peek("tag")) is not None:
            self._position += 1
            self._fault("a term can have only one field tag", tag.column)

    def _span(self, group: _Group, low: syntax.Leaf, use: TagUse | None) -> None:
        colon = self._tokens[self._position]
        self._position += 1
        token = self._tokens[self._position] if self._position < len(self._tokens) else colon
        if token.kind not in ("word", "quoted"):
            self._fault(_INCOMPLETE_RANGE, colon.column)
            after = None if use else self._next_use()
            if after is not None and after.tag.date is not None:
                self._add(group, syntax.Span(low.text, LAST, after, low.column))
            else:
                self._add(group, replace(low, use=use or after))
            return
        self._position += 1
        last_use = self._next_use() or use
        high = token.text.strip()
        if last_use is None:
            self._fault("a range needs a date tag, as in 2010:2020[dp]", colon.column)
            if not (self._lenient and low.text[:4].isdigit()):
                self._add(group, low)
                return
            last_use = read_tag("dp").use
        if last_use is not None:
            self._add(group, syntax.Span(low.text, high, last_use, low.column))

    def _open_start(self, group: _Group, colon: syntax.Token) -> None:
        """Read `:2020[dp]`, a range without a start date."""
        following = self._tokens[self._position : self._position + 2]
        if [t.kind in ("word", "quoted", "tag") for t in following] != [True, True] or following[1].kind != "tag":
            return
        use = read_tag(following[1].text).use
        if use is not None and use.tag.date is not None:
            self._position += 2
            self._add(group, syntax.Span(FIRST, following[0].text.strip(), use, colon.column))

    def _next_use(self) -> TagUse | None:
        tag = self._peek("tag")
        if tag is None:
            return None
        self._position += 1
        return self._use(tag)

    def _use(self, tag: syntax.Token) -> TagUse | None:
        read = read_tag(tag.text)
        if read.use is not None:
            return read.use
        hint = f"; did you mean {read.guess.text}?" if read.guess else ""
        self._fault(read.problem + hint, tag.column)
        return read.guess

    def _is_lower_case_operator(self, position: int) -> bool:
        """Whether a lower-case `or` is an operator: it is between terms that are tagged, quoted or in parentheses."""
        if self._tokens[position].text.casefold() not in _LOWER_CASE:
            return False
        before = self._tokens[position - 1].kind if position else "operator"
        after = self._tokens[position + 1].kind if position + 1 < len(self._tokens) else "operator"
        if before == "word" and self._is_lower_case_operator(position - 1):
            return True
        return before in ("tag", "close", "quoted") or after in ("open", "quoted")

    def _peek(self, kind: str) -> syntax.Token | None:
        if self._position < len(self._tokens) and self._tokens[self._position].kind == kind:
            return self._tokens[self._position]
        return None

    def _skip(self, kind: str) -> None:
        while self._peek(kind) is not None:
            self._position += 1

    def _fault(self, reason: str, column: int) -> None:
        if not self._lenient:
            raise QuerySyntaxError(reason, column)
        self.repairs.append(Repair(reason, column))


def apply_tag(node: syntax.Node, use: TagUse) -> syntax.Node:
    """Apply the tag to every term of the group that has none."""
    match node:
        case syntax.Leaf():
            return node if node.use else replace(node, use=use)
        case syntax.Negated():
            return syntax.Negated(apply_tag(node.node, use))
        case syntax.Chain():
            return syntax.Chain(apply_tag(node.first, use), tuple((o, apply_tag(n, use)) for o, n in node.rest))
        case _:
            return node
