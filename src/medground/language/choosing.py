"""Which reading of a follow-up question is meant: a softmax over its candidates, learned from conversations.

A candidate has features of itself, such as the role of the thing that it takes up and how long ago that was named, and
the features of the turn (its words, what it names, the word that points back), crossed with its form and the role of
its thing. `scripts/train_choosing.py` learns the weights.
"""

import gzip
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from typing import Any

from medground.errors import UsageError
from medground.language import words
from medground.language.conversation import MEANS, Conversation, Topic, is_common, read, topics_of
from medground.language.noun_phrases import ASKING, AUXILIARIES, Thing
from medground.language.readings import ONE, Candidate, Reading, candidates, is_elliptic, pointer

Features = Mapping[str, float]
_TOKEN = re.compile(r"<\w+>|[^\W_]+(?:['’][^\W_]+)*|[?:;,]")
_RECENT = 4
"""How many of the latest things are told apart by their places."""
_LONG, _SHORT = 12, 9
_WORD = 0.4
"""The value of a word of the turn, of which there are many more than of other features."""
_TELLING = 1.5
"""Weight of a word without which a question is about nothing."""
_SURE = 0.9
"""Share from which a question as it was typed surely begins anew."""
_SIMPLE = frozenset(("added", "pointing"))
"""Forms of a reading that takes up one thing."""
NEAR = 0.8
"""Share of the likeliest reading from which another one about a different thing is as likely: both are asked back."""


@cache
def _weights() -> Mapping[str, float]:
    stored = gzip.decompress((resources.files("medground") / "data" / "choosing.tsv.gz").read_bytes()).decode("utf-8")
    return {name: float(weight) for name, _, weight in (line.partition("\t") for line in stored.splitlines())}


