"""How the parts of an answer are put into words, the same in every face."""

from collections.abc import Iterable, Sequence

from medground.answering.captions import NOT_VALIDATED, NOTHING_FOUND, critic_name
from medground.corpus.library import title_of
from medground.language.clean import clean, ended, joined, sentence, some
from medground.language.requests import ENGLISH_ONLY
from medground.values.answer import Answer, Search, SearchedSource
from medground.values.decision import FreeDecision
from medground.values.question import CLOSED, Follows, Option
from medground.values.statement import Conflict, Side, Statement
from medground.values.usage import Author

_SENTENCE_ENDS = (".", "?", "!", "。", "！", "？")
_UNJUDGED = "Not judged"
_BELOW = "Answer"
"""A decision whose words are those of the sentences below it."""
_STANCES = {"supports": "for", "contradicts": "against", "mixed": "both for and against"}
_SHOWN = 300
"""Characters of a question's context that are shown without details."""
_FIRST = 3
"""What was searched that the first line names: all of it stands below."""
_NAMED = 8
"""Corpora that are named, of those that were not searched."""


def read_as(follows: Follows, text: str, *, searched: bool) -> str:
    """How a follow-up question was read, what was carried into it, and after which question."""
    if follows.choices:
        return sentence(f"asked after “{follows.question}”; it was not searched")
    if follows.paper:
        paper = f"“{clean(follows.stands_for)}” ({clean(follows.paper)})"
        return sentence(f"“{follows.asked}” was read as a question about {paper}, which was quoted; no other was read")
    after = f"after “{follows.question}”{'; the sources of its answer were searched too' if searched else ''}"
    if text == follows.asked:
        return sentence(f"asked {after}")
    if text == follows.question:
        return sentence(f"“{follows.asked}” was asked about the answer to “{text}”")
    meant = f" ({follows.word}: {follows.stands_for})" if follows.word else ""
    meant += f" ({follows.carried} is carried from the conversation)" if follows.carried else ""
    return sentence(f"“{follows.asked}” was read as “{text}”{meant}, {after}")


def context(given: str, *, whole: bool = False) -> str:
    """What was given with a question, in one line; its first words unless `whole`."""
    text = joined(given)
    if len(text) > _SHOWN and not whole:
        text = f"{text[:_SHOWN].rsplit(' ', 1)[0]} ..."
    return f"Given with the question ({some(len(given), 'character')}, not evidence): “{text}”"


def written_sentences(answer: Answer) -> list[list[Statement]]:
    """The statements of an answer by written sentence: those of one sentence have only white space between them."""
    groups: list[list[Statement]] = []
    for statement in answer.statements:
        last = groups[-1][-1] if groups else None
        between = answer.rationale[last.end : statement.start] if last else ""
        if last is None or between.strip() or (not last.evidence and last.text.endswith(_SENTENCE_ENDS)):
            groups.append([statement])
        else:
            groups[-1].append(statement)
    return groups


def written(answer: Answer, sentence: Sequence[Statement]) -> str:
    """A written sentence; before it, what an erratum says of its numbers."""
    said = dict.fromkeys(f"{one.verdict.corrected}: " for one in sentence if one.verdict.corrected)
    return "".join([*said, answer.rationale[sentence[0].start : sentence[-1].end]])


def lead(answer: Answer) -> list[Statement]:
    """The statements of the sentence that stands for an answer whose decision has no words of its own; else none."""
    said = decided(answer)
    alone = said == _BELOW or (said == _UNJUDGED and _quotes_alone(answer) and not answer.decision.reason)
    first = written_sentences(answer)[0] if alone and not answer.report else []
    return first if all(statement.verdict.label in ("quoted", "supported") for statement in first) else []


def headline(answer: Answer) -> str:
    """The first line of an answer: its decision; where that has no words of its own, the first sentence."""
    if first := lead(answer):
        return joined(written(answer, first))
    said = decided(answer)
    quotes = said == _UNJUDGED and answer.statements and (_quotes_alone(answer) or not models(answer))
    if quotes and answer.report and answer.question.task.startswith("yes-no"):
        return "Yes or no: not judged. What the sources say"
    told = sentence(answer.decision.reason) if answer.question.follows else ""  # what was requested of an answer
    return (told or "What the sources say") if quotes else said


def searched_names(answer: Answer) -> str:
    """What was searched: the names of corpora and sources, each once; of many the first, and how many others."""
    names = [*dict.fromkeys(source_title(s.source) for s in answer.searches if s.status != "failed")]
    return clean(_listed(names, _FIRST)) or "the sources"


def _listed(names: Sequence[str], most: int) -> str:
    """Names as a sentence lists them; of more than `most` the first, and how many others."""
    return joined_names(names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} others"])


def joined_names(names: Iterable[str]) -> str:
    """Names as a sentence lists them."""
    *others, last = names or [""]
    return f"{', '.join(others)} and {last}" if others else last


