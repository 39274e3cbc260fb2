"""UI components: by what is said of them (RefExp), and by a component that is like them (AppSim).

Both are UIBert's. A benchmark is a subclass of `Retrieval`, which asks, reads and scores.
"""

from __future__ import annotations

from screenmark.benchmarks.ui_components.appsim import AppSimRico, AppSimWeb
from screenmark.benchmarks.ui_components.refexp import RefExp, UIComponentsOptions

__all__ = ["AppSimRico", "AppSimWeb", "RefExp", "UIComponentsOptions"]
