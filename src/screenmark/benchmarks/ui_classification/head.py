"""The classifier head of the embedded fine-tuned entries: multinomial logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screenmark.errors import MissingExtra

STRENGTH = 3.0
"""Inverse of the regularisation (C), one for all tasks; not tuned on any test part."""


def predicted_labels(
    learned: NDArray[Any], labels: Sequence[str], asked: NDArray[Any]
) -> list[str]:
    """Fit to some vectors and their labels, and say what other vectors are.

    Features are standardised by the vectors that are learned from. The same input gives the same
    output.

    Args:
        learned: shape (n, d), n labels of at least two kinds.
        asked: shape (m, d).

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingExtra("a classifier head", "classify") from None
    centre = learned.mean(axis=0)
    spread = learned.std(axis=0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    # By the number of features, so that one strength suits short vectors and long ones.
    scale = spread * np.sqrt(learned.shape[1] / 16)
    head = LogisticRegression(C=STRENGTH, max_iter=1000, tol=1e-6)
    head.fit((learned - centre) / scale, np.array(labels))
    found: list[str] = head.predict((asked - centre) / scale).tolist()
    return found
