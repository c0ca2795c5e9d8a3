from .chains import document_score as document_score
from .chains import match_chains as match_chains
from .metric import MATCHED as MATCHED
from .metric import PARTLY as PARTLY
