"""Element grounding: where on the screen to click for an instruction.

MMBench-GUI L2, ScreenSpot, ScreenSpot-v2, ScreenSpot-Pro and OSWorld-G differ in how their
annotations are written and broken down; what is asked, read and scored is the same.
"""

from screenmark.benchmarks.element_grounding.benchmark import ElementGrounding, GroundingOptions
from screenmark.benchmarks.element_grounding.mmbench_l2 import MMBenchL2
from screenmark.benchmarks.element_grounding.osworld_g import OSWorldG
from screenmark.benchmarks.element_grounding.screenspot import (
    ScreenSpot,
    ScreenSpotPro,
    ScreenSpotV2,
)

__all__ = [
    "ElementGrounding",
    "GroundingOptions",
    "MMBenchL2",
    "OSWorldG",
    "ScreenSpot",
    "ScreenSpotPro",
    "ScreenSpotV2",
]
