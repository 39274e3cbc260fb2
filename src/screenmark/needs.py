"""What running a sample needs of a machine, for an executor that has several to choose from."""

from __future__ import annotations

import msgspec


class Needs(msgspec.Struct, frozen=True, kw_only=True):
    """What one worker holds while it runs samples.

    Attributes:
        cpus: processors, fractions allowed; a worker always has at least one.
        gpus: graphics processors, fractions allowed.
        browser: a machine on which browsers can be started.
        display: a machine with a screen of its own to draw on.
    """

    cpus: float = 0.0
    gpus: float = 0.0
    browser: bool = False
    display: bool = False

    def __or__(self, other: Needs) -> Needs:
        """The needs of a worker that does both."""
        return Needs(
            cpus=self.cpus + other.cpus,
            gpus=self.gpus + other.gpus,
            browser=self.browser or other.browser,
            display=self.display or other.display,
        )

    def resources(self) -> dict[str, float]:
        """Amounts by resource name, as a Ray cluster counts them; zeros left out."""
        amounts = {
            "CPU": max(1.0, self.cpus),
            "GPU": self.gpus,
            "browser": float(self.browser),
            "display": float(self.display),
        }
        return {name: amount for name, amount in amounts.items() if amount}
