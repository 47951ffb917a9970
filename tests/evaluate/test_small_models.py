"""Training of the small models: what may be trained on, the network and its file, and a run that is cut and resumed."""

import importlib
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

SCRIPTS = Path(__file__).parents[2] / "scripts"
_WORDS = ("aspirin", "lowers", "raises", "risk", "stroke", "mice", "adults", "trial", "dose", "effect")
WORDS = st.lists(st.sampled_from(_WORDS), min_size=10)


@pytest.fixture(autouse=True, scope="module")
def _scripts() -> Iterator[None]:
    sys.path.insert(0, str(SCRIPTS))
    yield
    sys.path.remove(str(SCRIPTS))


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@settings(max_examples=10, deadline=None)
@given(WORDS, WORDS, WORDS)
def test_guard_refuses_ten_shared_words(held: list[str], before: list[str], after: list[str]) -> None:
    guard = module("pairing.guard").Guard([" ".join(held), "Aspirin does not prevent stroke."])
    assert not guard.allows("aspirin does not prevent stroke")
    assert guard.allows("Aspirin does prevent stroke.", "Aspirin does not prevent stroke in young adults.")
    assert not guard.allows("unrelated", " ".join([*before, *held[:10], *after]).upper())


def test_rows_to_measure_are_never_trained_on(shared: Path) -> None:
    people = module("pairing.people")
    names = {one.name for one in (*people.GENERAL, *people.MEDICAL)}
    assert not names & set(people.MEASURE_ONLY)
    for name, splits in people.HELD_OUT.items():
        held = [row for row in people.rows(shared, name) if people.held_out(name, row)]
        assert held and {row["split"] for row in held} == set(splits)
    for number in range(200):  # folds follow the trial through both of its sets
        same = {people.kept(s, {"group": f"{s.name}:{number}"}) for s in people.MEDICAL[:2]}
        assert len(same) == 1


# With torch


@pytest.fixture(scope="module")
def tiny() -> Mapping[str, Any]:
    """A base of six layers and size 24, with MiniLM's names."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    base = module("small.bases").BASES["all-minilm-l6-v2"]
    shapes = {"word_embeddings.weight": (50, 24), "position_embeddings.weight": (32, 24),
              "token_type_embeddings.weight": (2, 24), "LayerNorm.weight": (24,), "LayerNorm.bias": (24,)}  # fmt: skip
    weights = {f"embeddings.{name}": torch.randn(shape) * 0.5 for name, shape in shapes.items()}
    for number in range(base.layers):
        sizes = [(24, 24)] * 4 + [(48, 24), (24, 48)]
        for name, shape in zip(base.layer(number), sizes, strict=True):
            weights |= {f"{name}.weight": torch.randn(shape) * 0.2, f"{name}.bias": torch.zeros(shape[0])}
        for norm in base.norms:
            weights |= {f"encoder.layer.{number}.{norm}.weight": torch.ones(24),
                        f"encoder.layer.{number}.{norm}.bias": torch.zeros(24)}  # fmt: skip
    return {"base": base, "weights": weights}


def examples(number: int, outputs: int = 3) -> list[Any]:
    rng, made = random.Random(0), module("small.feeding").Example
    lengths = [rng.randint(4, 20) for _ in range(number)]
    target = [1.0] + [0.0] * (outputs - 1)
    return [made([rng.randrange(2, 50) for _ in range(n)], [0] * n, target, i // 4) for i, n in enumerate(lengths)]


def trainer(tiny: Mapping[str, Any], work: Path, minutes: float = 1e9) -> Any:
    import torch

    torch.manual_seed(1)
    network = module("small.network").CrossEncoder(tiny["base"], tiny["weights"], 3, rank=4, first=2, hidden=8)
    plan = module("small.feeding").batches([[e] for e in examples(96)], 0)
    training, loss = module("small.training"), module("train_critic").allowed
    schedule = training.Schedule(3e-3, minutes=minutes)
    return training.Trainer(network, plan, loss, lambda _: {}, work, schedule)


def test_the_file_gives_the_same_logits(tiny: Mapping[str, Any], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from safetensors.torch import save_file

    shipping, run = module("small.shipping"), trainer(tiny, tmp_path)
    run.run()
    save_file(tiny["weights"], tmp_path / "model.safetensors")
    shipping.write(tmp_path / "critic.safetensors", run.network, {"kind": "critic"})
    back = shipping.read(tmp_path / "critic.safetensors", tmp_path)
    batch = module("small.feeding").stacked(examples(8), 0)
    with torch.no_grad():
        one, two = (n(batch.ids, batch.segments, batch.mask) for n in (run.network, back))
    assert torch.allclose(one, two, atol=0.15) and one.std() > 0
    assert shipping.metadata(tmp_path / "critic.safetensors") == {"base": "all-minilm-l6-v2", "kind": "critic"}


def test_a_run_that_is_cut_goes_on_where_it_was(tiny: Mapping[str, Any], tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    whole = trainer(tiny, tmp_path / "whole")
    whole.run()
    part = trainer(tiny, tmp_path / "part")
    part.judge_every, steps = 1e9, part._step

    def cut() -> None:
        if part.state.batch == 3:
            raise KeyboardInterrupt
        steps()

    part._step = cut
    with pytest.raises(SystemExit):
        part.run()
    rest = trainer(tiny, tmp_path / "part")
    rest.run()
    assert rest.state.pairs == whole.state.pairs == 96
    for a, b in zip(whole.live, rest.live, strict=True):
        assert torch.equal(a, b)
