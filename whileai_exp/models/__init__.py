"""Model endpoints behind one port: `connect(ref)` gives a `ports.ChatModel` for any of them."""

from .backend import Link, Secret, backends, connect

__all__ = ["Link", "Secret", "backends", "connect"]
