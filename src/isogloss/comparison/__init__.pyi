from .ranking import compare as compare
from .result import Blocks as Blocks
from .result import Comparison as Comparison
from .result import ComparisonSettings as ComparisonSettings
from .result import PairTest as PairTest
from .result import Standing as Standing
from .result import Test as Test
