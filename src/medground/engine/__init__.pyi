from medground.engine.answers import Answers as Answers
from medground.engine.engine import Engine as Engine
from medground.engine.opening import operator_names as operator_names
from medground.engine.strategy import StrategyLine as StrategyLine
