"""Read files in other processes, ahead of the build that stores them in their order.

Each file is a task of its own: its documents are read, marked and encoded, and wait in a file beside the build. A task
whose process was killed is done again; what is finished stays there for a build that resumes.
"""

import pickle
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NoReturn

from medground.corpus import retraction_table
from medground.corpus.readers.base import Input, Item, readable, within_limits
from medground.corpus.tables import prepared
from medground.errors import BadDocument, ConfigError
from medground.home.apart import Limits, read_apart, told
from medground.home.files import put, remove_unfinished, unfinished_in

_BATCH = 64
_ATTEMPTS = 3
_LIMITS = Limits(seconds=3600, megabytes=4000, own=True)


@dataclass(frozen=True)
class Workers:
    """Who reads: so many processes of this machine, or as many tasks at a time on the Ray cluster at an address, whose
    machines see the files and the home folder where they are here.
    """

    count: int
    ray: str | None = None

    @contextmanager
    def reading(self, inputs: Sequence[Input], folder: Path) -> Iterator[Callable[[int], Input]]:
        """What gives each input, by its place, once it has been read; the next ones are read meanwhile."""
        stopped = threading.Event()
        home = retraction_table.home()
        run = partial(_apart, stopped) if self.ray is None else _on_ray(self.ray)
        waiting: dict[int, Future[None]] = {}
        with ThreadPoolExecutor(self.count) as threads:

            def given(at: int) -> Input:
                for place in range(at, min(len(inputs), at + 2 * self.count)):
                    if place not in waiting and inputs[place].refused is None:
                        part = folder / f"{place}.read"
                        waiting[place] = threads.submit(run, partial(read_part, inputs[place], part, home), part)
                if at not in waiting:
                    return inputs[at]
                try:
                    waiting[at].result()
                except BadDocument as error:  # nothing reads it; the others are read
                    end = BadDocument(error.reason, file=inputs[at].name, passing=True)
                    return replace(inputs[at], read=partial(_ended, end), ready=True)
                (folder / f"{at - 1}.read").unlink(missing_ok=True)
                return replace(inputs[at], read=partial(_replayed, folder / f"{at}.read"), ready=True)

            try:
                yield given
                remove_unfinished(folder)  # of readers that were killed
                for part in folder.glob("*.read"):
                    part.unlink()
            finally:
                stopped.set()
                threads.shutdown(cancel_futures=True)


def read_part(source: Input, part: Path, home: Path | None) -> Iterator[int]:
    """Write to `part` what is read of an input, as it will be stored; yields now and then how much there is so far."""
    read = partial(prepared, source, home)
    found = within_limits(read, source.name, apart=True) if source.apart else told(read, source.name)
    end: BadDocument | None = None
    batch: list[Item] = []
    with unfinished_in(part.parent) as unfinished:
        with unfinished.open("wb") as file:
            try:
                with readable(Path(source.name)):
                    for done, item in enumerate(found, start=1):
                        batch.append(item)
                        if len(batch) == _BATCH:
                            pickle.dump(batch, file)
                            batch = []
                            yield done
            except BadDocument as error:
                end = error
            pickle.dump(batch, file)
            pickle.dump(end, file)
        put(unfinished, part)


def _replayed(part: Path, skip: int) -> Iterator[Item]:
    def items() -> Iterator[Item]:
        with part.open("rb") as file:
            while isinstance(batch := pickle.load(file), list):  # noqa: S301 written by our own process
                yield from batch
        if batch is not None:
            raise batch

    return islice(items(), skip, None)


def _ended(error: BadDocument, skip: int) -> NoReturn:
    raise error


def _apart(stopped: threading.Event, read: Callable[[], Iterator[int]], part: Path) -> None:
    """Run a task in another process of this machine, unless it was done before."""
    for attempt in range(1, _ATTEMPTS + 1):
        if part.exists() or stopped.is_set():
            return
        try:
            for _ in read_apart(read, part.name, _LIMITS):
                if stopped.is_set():
                    return
        except BadDocument:
            if attempt == _ATTEMPTS:
                raise


def _on_ray(address: str) -> Callable[[Callable[[], Iterator[int]], Path], None]:
    """Run tasks on a Ray cluster, which does a task again whose process was killed; `local` starts one here."""
    try:
        import ray
    except ImportError:
        raise ConfigError('building with Ray needs the extra "ray"; run: pip install "medground[ray]"') from None
    ray.init(None if address == "local" else address, ignore_reinit_error=True, log_to_driver=False)
    remote = ray.remote(_whole)

    def run(read: Callable[[], Iterator[int]], part: Path) -> None:
        if not part.exists():
            ray.get(remote.remote(read))

    return run


def _whole(read: Callable[[], Iterator[int]]) -> None:
    for _ in read():
        pass
