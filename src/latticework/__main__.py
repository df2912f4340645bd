"""``python -m latticework`` is the command `latticework`."""

from .cli import main

if __name__ == "__main__":
    main()
