"""MiniWoB++: small pages with a task each, from the Python package ``miniwob``."""

from screenmark.environments.miniwob.pages import UNSTEADY, page_names
from screenmark.environments.miniwob.world import MiniWob, MiniWobEnvironment

__all__ = ["UNSTEADY", "MiniWob", "MiniWobEnvironment", "page_names"]