def decided(answer: Answer) -> str:
    """The decision in a few words, such as `Yes`, `A. Aspirin` or `Not judged`."""
    decision = answer.decision
    if ENGLISH_ONLY in answer.warnings and (decision.unmentioned or decision.status == "unanswerable"):
        return f"Nothing found in {searched_names(answer)}: {ENGLISH_ONLY}"
    if decision.unmentioned and decision.check is None:
        end = "." if answer.statements else ""  # the nearest quotes follow
        return f"Nothing found {_on(decision.unmentioned)} in {searched_names(answer)}{end}"
    if decision.check is not None and decision.status != "decided":
        return _refused(answer)
    if decision.status == "not judged":
        return _UNJUDGED
    if decision.status == "unanswerable":
        if not answer.searches:  # the reason is all that there is to say
            return sentence(decision.reason) or "Unanswerable"
        if read := answer.read + len({quote.document_id for quote in answer.evidence}):
            return f"No answer in {some(read, 'document')} read from {searched_names(answer)}"
        return f"Nothing found that answers this in {searched_names(answer)}"
    value = joined(decision.shown() or "")
    said = joined(" ".join(statement.text for statement in answer.statements))
    short = isinstance(decision, FreeDecision) and decision.items
    if value and not short and (said == value or (value.endswith(".") and said.startswith(f"{value} "))):
        return _BELOW
    value = _with_options(value, answer.question.options)
    if decision.probability is not None:
        value += f" (estimated probability {decision.probability:.0%})"
    return value[:1].upper() + value[1:] if answer.question.task in CLOSED else value


def _on(names: Sequence[str]) -> str:
    """The end of "nothing found": on things, by their names, or that answers the question."""
    from medground.language.question_reading import WHAT_IS_ASKED  # it brings MeSH

    return f"on {' or '.join(map(clean, names))}" if names and WHAT_IS_ASKED not in names else "that answers this"


def _refused(answer: Answer) -> str:
    """What a model answered, and what the check of that answer found, or what its quotes are not about."""
    check, options = answer.decision.check, answer.question.options
    assert check is not None
    said = f"The model answered {_with_options(', '.join(check.answer), options)}".rstrip(" .")
    if answer.decision.unmentioned:
        return f"{said}, but no quote mentions {' or '.join(map(clean, answer.decision.unmentioned))}"
    if check.result == "not checked":
        return f"{said}; this was not checked"
    if check.found:
        found = _with_options(", ".join(check.found), options)
    else:
        found = f"that the sentences {'say otherwise' if check.result == 'contradicted' else 'do not say so'}"
    return f"{said}, and its check found {found}"


def reason(answer: Answer) -> str:
    """Why the decision is what it is, and what is missing; empty where nothing is known."""
    missing = f"Missing in these sources: {ended(clean(answer.missing))}" if answer.missing else ""
    other = answer.decision.unmentioned and answer.decision.check is None and answer.statements
    return " ".join(
        filter(None, [_reason(answer), missing, _instead(answer), "Nearest, about something else:" if other else ""])
    )


def _instead(answer: Answer) -> str:
    """What could be asked and searched where nothing was found."""
    asked = f"Ask instead: {', '.join(f'“{joined(one)}”' for one in answer.nearby)}" if answer.nearby else ""
    others = f"Not searched: {_listed(answer.unsearched, _NAMED)}." if answer.unsearched else ""
    return " ".join(filter(None, [asked and ended(asked), others]))


def _reason(answer: Answer) -> str:
    decision = answer.decision
    said = sentence(decision.reason)
    if decision.basis == "graph fact":
        graphs = " and ".join(
            dict.fromkeys(source_title(s.source) for s in answer.searches if _is_graph(s) and s.status == "found")
        )
        return f"According to the knowledge graph {graphs}".strip() + f". {said}".rstrip()
    if decision.basis == "model":
        how = "from the quoted evidence" if answer.evidence else "from memory, without evidence"
        return f"{_authors(answer)} {how}. {said}".strip()
    return "" if decision.reason == NOTHING_FOUND or said == headline(answer) else said


def _authors(answer: Answer) -> str:
    """Who wrote an answer and who checked it, with what that proves."""
    judges = {
        critic_name(statement.verdict.critic) for statement in answer.statements if statement.verdict.judged_by_model
    }
    checked = sorted(judges.intersection(models(answer)))
    wrote = [name for name in models(answer) if name not in checked or len(models(answer)) == len(checked)]
    proof = f" ({NOT_VALIDATED})" if answer.decision.validated is False else ""
    if not checked:
        return f"Answered by {joined_names(wrote) or 'a language model'}{proof}"
    if wrote == checked:
        return f"Written and checked by {joined_names(wrote)}{proof}"
    return f"Written by {joined_names(wrote)} and checked by {joined_names(checked)}{proof}"


