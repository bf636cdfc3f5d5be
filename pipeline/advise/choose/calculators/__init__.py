"""The calculators: eight questions, each answered by the recommender's own estimates."""

from pipeline.advise.choose.calculators.answering import CALCULATORS, Calculator, answer, answered, ranked
from pipeline.advise.choose.calculators.card_facts import Known, known
from pipeline.advise.choose.calculators.fields import CalculatorInput
from pipeline.advise.choose.calculators.sheet import CalculatorAnswer

__all__ = [
    "CALCULATORS",
    "Calculator",
    "CalculatorAnswer",
    "CalculatorInput",
    "Known",
    "answer",
    "answered",
    "known",
    "ranked",
]
