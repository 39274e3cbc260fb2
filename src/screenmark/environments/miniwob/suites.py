"""Which pages stand for the others: forty with solutions, and some of these for a first look."""

from __future__ import annotations

from typing import Final

SUBSET: Final = (
    *("buy-ticket", "choose-list", "click-button", "click-button-sequence", "click-checkboxes"),
    *("click-collapsible-2", "click-color", "click-dialog", "click-dialog-2", "click-link"),
    *("click-option", "click-shades", "click-tab", "click-tab-2", "click-test", "click-widget"),
    *("copy-paste", "drag-box", "email-inbox-delete", "email-inbox-important", "enter-date"),
    *("enter-password", "enter-text", "enter-text-2", "enter-time", "find-word", "focus-text-2"),
    *("form-sequence-2", "grid-coordinate", "guess-number", "highlight-text", "login-user"),
    *("navigate-tree", "odd-or-even", "read-table", "simple-algebra", "simple-arithmetic"),
    *("use-autocomplete", "use-spinner", "visual-addition"),
)
"""Pages of L3: one of each kind, with a solution."""

LITE: Final = (
    *("choose-list", "click-button", "click-checkboxes", "click-dialog-2", "click-link"),
    *("click-tab-2", "copy-paste", "drag-box", "email-inbox-delete", "enter-date"),
    *("enter-text", "login-user", "navigate-tree", "read-table", "simple-arithmetic"),
)
