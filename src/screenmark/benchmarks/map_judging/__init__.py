"""Map judging: rendered maps scored against a rubric, beside what they really show."""
