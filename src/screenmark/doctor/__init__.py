"""What is wrong with a set-up, in words, before it costs anything."""

from screenmark.doctor.finding import Finding, Status
from screenmark.doctor.machine import check_machine
from screenmark.doctor.setup import check_setup

__all__ = ["Finding", "Status", "check_machine", "check_setup"]
