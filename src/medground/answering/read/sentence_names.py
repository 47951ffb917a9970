"""Ids under which a model sees documents and their sentences: each keeps its own for a whole run."""

from collections.abc import Iterator, Mapping

TextSpan = tuple[str, int, int]
"""Document id and the offsets of a sentence in its text."""


class SentenceNames(Mapping[str, TextSpan]):
    """The places of sentences by their ids: `P7.S12` is a sentence of the seventh document that was shown.

    An id never stands for another sentence, however often and in whatever order documents are read.
    """

    def __init__(self) -> None:
        self._documents: dict[str, str] = {}
        self._sentences: dict[TextSpan, str] = {}
        self._places: dict[str, TextSpan] = {}
        self._counts: dict[str, int] = {}

    def __getitem__(self, sentence: str) -> TextSpan:
        return self._places[sentence]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def of_document(self, document_id: str) -> str:
        """The id of a document, such as `P7`."""
        return self._documents.setdefault(document_id, f"P{len(self._documents) + 1}")

    def of_sentence(self, document_id: str, start: int, end: int) -> str:
        """The id of a sentence, such as `P7.S12`."""
        place = document_id, start, end
        if place not in self._sentences:
            self._counts[document_id] = self._counts.get(document_id, 0) + 1
            name = f"{self.of_document(document_id)}.S{self._counts[document_id]}"
            self._sentences[place], self._places[name] = name, place
        return self._sentences[place]

    def before(self, sentence: str) -> TextSpan | None:
        """The place of the nearest sentence before one in the same document; None if no such sentence has an id."""
        document, start, _ = self._places[sentence]
        earlier = (place for place in self._sentences if place[0] == document and place[2] <= start)
        return max(earlier, key=lambda place: place[2], default=None)
