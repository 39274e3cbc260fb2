"""What is wrong with a set-up, in words, before it costs anything."""

from screenmark.doctor.endpoint import check_endpoint
from screenmark.doctor.finding import Finding, Status
from screenmark.doctor.machine import check_machine
from screenmark.doctor.setup import check_setup, look_at, look_at_model

__all__ = [
    "Finding",
    "Status",
    "check_endpoint",
    "check_machine",
    "check_setup",
    "look_at",
    "look_at_model",
]
