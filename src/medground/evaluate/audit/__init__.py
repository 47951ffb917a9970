"""Audits of a benchmark: how well it can be answered without reading any evidence."""

from medground.evaluate.audit.base import Audit, Baseline, Figure
from medground.evaluate.audit.report import audit, best_blind

__all__ = ["Audit", "Baseline", "Figure", "audit", "best_blind"]
