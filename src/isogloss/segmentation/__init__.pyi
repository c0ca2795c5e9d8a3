from .collections import split as split
from .cutting import Segmenter as Segmenter
from .cutting import segmenter as segmenter
from .sentences import sentence_places as sentence_places
