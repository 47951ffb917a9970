"""A cluster as the place of a corpus: its snapshots are collections, and an alias names the one that is current."""

from __future__ import annotations

import math
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from medground.corpus.manifest import Manifest
from medground.corpus.solr import schema
from medground.corpus.solr.client import Cluster
from medground.corpus.solr.filling import commit, digest_of, fill, mark_whole, put_rows
from medground.corpus.solr.store import Collection, SolrStore
from medground.corpus.store import Place, Store
from medground.errors import SnapshotCorrupt, SourceUnavailable, UsageError
from medground.values.steps import Progress, no_progress

_ALIAS, _COLLECTION = "medground-corpus-", "medground-snapshot-"
_IN_A_SHARD = 10_000_000
"""Passages."""
_COPYING = 600.0
"""Seconds."""


class SolrPlace(Place):
    """The corpus at `solr+http(s)://HOST[,HOST]/solr[/CORPUS][?shards=N&replicas=N]`. `name` is for answers.

    CORPUS may be left out where the cluster has only one, and where one is pushed under its own name.

    Raises UsageError: the address is no such address; ConfigError: the extra `services` is missing.
    """

    def __init__(self, address: str, home: Path, name: str = "") -> None:
        parts = urlsplit(address)
        path, _, corpus = parts.path.rstrip("/").rpartition("/")
        path, corpus = (path, corpus) if path else (parts.path, "")
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        if not all(key in ("shards", "replicas") and re.fullmatch("[1-9][0-9]?", n) for key, n in options.items()):
            raise UsageError("the address of a Solr cluster may end with ?shards=N&replicas=N, and with nothing else")
        if corpus and not re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", corpus):
            raise UsageError(f"{corpus[:80]!r} is not the name of a corpus; write solr+http://HOST:8983/solr/NAME")
        self._options, self._name, self._corpus = options, name, corpus
        plain = urlunsplit((parts.scheme, parts.netloc, path, "", parts.fragment))
        self._source = f"corpus:{name or corpus}" if name or corpus else parts.netloc.rpartition("@")[2]
        self._cluster = Cluster(plain, self._source)

    def state(self) -> str:
        aliases = self._aliases()
        if not self._corpus:
            if len(aliases) != 1:
                raise UsageError(f"name the corpus, as in solr+http://HOST:8983/solr/NAME; {_known(aliases)}")
            (self._corpus,) = aliases
        if self._corpus not in aliases:
            advice = "push one with `medground corpus push NAME solr+http://HOST:8983/solr`"
            raise UsageError(f"there is no corpus {self._corpus!r} in the Solr cluster, {_known(aliases)}; {advice}")
        return aliases[self._corpus]

    def info(self) -> Manifest:
        return self._whole()[1]

    def open(self, progress: Progress = no_progress) -> Store:
        rows, manifest, _ = self._whole()
        found, total = rows.counts(), manifest.counts
        if found != (total.passages, total.documents):
            raise SnapshotCorrupt(
                f"{self._source}: {found[0]:,} of {total.passages:,} passages and {found[1]:,} of "
                f"{total.documents:,} documents are there; push the corpus again"
            )
        return SolrStore(rows, manifest, self._name)

    def verify(self) -> Manifest:
        rows, manifest, digest = self._whole()
        self._verify(rows, manifest, digest, no_progress)
        return manifest

    def remove(self, *, old: bool = False) -> None:
        current = self.state()
        if not old:
            self._admin("DELETEALIAS", name=f"{_ALIAS}{self._corpus}")
        self._delete([current] if old else [], unfinished=not old)

    def ready(self, name: str) -> object:
        return self._aliases()

    def push(self, base: Store, progress: Progress = no_progress) -> Manifest:
        from medground.corpus.snapshot import Snapshot

        if not isinstance(base, Snapshot) or base.manifest.attachments:
            raise UsageError(f"corpus {base.name} is not here, or holds a graph, which Solr cannot search; use s3://")
        self._corpus = self._corpus or base.name
        before = self._aliases().get(self._corpus)
        rows = Collection(self._cluster, f"{_COLLECTION}{base.manifest.hash[:16]}-{self._corpus}")
        if rows.name not in self._collections():
            self._create(rows.name, base.manifest)
        commit(rows)
        self._await_replicas(rows)  # any of them may tell which rows there are
        whole, digest = rows.about() is not None, digest_of(base, progress)
        if not whole:
            fill(rows, base, progress)
        try:
            self._verify(rows, base.manifest, digest, progress)
        except SnapshotCorrupt:
            put_rows(rows, {"delete": {"query": "*:*"}})  # the next push begins anew
            commit(rows)
            raise
        if not whole:
            mark_whole(rows, base.manifest, digest)
            self._await_replicas(rows)
        if self._aliases().get(self._corpus) != before:
            raise UsageError(f"{self._source} was pushed by somebody else meanwhile; push again to replace it")
        self._admin("CREATEALIAS", name=f"{_ALIAS}{self._corpus}", collections=rows.name)
        self._delete([rows.name, before], unfinished=False)
        return base.manifest

    def _create(self, collection: str, manifest: Manifest) -> None:
        name, packed = schema.config_set(manifest.embedding.dimensions if manifest.embedding else None)
        if name not in self._cluster.ask("admin/configs", {"action": "LIST", "wt": "json"})["configSets"]:
            kind = {"content-type": "application/octet-stream"}
            self._cluster.ask(f"admin/configs?action=UPLOAD&name={name}&wt=json", content=packed, headers=kind)
        nodes = len(self._admin("CLUSTERSTATUS")["cluster"]["live_nodes"])
        needed = str(math.ceil(manifest.counts.passages / _IN_A_SHARD) or 1)
        # Each replica copies the files of the first one, so all give the same ranking, also of vectors.
        copies = {"nrtReplicas": "0", "tlogReplicas": self._options.get("replicas", str(min(2, nodes)))}
        shape = {"numShards": self._options.get("shards", needed), "collection.configName": name, **copies}
        self._admin("CREATE", name=collection, waitForFinalState="true", **shape)

    def _await_replicas(self, rows: Collection) -> None:
        """Wait until every replica has copied all rows. Raises SourceUnavailable: one does not within minutes."""
        end = time.monotonic() + _COPYING
        while True:
            status = self._admin("CLUSTERSTATUS", collection=rows.name)["cluster"]["collections"][rows.name]
            lagging = [name for name, shard in status["shards"].items() if len(self._held(rows, shard)) > 1]
            if not lagging:
                return
            if time.monotonic() > end:
                told = f"the replicas of {lagging[0]} of {rows.name} hold different rows; check its nodes"
                raise SourceUnavailable(told, source=self._source)
            time.sleep(0.5)

    def _held(self, rows: Collection, shard: dict[str, Any]) -> set[int]:
        """How many rows the replicas of a shard hold."""
        addresses = [f"{one['base_url'].partition('://')[2]}/{one['core']}" for one in shard["replicas"].values()]
        return {rows.select({"q": "*:*", "shards": address})["response"]["numFound"] for address in addresses}

    def _whole(self) -> tuple[Collection, Manifest, str]:
        rows = Collection(self._cluster, self.state())
        if (about := rows.about()) is None:
            raise SnapshotCorrupt(f"{self._source}: {rows.name} is not whole; push the corpus again")
        return (rows, *about)

    def _verify(self, rows: Collection, manifest: Manifest, digest: str, progress: Progress) -> None:
        """Raises SnapshotCorrupt: what is read is not what was pushed, or replicas differ."""
        self._await_replicas(rows)
        if digest_of(SolrStore(rows, manifest, self._source), progress) != digest:
            raise SnapshotCorrupt(f"{self._source} does not hold what was pushed; push the corpus again")

    def _delete(self, kept: list[str | None], *, unfinished: bool) -> None:
        for name in self._collections():
            if name not in kept and (unfinished or Collection(self._cluster, name).about()):
                self._admin("DELETE", name=name)

    def _aliases(self) -> dict[str, str]:
        """The current collection of each corpus."""
        found = dict(self._admin("LISTALIASES").get("aliases") or {})
        return {name.removeprefix(_ALIAS): found[name] for name in sorted(found) if name.startswith(_ALIAS)}

    def _collections(self) -> list[str]:
        """The collections of the corpus, whole or not."""
        own = re.compile(f"{_COLLECTION}[0-9a-f]{{16}}-{re.escape(self._corpus)}")
        return [name for name in self._admin("LIST")["collections"] if own.fullmatch(name)]

    def _admin(self, action: str, **parameters: str) -> dict[str, Any]:
        return self._cluster.ask("admin/collections", {"action": action, "wt": "json", **parameters})


def _known(aliases: dict[str, str]) -> str:
    return f"which has: {', '.join(aliases) or 'none'}"
