"""The commands that join `medground` by the entry points `medground.commands`, under the names that stand there."""

from __future__ import annotations

from medground.faces.cli.agreement import agreement
from medground.faces.cli.data import data_app
from medground.faces.cli.demonstrations import demonstrations_app
from medground.faces.cli.eval import eval_app
from medground.faces.cli.eval_audit import audit
from medground.faces.cli.eval_build import build
from medground.faces.cli.eval_compare import compare_runs
from medground.faces.cli.eval_judge import form, judge, judged
from medground.faces.cli.eval_report import report
from medground.faces.cli.experiment import experiment_app
from medground.faces.cli.judge import judge_app
from medground.faces.cli.train import train_app

__all__ = ["agreement", "data_app", "demonstrations_app", "eval_app", "experiment_app", "judge_app", "train_app"]

eval_app.command("compare")(compare_runs)
eval_app.command("report")(report)
eval_app.command("audit")(audit)
eval_app.command("build")(build)
eval_app.command("judge")(judge)
eval_app.command("judged")(judged)
eval_app.command("form")(form)
