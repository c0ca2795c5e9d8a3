"""``python -m isogloss.training STEP``: the steps of training, one after the other."""

import sys

from isogloss.errors import IsoglossError
from isogloss.training.commands import main

if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except IsoglossError as error:
        sys.exit(f"error: {error}")
