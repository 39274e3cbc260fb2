"""Map judging: rendered maps scored against a rubric, beside checks of what they show (GIS-Bench)."""
