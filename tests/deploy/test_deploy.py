"""The files of `deploy/`: forms that their tools take, settings that there are, and one name for each thing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import compose_spec.compose_spec as compose
import kubernetes_validate
import pytest
import small_service
import yaml
from postgres import PASSWORD, Server, postgres  # noqa: F401
from small_service import QUESTION, answered

from medground.faces.service.accounts import Tokens
from medground.faces.service.records import Records, url_of
from medground.faces.service.request import AskBody
from medground.faces.service.service import Service
from medground.home.settings import Settings

papers = small_service.papers

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"


def kubernetes() -> dict[str, dict[str, Any]]:
    return {one["kind"]: one for one in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text())}


def composed() -> tuple[str, dict[str, Any]]:
    """The compose file where every variable has its default, or else `x`."""
    text = (DEPLOY / "compose.yaml").read_text()
    whole = re.sub(r"\$\{\w+(?::([-?])([^}]*))?\}", lambda found: found[2] if found[1] == "-" else "x", text)
    return whole, yaml.safe_load(whole)


def test_kubernetes_takes_every_part_and_a_wrong_one_would_be_seen() -> None:
    parts = kubernetes()
    for part in (*parts.values(), yaml.safe_load((DEPLOY / "admin.yaml").read_text())):
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
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    port = re.search(r'"--port", "(\d+)"', dockerfile)
    assert port is not None and f"EXPOSE {port[1]}" in dockerfile and f":{port[1]}/readyz" in dockerfile
    assert pod["containers"][0]["ports"][0]["containerPort"] == int(port[1])
    user = re.search(r"^USER (\d+):", dockerfile, re.M)
    assert user is not None and pod["securityContext"]["runAsUser"] == int(user[1]) != 0
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    installed = re.search(r'"\.\[(.*)\]"', (DEPLOY / "install.sh").read_text())
    assert installed is not None and set(installed[1].split(",")) <= set(extras)
    copied = (ROOT / name for line in re.findall(r"^COPY (?!--)(.*) \S+$", dockerfile, re.M) for name in line.split())
    assert all(path.exists() for path in copied)


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
