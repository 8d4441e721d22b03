"""Model endpoints behind one port: `connect(ref)` gives a `ports.ChatModel` for any of them."""

from .backend import Link, Secret, backends, connect, warm_up
from .meter import Meter, Price, metered

__all__ = ["Link", "Meter", "Price", "Secret", "backends", "connect", "metered", "warm_up"]
