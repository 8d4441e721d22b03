"""`python -m whileai_exp`."""

from .cli import main

raise SystemExit(main())
