"""Agents: a loop that lets any model act in an environment."""