class Turn:
    """A question after a conversation, as features and candidates."""

    def __init__(self, asked: str, before: Conversation) -> None:
        self.asked = asked
        self.before = before
        self.candidates = candidates(asked, before)
        self._named = topics_of(asked)
        self._pointer = pointer(asked)

    @cached_property
    def features(self) -> Features:
        """Of the turn itself."""
        from medground.language.kinds import KINDS, asked  # numpy is slow to import

        text, lower = self.asked, self.asked.casefold()
        for topic in self._named:
            text = text.replace(topic.name, f"<{topic.role}>")
        said = ["^", *(token.lower() for token in _TOKEN.findall(text)), "$"]
        found = dict.fromkeys((f"word {token}" for token in said), _WORD)
        reading = read(self.asked)
        kinds = asked(reading.without_things(reading.plain))
        found |= {f"kind {kind}": float(share) for kind, share in zip(KINDS, kinds, strict=True)}
        content = sum(words.weight(stem) for stem in words.terms(self.asked))
        roles = sorted({topic.role for topic in self._named})
        again = any(topic.name.casefold() in lower for topic in self.before.topics)
        the = any(f"the {topic.name.casefold()}" in lower for topic in self._named)
        flags = {
            "any": True,
            f"names {'+'.join(roles) or 'nothing'}": True,
            f"names {min(len(self._named), 3)}": True,
            f"points {self._pointed}": True,
            f"length {min(len(said) - 2, _LONG)}": True,
            f"long {(len(said) - 2) // 3}": True,
            "named again": again,
            "the": the,
            "begins asking": said[1] in ASKING,
            "begins closed": said[1] in AUXILIARIES,
            f"begins {' '.join(said[1:3])}": True,
            f"begins {' '.join(said[1:4])}": True,
            f"is {' '.join(said[1:-1])}": len(said) <= _SHORT,
            f"says {min(int(content / 4), 6)}": True,
        }
        found |= {name: 1.0 for name, holds in flags.items() if holds}
        found |= {f"may be {candidate.form}": 1.0 for candidate in self.candidates}
        main = next(iter(self.before.origin), None)
        near = max((self.near(topic) for topic in self.before.topics), default=0.0)
        of_main = self.near(main) if main else 0.0
        numbers = {"content": math.log1p(content), "length": math.log(len(said)), "near": near, "near main": of_main}
        return found | numbers

    def near(self, topic: Topic) -> float:
        """How near the words of the turn are to a thing by what they mean."""
        from medground.language.kinds import meaning

        return float(meaning(words.terms(topic.name)) @ self._meaning)

    @cached_property
    def _meaning(self) -> Any:
        from medground.language.kinds import meaning

        return meaning(words.terms(self.asked))

    @property
    def _pointed(self) -> str:
        """The kind of word that points back."""
        if ONE.search(self.asked):
            return "one"
        if self._pointer is None:
            return "nowhere"
        noun = self._pointer.groupdict().get("noun")
        return self._pointer["word"].lower() if not noun else "means" if MEANS.fullmatch(noun) else "noun"

    def own(self, candidate: Candidate) -> Iterator[str]:
        """The features of a candidate that are not of the turn alone."""
        yield candidate.form
        if not candidate.things:
            return
        told = list(self._of(candidate.things[0]))
        role = candidate.things[0].role
        yield from told
        for feature in told:
            yield f"{role}, {feature}"
            yield f"{self._pointed}, {feature}"
            yield f"{candidate.form}, {feature}"
        for feature in self._of(candidate.things[1]) if len(candidate.things) > 1 else ():
            yield f"second {feature}"
            yield f"{role}, second {feature}"
            yield f"{candidate.form}, second {feature}"

    def crossed(self, candidate: Candidate) -> Iterator[str]:
        """What the features of the turn are crossed with."""
        yield candidate.form
        if candidate.things:
            yield candidate.things[0].role

    def _of(self, topic: Topic) -> Iterator[str]:
        before, name = self.before, topic.name.casefold()
        names, origin = ([other.name.casefold() for other in topics] for topics in (before.topics, before.origin))
        place = names.index(name)
        alike = [other.name.casefold() for other in before.topics if other.role == topic.role]
        yield f"role {topic.role}"
        yield f"place {min(place, _RECENT)}"
        yield f"place of role {min(alike.index(name) if name in alike else 3, 3)} of {min(len(alike), 2)}"
        yield f"origin {min(origin.index(name), 3) if name in origin else 'no'} of {min(len(origin), 3)}"
        yield f"times {min(before.times(topic), 4)}"
        yield f"words {min(len(name.split()), 3)}"
        stems = words.terms(topic.name)
        yield f"weight {int(max((words.weight(stem) for stem in stems), default=0) / 2)}"
        flags = {
            "main": origin[:1] == [name],
            "begun with": name in origin,
            "carried": name in before.subject.casefold(),
            "pointed at": name in before.referent.casefold(),
            "in the former": name in before.question.casefold(),
            "in a former that is whole": name in before.question.casefold() and not (before.subject or before.referent),
            "typed": name in (before.typed or before.question).casefold(),
            "plural": Thing(topic.name).is_plural,
            "begins the former": before.question.casefold().find(name) in range(_LONG),
            "known": any(subject.heading for subject in read(topic.name).subjects),
            "plain": is_common(topic.name),
            "alone": len(before.topics) == 1,
            "named again": not set(stems).isdisjoint(words.terms(self.asked)),
            "same role": topic.role in {other.role for other in self._named},
            "no other of the role typed": topic.role not in {other.role for other in self._named},
        }
        yield from (flag for flag, holds in flags.items() if holds)

    def vector(self, candidate: Candidate) -> dict[str, float]:
        """All features of a candidate, to learn from."""
        found = dict.fromkeys(self.own(candidate), 1.0)
        for key in self.crossed(candidate):
            found |= {f"{key}: {name}": value for name, value in self.features.items()}
        return found

    def shares(self, weights: Mapping[str, float] | None = None) -> list[float]:
        """How likely each candidate is; together 1."""
        known = _weights() if weights is None else weights
        of_turn = dict[str, float]()
        scores = list[float]()
        for candidate in self.candidates:
            score = sum(known.get(name, 0.0) for name in frozenset(self.own(candidate)))
            for key in self.crossed(candidate):
                if key not in of_turn:
                    of_turn[key] = sum(known.get(f"{key}: {n}", 0.0) * v for n, v in self.features.items())
                score += of_turn[key]
            scores.append(score)
        raised = [math.exp(score - max(scores)) for score in scores]
        return [share / sum(raised) for share in raised]

    def rival(self, shares: Sequence[float]) -> Candidate | None:
        """What is nearly as likely as the likeliest candidate, and is about another thing of the same role."""
        share, best = max(zip(shares, self.candidates, strict=True), key=lambda pair: pair[0])
        for other_share, other in sorted(zip(shares, self.candidates, strict=True), key=lambda pair: -pair[0]):
            alike = other.form == best.form and len(other.things) == len(best.things) > 0
            if alike and other.things[0] != best.things[0] and other.things[0].role == best.things[0].role:
                return other if other_share >= NEAR * share else None
        return None

    def of_two(self, best: Candidate) -> tuple[str, ...]:
        """The readings on each of two diseases of the question before, where the likeliest is on one or both."""
        question, form = self.before.question, best.form.removesuffix(" to both")
        two = [topic for topic in self.before.topics if topic.role == "disease" and topic.name in question]
        if len(two) != 2 or best.things[:1] not in {(topic,) for topic in two} or form not in _SIMPLE:
            return ()
        two.sort(key=lambda topic: question.find(topic.name))
        on_one = [one for one in self.candidates if one.form == form]
        return tuple(one.reading.text for topic in two for one in on_one if one.things == (topic,))


def chosen(asked: str, before: Conversation) -> Reading:
    """The likeliest reading of a question after a conversation, or the two between which it does not tell.

    Raises UsageError: nothing in the conversation fits a question that says little by itself.
    """
    turn = Turn(asked, before)
    shares = turn.shares()
    best = turn.candidates[shares.index(max(shares))]
    is_bare = not any(words.weight(stem) >= _TELLING for stem in words.terms(asked))
    if best.form == "typed" and (is_bare or (is_elliptic(asked) and not before.topics)):
        former = before.question[:80]
        raise UsageError(f"cannot tell from “{former}” what {asked[:60]!r} is about; write the whole question")
    rival = turn.rival(shares)
    choices: tuple[str, ...] = (best.reading.text, rival.reading.text) if rival else ()
    if max(shares) < _SURE and "which" not in asked.lower():
        choices = turn.of_two(best) or choices
    return Reading(asked, choices=choices) if choices else best.reading


def begins_anew(asked: str, before: Conversation) -> bool:
    """Whether a question surely has nothing to do with the conversation: it names a thing and carries none."""
    turn = Turn(asked, before)
    return bool(topics_of(asked)) and turn.candidates[0].form == "typed" and turn.shares()[0] > _SURE
