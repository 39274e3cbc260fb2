import pytest
from hypothesis import given
from hypothesis import strategies as st

from screenmark.answers import strip_thinking


@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        ("[1]", "[1]", ""),
        ("<think>hm</think>\n[1]", "[1]", "hm"),
        ("<THINKING>hm</Thinking>[1]", "[1]", "hm"),
        ("<reasoning>\na\n</reasoning>[1]", "[1]", "a"),
        ("<thought>a</thought>[1]", "[1]", "a"),
        ("◁think▷a◁/think▷[1]", "[1]", "a"),
        ("[THINK]a[/THINK][1]", "[1]", "a"),
        ("<think></think>[1]", "[1]", ""),
        ("<think>a</think>x<think>b</think>y", "xy", "a\nb"),
        ("<think>a</think>x<reasoning>b</reasoning>y", "xy", "a\nb"),
        ("it starts\n</think>\n[1]", "[1]", "it starts"),
        ("a<think>b</think>c", "ac", "b"),
        ("<think>first </thinking> then</think>[1]", "[1]", "first </thinking> then"),
        ("<think>a <think> b</think>[1]", "[1]", "a <think> b"),
        ('{"description": "<think> tag"}', '{"description": "<think> tag"}', ""),
        ('{"a": "x </think> y"}', '{"a": "x </think> y"}', ""),
        ('{"a": "say \\"<think>"}', '{"a": "say \\"<think>"}', ""),
        ('a 12" screen\n<think>b</think>[1]', 'a 12" screen\n[1]', "b"),
        ("<thinker>a</thinker>", "<thinker>a</thinker>", ""),
    ],
    ids=[
        "none",
        "think",
        "any-case",
        "reasoning",
        "thought",
        "kimi",
        "mistral",
        "empty-block",
        "two-blocks",
        "two-kinds",
        "opening-swallowed",
        "in-the-middle",
        "other-closing-tag-inside",
        "opening-tag-inside",
        "inside-a-string",
        "closing-inside-a-string",
        "behind-an-escaped-quote",
        "odd-quote-on-an-earlier-line",
        "not-a-tag",
    ],
)
def test_strip(reply: str, text: str, reasoning: str) -> None:
    stripped = strip_thinking(reply)
    assert (stripped.text, stripped.reasoning, stripped.closed) == (text, reasoning, True)
    assert stripped.removed == (text != reply)


@pytest.mark.parametrize(
    ("reply", "text", "reasoning"),
    [
        ("<think>and then [1", "", "and then [1"),
        ("[1]<think>more", "[1]", "more"),
        ("<think>a</think>[1]◁think▷b </think>", "[1]", "a\nb </think>"),
    ],
    ids=["from-the-start", "after-an-answer", "closed-by-another-kind"],
)
def test_unclosed(reply: str, text: str, reasoning: str) -> None:
    stripped = strip_thinking(reply)
    assert (stripped.text, stripped.reasoning, stripped.closed) == (text, reasoning, False)


@given(st.lists(st.sampled_from(["<think>", "</think>", '"', "\n", "a", "[1]", "◁think▷"])))
def test_nothing_is_invented(parts: list[str]) -> None:
    reply = "".join(parts)
    stripped = strip_thinking(reply)
    assert len(stripped.text) + len(stripped.reasoning) <= len(reply)
    assert stripped.text.count("[1]") + stripped.reasoning.count("[1]") == reply.count("[1]")
