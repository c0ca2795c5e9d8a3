from .conversion import CardDetails as CardDetails
from .conversion import convert_model as convert_model
from .conversion import export_transformer as export_transformer
