"""From rows to something a trainer loads."""

from .dataset import export_dataset, training_rows
from .publish import push_rows

__all__ = ["export_dataset", "push_rows", "training_rows"]
