"""A cluster as the place of a corpus: its snapshots are collections, and an alias names the one that is current."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from medground.corpus.manifest import Manifest
from medground.corpus.solr import schema
from medground.corpus.solr.client import Cluster
from medground.corpus.solr.filling import commit, fill, mark_whole, pieces_of, put_rows
from medground.corpus.solr.store import Collection, SolrStore
from medground.corpus.store import Place, Store, digest_of
from medground.errors import SnapshotCorrupt, SourceUnavailable, UsageError
from medground.values.steps import Progress, no_progress

if TYPE_CHECKING:
    from medground.corpus.snapshot import Snapshot

_ALIAS, _COLLECTION = "medground-corpus-", "medground-snapshot-"
_IN_A_SHARD = 10_000_000
"""Passages."""
_COPYING = 600.0
"""Seconds."""
_REPLACED, _READ, _PUSHED = "property.replaced", 3600.0, 86_400.0
"""When a collection was replaced; seconds for which it is still read, and after which a push has been given up."""


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
        self._cache = home / "cache" / "corpora" / hashlib.sha256(f"{plain}/{corpus}".encode()).hexdigest()[:16]

    def state(self) -> str:
        aliases = self._aliases()
        known = ", ".join(aliases) or "none"
        if not self._corpus:
            if len(aliases) != 1:
                raise UsageError(f"name the corpus, as in solr+http://HOST:8983/solr/NAME; the cluster has: {known}")
            (self._corpus,) = aliases
        if self._corpus not in aliases:
            advice = f"{known}; push one with `medground corpus push NAME solr+http://HOST:8983/solr`"
            raise UsageError(f"there is no corpus {self._corpus!r} in the Solr cluster, which has: {advice}")
        return aliases[self._corpus]

    def info(self) -> Manifest:
        return self._whole()[1]

    def open(self, progress: Progress = no_progress) -> Store:
        rows, manifest, _ = self._whole()
        total = (manifest.counts.passages, manifest.counts.documents, len(pieces_of(manifest)))
        for what, found, wanted in zip(("passages", "documents", "pieces of files"), rows.counts(), total, strict=True):
            if found != wanted:
                raise SnapshotCorrupt(f"{self._source} has {found:,} of {wanted:,} {what}; push the corpus again")
        return SolrStore(rows, manifest, self._cache, self._name)

    def verify(self) -> Manifest:
        rows, manifest, digest = self._whole()
        self._verify(rows, manifest, digest, no_progress)
        return manifest

    def remove(self, *, old: bool = False) -> None:
        if old or not self._corpus or not self._collections():
            current = self.state()
        if old:
            self._remove_old(current, unfinished=True)
        else:
            self._admin("DELETEALIAS", name=f"{_ALIAS}{self._corpus}")  # from here on the corpus is gone
            for name in self._collections():
                self._admin("DELETE", name=name)
            self.forget()

    def forget(self) -> None:
        shutil.rmtree(self._cache, ignore_errors=True)

    def ready(self, name: str) -> str | None:
        """The collection that is current, if any."""
        before = self._aliases().get(self._corpus or name)
        there = Collection(self._cluster, before).about() if before else None
        if there and there[0].name != name:
            raise UsageError(f"{self._source} holds the corpus {there[0].name}; push yours as .../solr/ANOTHER-NAME")
        return before

    def push(self, base: Snapshot, progress: Progress = no_progress) -> Manifest:
        before, self._corpus = self.ready(base.manifest.name), self._corpus or base.name
        rows = Collection(self._cluster, f"{_COLLECTION}{base.manifest.hash[:16]}-{self._corpus}")
        if rows.name not in self._collections():
            self._create(rows.name, base.manifest)
        self._admin("MODIFYCOLLECTION", collection=rows.name, **{_REPLACED: ""})
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
        if before not in (None, rows.name):
            self._admin("MODIFYCOLLECTION", collection=before, **{_REPLACED: str(int(time.time()))})
        self._admin("CREATEALIAS", name=f"{_ALIAS}{self._corpus}", collections=rows.name)
        self._remove_old(rows.name)
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
            status = self._admin("CLUSTERSTATUS", collection=rows.name)["cluster"]
            shards, live = status["collections"][rows.name]["shards"], status["live_nodes"]
            lagging = [name for name, shard in shards.items() if len(self._held(rows, shard, live)) > 1]
            if not lagging:
                return
            if time.monotonic() > end:
                raise SourceUnavailable(f"replicas of {rows.name} differ; check its nodes", source=self._source)
            time.sleep(0.5)

    def _held(self, rows: Collection, shard: dict[str, Any], live: list[str]) -> set[int]:
        """How many rows the replicas of a shard hold. Those on a node that has gone are not asked."""
        replicas = [one for one in shard["replicas"].values() if one["node_name"] in live]
        addresses = [f"{replica['base_url'].partition('://')[2]}/{replica['core']}" for replica in replicas]
        return {rows.select({"q": "*:*", "shards": address})["response"]["numFound"] for address in addresses}

    def _whole(self) -> tuple[Collection, Manifest, str]:
        rows = Collection(self._cluster, self.state())
        if (about := rows.about()) is None:
            raise SnapshotCorrupt(f"{self._source}: {rows.name} is not whole; push the corpus again")
        return (rows, *about)

    def _verify(self, rows: Collection, manifest: Manifest, digest: str, progress: Progress) -> None:
        """Raises SnapshotCorrupt: what is read is not what was pushed, or replicas differ."""
        self._await_replicas(rows)
        if digest_of(SolrStore(rows, manifest, self._cache, self._source), progress) != digest:
            raise SnapshotCorrupt(f"{self._source} does not hold what was pushed; push the corpus again")
        for name in manifest.attachments:
            for _ in rows.file(name, manifest.files[name]):
                pass  # compared at the end

    def _remove_old(self, current: str, *, unfinished: bool = False) -> None:
        now = time.time()
        for name, about in self._collections().items():
            replaced, begun = float(about.get(_REPLACED, now)), about.get("creationTimeMillis", now * 1000) / 1000
            is_old = now - replaced > _READ or (unfinished and _REPLACED not in about and now - begun > _PUSHED)
            if name != current and is_old:
                self._admin("DELETE", name=name)

    def _aliases(self) -> dict[str, str]:
        """The current collection of each corpus."""
        found = dict(self._admin("LISTALIASES").get("aliases") or {})
        return {name.removeprefix(_ALIAS): found[name] for name in sorted(found) if name.startswith(_ALIAS)}

    def _collections(self) -> dict[str, dict[str, Any]]:
        """The collections of the corpus, whole or not, each with its properties."""
        own = re.compile(f"{_COLLECTION}[0-9a-f]{{16}}-{re.escape(self._corpus)}")
        found = self._admin("CLUSTERSTATUS")["cluster"]["collections"]
        return {name: about for name, about in found.items() if own.fullmatch(name)}

    def _admin(self, action: str, **parameters: str) -> dict[str, Any]:
        return self._cluster.ask("admin/collections", {"action": action, "wt": "json", **parameters})
