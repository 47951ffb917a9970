"""Compares two engines that run a GGUF model, xllamacpp and openvino-genai: tokens per second and JSON output.

    python benchmarks/local_engines.py MODEL.gguf --questions pqa_l.jsonl.gz [--count 3] [--threads 2]

Runs the installed engines in turn on the same prompts: a PubMedQA abstract, a question, and an answer constrained to a
JSON schema. Input speed is prompt tokens divided by the time to the first token; output speed covers the rest. Run on
an otherwise idle machine; if that is not possible, only compare the ratio.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import importlib.util
import itertools
import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": ["yes", "no", "maybe"]},
        "sentence": {"type": "string", "maxLength": 200},
    },
    "required": ["decision", "sentence"],
    "additionalProperties": False,
}
TOKENS = 96


@dataclass(frozen=True)
class Reply:
    """One answer: tokens in and out, seconds for each, text."""

    read: int
    written: int
    reading: float
    writing: float
    text: str


Engine = Callable[[str], Reply]


@contextmanager
def xllamacpp(model: Path, threads: int) -> Iterator[Engine]:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # as Medground runs it
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx, params.n_parallel, params.verbosity = 4096, 1, -1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)

    def ask(prompt: str) -> Reply:
        body = {
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": TOKENS,
            "cache_prompt": False,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
        }
        request = urllib.request.Request(
            f"{server.listening_address}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            reply: dict[str, Any] = json.load(response)
        times = reply["timings"]
        return Reply(
            times["prompt_n"],
            times["predicted_n"],
            times["prompt_ms"] / 1e3,
            times["predicted_ms"] / 1e3,
            reply["choices"][0]["message"]["content"],
        )

    yield ask


@contextmanager
def openvino(model: Path, threads: int) -> Iterator[Engine]:
    import openvino_genai as genai

    pipeline = genai.LLMPipeline(str(model), "CPU", INFERENCE_NUM_THREADS=threads)

    def ask(prompt: str) -> Reply:
        config = genai.GenerationConfig()
        config.max_new_tokens = TOKENS
        config.structured_output_config = genai.StructuredOutputConfig(json_schema=json.dumps(SCHEMA))
        history = [{"role": "user", "content": prompt}]
        text = pipeline.get_tokenizer().apply_chat_template(history, add_generation_prompt=True)
        result = pipeline.generate([text], config)
        metrics = result.perf_metrics
        first = metrics.get_ttft().mean / 1e3
        written = metrics.get_num_generated_tokens()
        whole = metrics.get_generate_duration().mean / 1e3
        return Reply(metrics.get_num_input_tokens(), written, first, whole - first, result.texts[0])

    yield ask


ENGINES = {"xllamacpp": ("xllamacpp", xllamacpp), "openvino-genai": ("openvino_genai", openvino)}


def prompts(path: Path, count: int) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in itertools.islice(lines, count)]
    return [f"{' '.join(r['contexts'])}\n\n{r['question']} Decide, and say why in one sentence." for r in records]


def fits(text: str) -> bool:
    try:
        return set(json.loads(text)) == {"decision", "sentence"}
    except json.JSONDecodeError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--questions", type=Path, required=True, help="pqa_l.jsonl.gz: question and contexts per line")
    parser.add_argument(
        "--only", choices=list(ENGINES), help="run only this engine, so that it has the machine to itself"
    )
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    asked = prompts(options.questions, options.count)
    print(f"{'engine':<28}{'load s':>8}{'in tok/s':>10}{'out tok/s':>10}{'s/question':>12}{'valid JSON':>12}")
    for name, (module, opened) in ENGINES.items():
        if options.only not in (None, name):
            continue
        if importlib.util.find_spec(module) is None:
            print(f"{name:<28} not installed")
            continue
        start = time.perf_counter()
        with opened(options.model, options.threads) as ask:
            ask("Say yes.")
            loaded = time.perf_counter() - start
            replies = [ask(prompt) for prompt in asked]
        read, reading = sum(r.read for r in replies), sum(r.reading for r in replies)
        written, writing = sum(r.written for r in replies), sum(r.writing for r in replies)
        title = f"{name} {importlib.metadata.version(name)}"
        valid = f"{sum(fits(r.text) for r in replies)} of {len(replies)}"
        row = f"{title:<28}{loaded:>8.1f}{read / reading:>10.1f}{written / writing:>10.1f}"
        print(f"{row}{(reading + writing) / len(replies):>12.1f}{valid:>12}", flush=True)


if __name__ == "__main__":
    main()
