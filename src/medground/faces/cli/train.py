"""`medground train planner`: Source Planning Optimisation, step by step."""

from __future__ import annotations

import typer

from medground.faces.cli.train_data import explore, judge
from medground.faces.cli.train_labels import agreement, export, label
from medground.faces.cli.train_learn import dpo, merge, sft

train_app = typer.Typer(help="Train a planner of sources.", no_args_is_help=True)
planner_app = typer.Typer(
    help="Train a planner on what each query found: explore, judge, label, agreement, export, sft, dpo, merge.",
    no_args_is_help=True,
)
train_app.add_typer(planner_app, name="planner")
for command in (explore, judge, label, agreement, export, sft, dpo, merge):
    planner_app.command(command.__name__)(command)