def support(answer: Answer) -> str:
    """How much of the rationale is supported, in one line; empty where it was not assessed.

    What a model says that is not a validated judge is shown as its assessment. A rationale of quotes alone supports
    itself, so it has no score; that it was not assessed is stated, in a report among its limitations.
    """
    if _quotes_alone(answer) and not answer.dropped:  # the reason says of a quote that it was not assessed
        return ""
    verdicts = [statement.verdict for statement in answer.statements]
    if answer.support is None:
        who = dict.fromkeys(critic_name(verdict.critic) for verdict in verdicts if verdict.assessed)
        told = not who or answer.decision.basis == "model"  # by the line above the sentences
        return "" if told else f"Checked by {' and '.join(who)} ({NOT_VALIDATED})."
    if answer.support == 1.0 and any(verdict.label == "quoted" for verdict in verdicts):
        return "Every statement is quoted or supported. Whether the quotes answer the question has not been assessed."
    share = {1.0: "All statements", 0.0: "None of the statements"}.get(answer.support)
    return f"{share or f'{answer.support:.0%} of the statements'} are supported."


def _quotes_alone(answer: Answer) -> bool:
    return bool(answer.statements) and all(s.evidence and s.verdict.label == "quoted" for s in answer.statements)


def faithfulness(answer: Answer) -> str:
    """The share of statements that a model labelled correct; empty where only words labelled them."""
    who = sorted({s.verdict.labelled_by for s in answer.statements if s.verdict.labelled_by_model})
    if answer.faithfulness is None or not who:
        return ""
    doubt = "" if answer.support is not None else "; not all statements were assessed by a validated judge"
    return f"{answer.faithfulness:.0%}, as labelled by {', '.join(map(clean, who))}{doubt}"


def assessment(answer: Answer) -> str:
    """A model's remark on the whole answer; empty where no model was asked or it made none."""
    found = answer.assessment
    if found is None or (found.verdict is None and found.quality is None):
        return ""
    parts = [found.verdict or "", f"quality {found.quality} of 5" if found.quality is not None else ""]
    said = f"{', '.join(filter(None, parts))}, as assessed by {clean(found.assessed_by)}"
    return f"{said}: {sentence(found.reason)}" if found.reason else f"{said}."


def disagreement(conflict: Conflict) -> str:
    """What sources disagree about, and who found it."""
    return sentence(f"{conflict.about} (found by {conflict.found_by})")


def side(side: Side, number: int) -> str:
    """The name of a side; `number` counts from 1."""
    return _STANCES[side.stance].capitalize() if side.stance != "unknown" else f"Side {number}"


def source_title(name: str) -> str:
    """The name of a source, such as `corpus:lung-papers`, as people read it."""
    if name.startswith("corpus:"):
        return clean(title_of(name.removeprefix("corpus:")))
    return clean(name.removeprefix("graph:").replace(":", " ", 1))


def searched(searches: Sequence[Search]) -> str:
    """What several searches of one source found."""
    hits = max(search.hits for search in searches)
    times = f"{len(searches)} searches, up to " if len(searches) > 1 and hits else ""
    return f"{source_title(searches[0].source)} ({times}{results(searches[0], hits)})"


def searched_source(one: SearchedSource) -> str:
    """What became of a source of a plan, such as `book: 12 passages for 2 queries` or `wiki: not configured`."""
    if one.state == "found":
        many = f" for {len(one.queries)} queries" if len(one.queries) > 1 else ""
        said = some(one.passages, "line" if one.kind == "graph" else "passage") + many
    else:
        said = {"empty": "searched, nothing found", "failed": "could not be searched"}.get(one.state, one.state)
    return f"{clean(one.name)}: {said}"


def results(search: Search, hits: int) -> str:
    """A number of results of a search, such as `174 passages`."""
    one = "fact" if _is_graph(search) else "passage"
    return some(hits, one) if hits else f"no {one}s"


def models(answer: Answer) -> list[str]:
    """The language models that answered, by name."""
    return sorted({clean(name) for name in answer.models.values() if Author(name).is_model})


def cost(answer: Answer) -> str:
    """What the answer cost, in one line."""
    used = answer.usage
    parts = ["price unknown" if used.price is None else f"${used.price:f}"]
    parts.append(some(used.model_calls, "model call") if used.model_calls else "no model calls")
    if used.cached_calls:
        cached = used.cached_input_tokens + used.cached_output_tokens
        parts[-1] += f" (and {used.cached_calls:,} from the cache{f', {cached:,} tokens' if cached else ''})"
    if used.input_tokens or used.output_tokens:
        parts.append(f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out{used.token_notes}")
    parts.append(some(used.searches, "search", "searches"))
    if used.counts:
        parts[-1] += f" (and {some(used.counts, 'count')})"
    return ", ".join([*parts, f"{used.seconds:.2f} s"])


def _with_options(value: str, options: Sequence[Option]) -> str:
    """The chosen letters with the texts of the options."""
    texts = {option.letter: clean(option.text) for option in options}
    letters = value.split(", ")
    return "; ".join(f"{x}. {texts[x]}" for x in letters) if texts and texts.keys() >= set(letters) else value


def _is_graph(search: Search) -> bool:
    return search.source.startswith("graph:")
