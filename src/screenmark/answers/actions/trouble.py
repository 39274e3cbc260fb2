"""What can go wrong between a dialect and the schema."""

from __future__ import annotations


class Invalid(ValueError):
    """A reply holds no valid action; the message is fit to be told to the agent."""


class CannotWrite(ValueError):
    """A dialect has no way to say an action."""
