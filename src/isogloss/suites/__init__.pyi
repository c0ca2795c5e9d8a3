from .examples import Contender as Contender
from .examples import Suite as Suite
from .examples import read_suite as read_suite
from .judging import Accuracy as Accuracy
from .judging import accuracies as accuracies
from .judging import by_model as by_model
from .judging import by_outputs as by_outputs
from .judging import by_scores as by_scores
