from .chains import document_score as document_score
from .chains import match_chains as match_chains
from .metric import MATCHED as MATCHED
from .metric import PARTLY as PARTLY
from .metric import Cohesion as Cohesion
from .tallies import ChainTally as ChainTally
from .tallies import chain_tallies as chain_tallies
