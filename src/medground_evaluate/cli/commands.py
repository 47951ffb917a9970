"""The commands that join `medground` by the entry points `medground.commands`, under the names that stand there."""

from __future__ import annotations

from medground_evaluate.cli.agreement import agreement
from medground_evaluate.cli.compare import compare_runs
from medground_evaluate.cli.demonstrations import demonstrations_app
from medground_evaluate.cli.eval import eval_app, report
from medground_evaluate.cli.experiment import experiment_app
from medground_evaluate.cli.judge import form, judge, judge_app, judged
from medground_evaluate.cli.sets import audit, build, data_app
from medground_evaluate.cli.train import train_app

__all__ = ["agreement", "data_app", "demonstrations_app", "eval_app", "experiment_app", "judge_app", "train_app"]

eval_app.command("compare")(compare_runs)
eval_app.command("report")(report)
eval_app.command("audit")(audit)
eval_app.command("build")(build)
eval_app.command("judge")(judge)
eval_app.command("judged")(judged)
eval_app.command("form")(form)
