"""UIBert's tasks of classification: sync, icons, app types; on stand-ins, or on your own labels."""

from screenmark.benchmarks.ui_classification.tasks import AppType, IconCoarse, IconFine, Sync

__all__ = ["AppType", "IconCoarse", "IconFine", "Sync"]
