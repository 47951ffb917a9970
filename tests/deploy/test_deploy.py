"""The files of `deploy/`: forms that their tools take, settings that there are, and one name for each thing."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import compose_spec.compose_spec as compose
import httpx2
import kubernetes_validate
import pytest
import small_service
import yaml
from live_server import serving
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from postgres import PASSWORD, Server, postgres  # noqa: F401
from small_service import QUESTION, answered, tokens_of

from medground.errors import ConfigError
from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records, url_of
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.home.settings import Settings
from medground.version import __version__

papers = small_service.papers

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def kubernetes(*names: str) -> dict[str, dict[str, Any]]:
    """The parts of manifests by their kind; those of the servers alone if none is named."""
    files = [DEPLOY / f"{name}.yaml" for name in names or ("kubernetes",)]
    return {one["kind"]: one for file in files for one in yaml.safe_load_all(file.read_text())}


def composed() -> tuple[str, dict[str, Any]]:
    """The compose file where every variable has its default, or else `x`."""
    text = (DEPLOY / "compose.yaml").read_text()
    whole = re.sub(r"\$\{\w+(?::([-?])([^}]*))?\}", lambda found: found[2] if found[1] == "-" else "x", text)
    return whole, yaml.safe_load(whole)


def test_kubernetes_takes_every_part_and_a_wrong_one_would_be_seen() -> None:
    parts = kubernetes("kubernetes", "admin", "ingress", "network")
    assert len(parts) == 9
    for part in parts.values():
        kubernetes_validate.validate(part, "1.31", strict=True)
    parts["Deployment"]["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(parts["Deployment"], "1.31", strict=True)


def test_compose_takes_the_file_and_a_wrong_one_would_be_seen() -> None:
    text, parts = composed()
    assert set(compose.PyCompose.from_yaml(text).services or {}) == set(parts["services"])
    with pytest.raises(ValueError, match="restarts"):
        compose.PyCompose.from_yaml(text.replace("restart: ", "restarts: "))


def test_what_is_deployed_is_what_the_server_knows(home: Path) -> None:
    parts, (_, services) = kubernetes(), composed()
    pod = parts["Deployment"]["spec"]["template"]["spec"]
    for given in (
        {**parts["Secret"]["stringData"], **parts["ConfigMap"]["data"]},
        services["services"]["medground"]["environment"],
    ):
        settings = Settings.load(environ={"MEDGROUND_HOME": str(home), **given})
        address = url_of(settings)
        assert address is not None and address.password and settings.serve.hosts
    assert services["services"]["medground"]["image"] == f"medground:{__version__}"
    assert pod["containers"][0]["image"] == f"medground:{__version__}"
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    port = re.search(r'"--port", "(\d+)"', dockerfile)
    assert port is not None and f"EXPOSE {port[1]}" in dockerfile and f":{port[1]}/readyz" in dockerfile
    assert pod["containers"][0]["ports"][0]["containerPort"] == int(port[1])
    user = re.search(r"^USER (\d+):", dockerfile, re.M)
    assert user is not None and pod["securityContext"]["runAsUser"] == int(user[1]) != 0
    copied = (ROOT / name for line in re.findall(r"^COPY (?!--)(.*) \S+$", dockerfile, re.M) for name in line.split())
    assert all(path.exists() for path in copied)


def test_the_image_has_hashes_for_all_that_it_installs_and_the_extra_for_traces() -> None:
    lock = (DEPLOY / "image.lock").read_text()
    packages = re.split(r"^(?=[a-z0-9])", lock, flags=re.M)[1:]
    assert [package for package in packages if "--hash=sha256:" not in package] == []
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set(re.findall(r"--extra (\w+)", (ROOT / "scripts" / "lock.sh").read_text())) - {"test"}
    assert {"otlp", "group", "mcp", "models"} <= named <= set(extras)
    wanted = {canonicalize_name(Requirement(one).name) for extra in named for one in extras[extra]} - {"medground"}
    assert wanted - {package.partition("==")[0] for package in packages} == set()
    for line in re.findall(r'^"\$.*pip" (?:install|wheel) .*$', (DEPLOY / "install.sh").read_text(), re.M):
        checked = "--require-hashes" in line or "--no-index" in line  # what the line before it has checked
        assert "--no-deps" in line and (checked or line.endswith(" .")), line


def test_the_parts_of_the_cluster_fit_together() -> None:
    parts = kubernetes("kubernetes", "ingress", "network", "servicemonitor", "admin")
    pod, service = parts["Deployment"]["spec"]["template"], parts["Service"]
    labels = pod["metadata"]["labels"]
    ports = {port["name"]: port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]}
    assert service["spec"]["selector"].items() <= labels.items()
    offered = {port["name"]: port["targetPort"] for port in service["spec"]["ports"]}
    assert set(offered.values()) <= set(ports)
    monitor = parts["ServiceMonitor"]
    assert (monitor["apiVersion"], set(monitor)) == (
        "monitoring.coreos.com/v1",
        {"apiVersion", "kind", "metadata", "spec"},
    )
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert [(one["port"], one["path"]) for one in monitor["spec"]["endpoints"]] == [("metrics", "/metrics")]
    [rule] = parts["Ingress"]["spec"]["rules"]
    assert rule["host"] == parts["ConfigMap"]["data"]["MEDGROUND_SERVE__HOSTS"]
    assert [tls["hosts"] for tls in parts["Ingress"]["spec"]["tls"]] == [[rule["host"]]]
    [path] = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": service["metadata"]["name"], "port": {"name": "http"}}
    policy = parts["NetworkPolicy"]["spec"]
    [chosen] = policy["podSelector"]["matchExpressions"]
    assert chosen["key"] == "app"
    assert set(chosen["values"]) == {labels["app"], parts["Pod"]["metadata"]["labels"]["app"]}
    assert [port["port"] for one in policy["ingress"] for port in one["ports"]] == ["http", "metrics"]
    assert all(one["from"] for one in policy["ingress"])
    state = url_of(Settings.load(environ=parts["ConfigMap"]["data"] | parts["Secret"]["stringData"]))
    assert state is not None and state.port in [port["port"] for one in policy["egress"] for port in one["ports"]]


def test_variables_of_the_service_are_not_taken_for_settings(home: Path) -> None:
    linked = {"MEDGROUND_HOME": str(home), "MEDGROUND_SERVICE_HOST": "10.0.0.1", "MEDGROUND_PORT": "tcp://10.0.0.1:80"}
    with pytest.raises(ConfigError, match="is not a setting"):  # as Kubernetes sets them for a service `medground`
        Settings.load(environ=linked)
    parts = kubernetes("kubernetes", "admin")
    assert parts["Pod"]["spec"]["enableServiceLinks"] is False
    assert parts["Deployment"]["spec"]["template"]["spec"]["enableServiceLinks"] is False


SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? [0-9.e+-]+$", re.M)
USED = re.compile(r"(medground_\w+)(?:\{([^}]*)\})?")


@pytest.fixture
def scraped(papers: Settings, loopback: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """What Prometheus reads of a server that was asked, at the port and path that the annotations of its pod name."""
    pod = kubernetes()["Deployment"]["spec"]["template"]
    told = {name.partition("/")[2]: value for name, value in pod["metadata"]["annotations"].items()}
    given = kubernetes()["ConfigMap"]["data"]
    assert told["scrape"] == "true" and told["port"] == given["MEDGROUND_SERVE__METRICS_PORT"]
    assert int(told["port"]) in [port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]  # in place of the pod's port, which another test may use
    environment = given | {"MEDGROUND_SERVE__METRICS_PORT": str(port), "MEDGROUND_RETRIEVAL__CORPORA": "papers"}
    del environment["MEDGROUND_SERVE__STATE"]  # the file instead of a database
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with tokens_of(papers.home) as tokens:
        known = {"Authorization": f"Bearer {tokens.create('ada')}"}
    with serving("--no-browser", "--host", "0.0.0.0", command="web") as (_, address):  # as in the image
        main = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.post(f"{main}/v1/ask", json={"question": QUESTION}, headers=known, timeout=60).status_code == 200
        assert httpx2.get(f"{main}/metrics").status_code == 401  # people reach this address
        read = httpx2.get(f"http://127.0.0.1:{port}{told['path']}")
        assert httpx2.get(f"http://127.0.0.1:{port}/v1/answers").status_code == 404  # nothing else is there
    assert (read.status_code, read.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return read.text


@pytest.mark.slow
def test_prometheus_reads_figures_and_the_dashboard_shows_no_others(scraped: str) -> None:
    lines = [line for line in scraped.splitlines() if not line.startswith("#")]
    samples = SAMPLE.findall(scraped)
    assert len(samples) == len(lines)
    labels: dict[str, set[str]] = {}
    for name, told in samples:
        labels.setdefault(name, set()).update(re.findall(r'(\w+)="', told))
    assert ("medground_requests_total", 'method="POST",route="/v1/ask",status="200"') in samples
    board = json.loads((DEPLOY / "grafana.json").read_text())
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len(shown) >= 8
    for expression in shown:
        used = USED.findall(expression)
        assert used
        for name, told in used:
            assert name in labels, expression
            grouped = [word for group in re.findall(r"by \(([^)]*)\)", expression) for word in group.split(", ")]
            assert {*re.findall(r"(\w+)[=!]", told), *grouped} <= labels[name], expression
    for panel in board["panels"]:
        for target in panel["targets"]:
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= set(
                re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", target["expr"])))
            )


@pytest.mark.slow
async def test_a_backup_of_a_server_at_work_is_restored(papers: Settings, tmp_path: Path, postgres: Server) -> None:  # noqa: F811
    group, copy, dump = papers.with_options(postgres.options()), tmp_path / "copy", tmp_path / "dump.sql"
    with closing(Records.from_settings(group)) as records:
        secret = Tokens(records).create("ada")

    def client(name: str, *words: str) -> None:
        command = [str(postgres.binaries / name), "-h", str(postgres.folder), "-U", "postgres", *words]
        subprocess.run(command, check=True, env={**os.environ, "PGPASSWORD": PASSWORD}, stdout=subprocess.DEVNULL)

    async with Service.open(group) as service:
        ada = await service.who(secret)
        answer = await answered(service, AskBody(question=QUESTION), ada)
        at_work = await service.start(AskBody(question=QUESTION), ada)
        shutil.copytree(papers.home, copy, ignore=lambda folder, names: {"service"} & set(names))
        client("pg_dump", "-d", str(group.serve.state).partition("@/")[2].partition("?")[0], "-f", str(dump))
        await at_work.outcome()
        later = await answered(service, AskBody(question="Do fins regenerate?"), ada)
    restored = group.with_options({**postgres.options(), "home": copy})
    client("psql", "-q", "-d", str(restored.serve.state).partition("@/")[2].partition("?")[0], "-f", str(dump))
    async with Service.open(restored) as service:
        ada = await service.who(secret)
        assert await service.answer(answer.trace_id, ada) == answer
        assert later.trace_id not in {one.trace_id for one in await service.history(ada)}
        assert (await answered(service, AskBody(question=QUESTION), ada)).evidence == answer.evidence
