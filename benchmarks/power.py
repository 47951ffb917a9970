"""What is on the disk after a power failure, from the log of `failing_files.c`.

A disk promises only what was synced: the content of a file up to its last sync, and a name once its folder was synced.
Of everything else each part may be there or not. What is worse than any real file system is allowed here too.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class File:
    """A file: what is safe of its content, and the changes since, each (offset, bytes) or (size, None)."""

    safe: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)
    changed: int = 0
    """When, in ns."""

    def left(self, chance: float, dice: random.Random) -> bytes:
        """Its content, if each change since the sync reached the disk with this chance."""
        content = bytearray(self.safe)
        for at, data in self.since:
            if dice.random() >= chance:
                continue
            if data is None:
                content[at:] = bytes(max(0, at - len(content)))
            else:
                content.extend(bytes(max(0, at - len(content))))
                content[at : at + len(data)] = data
        return bytes(content)

    def synced(self) -> None:
        """Everything so far is safe."""
        self.safe, self.since = self.left(1, random.Random(0)), []


@dataclass
class Folder:
    """A folder: its names as they are, those that are safe, and the changes since, each of one or two names."""

    now: dict[str, Folder | File] = field(default_factory=dict)
    safe: dict[str, Folder | File] = field(default_factory=dict)
    since: list[dict[str, Folder | File | None]] = field(default_factory=list)
    changed: int = 0

    def change(self, names: dict[str, Folder | File | None], when: int) -> None:
        """Change names in one step."""
        _apply(self.now, names)
        self.since.append(names)
        self.changed = when

    def left(self, chance: float, dice: random.Random) -> dict[str, Folder | File]:
        """Its names, if a part of the changes reached the disk, in their order; none at 0, all at 1."""
        names = dict(self.safe)
        count = len(self.since) if chance == 1 else dice.randint(0, len(self.since)) if chance else 0
        for change in self.since[:count]:
            _apply(names, change)
        return names


def _apply(names: dict[str, Folder | File], change: dict[str, Folder | File | None]) -> None:
    for name, node in change.items():
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


class Disk:
    """A folder as a disk holds it: read it before a program runs, follow the program's log, then cut the power.

    Args:
        folder: the folder, all of whose content is safe.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, File] = {}
        self._root = self._read(folder)

    def follow(self, log: Path) -> None:
        """Make the changes that a program noted."""
        for when, (what, node, at, one, other, data) in enumerate(_events(log), 1):
            now = self._root.changed + when * 1_000_000
            if what in "WT" and not one:
                file = self._files[node]
                file.since.append((at, data if what == "W" else None))
                file.changed = now
            elif what == "T":
                self._files[node].since.append((0, None))
            elif what == "S":
                self._files[node].synced()
            elif what == "D":
                folder = self._at(Path(one))
                folder.safe, folder.since = dict(folder.now), []
            elif what in "CM":
                made = Folder(changed=now) if what == "M" else File(changed=now)
                if isinstance(made, File):
                    self._files[node] = made
                self._change(Path(one), made, now)
            elif what in "UR":
                self._change(Path(one), None, now)
            elif what == "L":
                self._change(Path(other), self._node(Path(one)), now)
            elif what == "N":
                self._rename(Path(one), Path(other), now)

    def cut(self, *, names: float, content: float, seed: int) -> None:
        """Leave in the folder what a power failure leaves there now.

        Args:
            names: 0 for only the safe names, 1 for all, otherwise a random part of the changes in each folder.
            content: the chance of each change of a file since its last sync.
            seed: of what is random.
        """
        dice = random.Random(seed)
        for path in self._folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        self._write(self._root, self._folder, names, content, dice, {})

    def _read(self, folder: Path) -> Folder:
        found = Folder(changed=folder.stat().st_mtime_ns)
        for path in folder.iterdir():
            status = path.stat()
            if path.is_dir():
                found.now[path.name] = self._read(path)
            else:
                known = self._files.get(status.st_ino) or File(path.read_bytes(), changed=status.st_mtime_ns)
                found.now[path.name] = self._files[status.st_ino] = known
        found.safe = dict(found.now)
        return found

    def _write(
        self, folder: Folder, path: Path, names: float, content: float, dice: random.Random, made: dict[int, Path]
    ) -> None:
        for name, node in sorted(folder.left(names, dice).items()):
            target = path / name
            if isinstance(node, Folder):
                target.mkdir()
                self._write(node, target, names, content, dice, made)
            elif id(node) in made:
                os.link(made[id(node)], target)
            else:
                target.write_bytes(node.left(content, dice))
                made[id(node)] = target
                os.utime(target, ns=(node.changed, node.changed))
        os.utime(path, ns=(folder.changed, folder.changed))

    def _at(self, path: Path) -> Folder:
        found = self._root if path == self._folder else self._node(path)
        assert isinstance(found, Folder), path
        return found

    def _node(self, path: Path) -> Folder | File:
        return self._at(path.parent).now[path.name]

    def _change(self, path: Path, node: Folder | File | None, when: int) -> None:
        self._at(path.parent).change({path.name: node}, when)

    def _rename(self, one: Path, other: Path, when: int) -> None:
        node = self._node(one)
        if one.parent == other.parent:
            self._at(one.parent).change({one.name: None, other.name: node}, when)
        else:
            self._change(other, node, when)
            self._change(one, None, when)


Event = tuple[str, int, int, str, str, bytes]


def _events(log: Path) -> Iterator[Event]:
    """Its lines, each with the bytes of a write, up to the first that is not whole."""
    with log.open("rb") as lines:
        for line in lines:
            what, node, at, length, one, other = line.decode().rstrip("\n").split("\t")
            data = lines.read(int(length)) if what == "W" else b""
            yield what, int(node), int(at), one, other, data
