"""What vendors' error bodies say beyond their status, by the codes that their references list."""

from __future__ import annotations

import re
from typing import Final

_NO_CREDIT: Final = re.compile(
    r"\binsufficient_quota\b|\bbilling_error\b|\bbilling_hard_limit_reached\b|"  # OpenAI, Anthropic
    r"\bArrearage\b|\bAccountOverdue|"  # DashScope, Volcengine
    r"[\"']code[\"']\s*:\s*[\"']1113[\"']"  # Zhipu
)
_WITHHELD: Final = re.compile(
    r"\bcontent_filter\b|\bcontent_policy_violation\b|"  # OpenAI, Azure
    r"blocked by content filtering policy|"  # Anthropic
    r"\bdata_?inspection_?failed\b|"  # DashScope
    r"\bSensitiveContentDetected\b|"  # Volcengine
    r"[\"']code[\"']\s*:\s*[\"']1301[\"']",  # Zhipu
    re.IGNORECASE,
)


def says_no_credit(status: int, body: str) -> bool:
    """Whether the account cannot pay, so that no request of it gets an answer."""
    return status == 402 or (status in {400, 403, 429} and bool(_NO_CREDIT.search(body)))


def says_withheld(status: int, body: str) -> bool:
    """Whether a filter of the service kept the answer back: a policy, not a fault."""
    return status in {400, 403} and bool(_WITHHELD.search(body))
