"""Multiple choice about screenshots: loading, asking, scoring, summing up."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import screenmark
from screenmark.benchmarks.content_understanding import (
    ContentUnderstanding,
    ContentUnderstandingOptions,
)
from screenmark.benchmarks.content_understanding.baselines import blind_choices, blind_scores
from screenmark.benchmarks.content_understanding.compat import compat_choice
from screenmark.benchmarks.content_understanding.dataset import DIFFICULTIES, ChoiceSample
from screenmark.benchmarks.content_understanding.summary import public_scores
from screenmark.errors import DataError, RejectedError, UsageError
from screenmark.jsonfile import dump_json
from screenmark.models import BaseLLMAdapter
from screenmark.types import Image, Reply, Text
from tests.support import screens
from tests.support.screens import L1, QUESTION, answered
from tools import bundle_readers, make_content_pages


def make(**options: Any) -> ContentUnderstanding:
    return ContentUnderstanding(ContentUnderstandingOptions(**options))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    screens.image(tmp_path / "home.png")
    return tmp_path


def load(folder: Path, *items: Any, **options: Any) -> Any:
    return make(annotation=screens.write(folder / "l1.json", list(items)), **options).load()


def question(**changes: Any) -> dict[str, Any]:
    return {**L1, "groups": [{**QUESTION, **changes}]}


def sample(id: str = "q", **changes: Any) -> ChoiceSample:
    fields: dict[str, Any] = {
        "index": 0,
        "image_path": "home.png",
        "file": "/data/home.png",
        "width": 200,
        "height": 100,
        "question": "Which one is marked?",
        "options": dict(QUESTION["options"]),
        "answer": "A",
        "difficulty": "easy",
        "platform": "os_web",
        "question_id": id,
        **changes,
    }
    return ChoiceSample(id=id, **fields)


def options(count: int) -> dict[str, str]:
    return {letter: f"option {letter}" for letter in "ABCDEF"[:count]}


class TestLoading:
    def test_three_questions_by_position(self, folder: Path) -> None:
        groups = [{**QUESTION, "difficulty": "hard", "hint": "Look left."}, QUESTION, QUESTION]
        dataset = load(folder, {**L1, "groups": groups})
        assert [s.difficulty for s in dataset.samples] == list(DIFFICULTIES)
        first = dataset.samples[0]
        assert (first.hint, first.platform, first.app_name) == ("Look left.", "os_web", "Shop")
        assert (first.width, first.height, first.language) == (200, 100, "en")
        assert first.options == QUESTION["options"]

    @pytest.mark.parametrize("mode", DIFFICULTIES)
    def test_one_difficulty(self, folder: Path, mode: str) -> None:
        (only,) = load(folder, L1, mode=mode).samples
        assert only.difficulty == mode
        assert only.id in {s.id for s in load(folder, L1).samples}, "the same id as in mode all"

    def test_ids_are_of_the_content_and_not_of_the_place(self, folder: Path) -> None:
        screens.image(folder / "other.png")
        other = {**L1, "image_path": "other.png", "index": 7}
        one, two = load(folder, L1, other), load(folder, other, L1)
        assert [s.id for s in one.samples] != [s.id for s in two.samples]
        assert {s.id for s in one.samples} == {s.id for s in two.samples}
        changed = load(folder, {**L1, "groups": [{**QUESTION, "question": "Which?"}]})
        assert changed.samples[0].id not in {s.id for s in one.samples}

    def test_a_question_that_stands_twice_is_asked_once(self, folder: Path) -> None:
        dataset = load(folder, L1, L1)
        assert len(dataset.samples) == 3
        assert len(dataset.problems) == 3
        assert "the same question" in str(dataset.problems[0])

    def test_options_in_any_order_with_null_ones_and_small_letters(self, folder: Path) -> None:
        given = {"c": "three", "A": "one", "B": 2, "D": None}
        (only,) = load(folder, question(options=given, answer="b")).samples
        assert list(only.options.items()) == [("A", "one"), ("B", "2"), ("C", "three")]
        assert only.answer == "B"

    def test_a_chinese_question_is_asked_in_chinese(self, folder: Path) -> None:
        (only,) = load(folder, question(question="哪一个有标记？")).samples
        assert only.language == "zh"

    @pytest.mark.parametrize(
        ("item", "message"),
        [
            pytest.param({**L1, "image_path": ""}, "image_path: expected a text", id="image"),
            pytest.param({**L1, "platform": None}, "platform: expected a text", id="platform"),
            pytest.param({**L1, "groups": {}}, "groups: expected a list of three", id="groups"),
            pytest.param({**L1, "groups": []}, "found 0 of them", id="no groups"),
            pytest.param({**L1, "groups": [QUESTION] * 4}, "found 4 of them", id="four groups"),
            pytest.param({**L1, "groups": ["x"]}, "groups[0]: expected a question", id="group"),
            pytest.param({**L1, "index": "7"}, "index: expected a whole number", id="index"),
            pytest.param(question(question=1), "groups[0].question: expected a", id="question"),
            pytest.param(question(options=[]), "groups[0].options: expected an object", id="list"),
            pytest.param(question(options={"A": "x"}), "without gaps, found A", id="one option"),
            pytest.param(question(options={"A": "x", "C": "y"}), "found A, C", id="gap"),
            pytest.param(question(options={"A": "x", "B": []}), "options.B: expected", id="text"),
            pytest.param(question(answer="E"), "expected one of A, B, C, D", id="answer"),
            pytest.param(question(answer=None), "groups[0].answer: expected a text", id="none"),
        ],
    )  # fmt: skip
    def test_a_bad_item_is_named_and_the_others_stay(
        self, folder: Path, item: Any, message: str
    ) -> None:
        good = {**L1, "groups": [{**QUESTION, "question": "Another one?"}]}
        dataset = load(folder, good, item)
        assert len(dataset.samples) == 1
        text = str(dataset.problems[0])
        assert message in text
        assert "l1.json" in text
        assert "item 1" in text

    @pytest.mark.parametrize(
        ("changes", "warning"),
        [
            ({"A": "Same", "B": "same "}, "groups[0].options: A and B have the same text"),
            ({"A": " "}, "groups[0].options: the text of A is empty"),
        ],
    )
    def test_odd_options_are_asked_with_a_warning(
        self, folder: Path, changes: dict[str, str], warning: str
    ) -> None:
        dataset = load(folder, question(options={**QUESTION["options"], **changes}))
        assert len(dataset.samples) == 1
        (said,) = dataset.warnings
        assert warning in said

    def test_a_mode_that_the_file_does_not_have(self, folder: Path) -> None:
        with pytest.raises(DataError, match="no item is left under these options"):
            load(folder, question(), mode="hard")

    def test_the_bundled_questions(self) -> None:
        dataset = make().load()
        assert len(dataset.samples) == ContentUnderstanding.info.bundled_samples
        assert not dataset.problems
        assert not dataset.warnings
        assert all(s.problem is None for s in dataset.samples)
        assert {s.language for s in dataset.samples} == {"en", "zh"}
        assert all(4 <= len(s.options) <= 6 for s in dataset.samples)


class TestPrompt:
    def asked(self, benchmark: ContentUnderstanding, one: ChoiceSample) -> str:
        (message,) = benchmark.build_prompt(one)
        image, text = message.parts
        assert image == Image(one.file)
        assert isinstance(text, Text)
        return text.text

    def test_hint_question_and_options_in_order(self) -> None:
        text = self.asked(make(), sample(hint="Look left."))
        lines = text.splitlines()
        place = lines.index("Hint: Look left.")
        assert lines[place : place + 4] == [
            "Hint: Look left.",
            "Question: Which one is marked?",
            "Options:",
            "A. Calendar",
        ]
        assert "{" not in text
        assert "Hint" not in self.asked(make(), sample())

    def test_in_chinese(self) -> None:
        assert "只回答该选项的字母" in self.asked(make(), sample(language="zh"))

    def test_ones_own(self, tmp_path: Path) -> None:
        file = tmp_path / "prompt.txt"
        file.write_text('Q: {question}\n{options}\n{"a": "{hint}"}', encoding="utf-8")
        tricky = sample(question="What is {options}?")
        text = self.asked(make(prompt=file), tricky)
        assert text.startswith("Q: What is {options}?\nA. Calendar\n")
        assert text.endswith('{"a": ""}')

    @pytest.mark.parametrize(
        ("text", "message"), [("Look!", "asks nothing"), ("{question}", "leaves the options out")]
    )
    def test_ones_own_that_cannot_work(self, tmp_path: Path, text: str, message: str) -> None:
        file = tmp_path / "prompt.txt"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=message):
            make(prompt=file)

    def test_a_builder_for_mmbench_gui_gets_an_instruction(self) -> None:
        line = ContentUnderstanding.line_of(sample())
        assert line["image_path"] == "os_web/home.png"
        assert line["instruction"].startswith("Question: Which one")
        assert "D. Widgets" in line["instruction"]


CHOICES = [
    ("A. foo\nB. bar\nAnswer: B", "A"),
    ("E.g. a thing. Answer: A", "A"),
    ("I take Option C", "C"),
    ("answer is: B", "A"),
    ("Answer - B", "A"),
    ("Because it is so", "B"),
    ("Based on it", "B"),
    ("Final one", "F"),
    ("Dashboard", "D"),
    ("Can't tell", "C"),
    ("a sub-screen", "A"),
    ("Answer: Carousel", "A"),
    ("Failed to obtain answer via API.", "F"),
    ("B,C", "B"),
    ("A or C", "A"),
    ("(C)", "C"),
    ("C)", "C"),
    ("**C**", "C"),
    (r"\boxed{E}", "E"),
    ("<answer>D</answer>", "D"),
    ("<think>maybe A. no</think>C", "A"),
    ("答案：C", "C"),
    ("答案是C", None),
    ("Ｃ", None),
    ("nan", None),
    ("Yes", None),
    ("None of these", None),
    ("**Answer:** (b) The home page", "B"),
    ("<think>A looks plausible. But B: no.</think>\nD", "B"),
    ("Because the sidebar is collapsed, I pick C", "B"),
    (r"\boxed{\text{D}}", "D"),
    ('{"answer": "A", "reason": "Badge colour"}', "A"),
    ("The first option is wrong and so is C; therefore none of them fits.", "C"),
    ("答案是C。", None),
    ("Final: **E** - settings", "F"),
    ("G", None),
]


@pytest.mark.parametrize(("text", "letter"), CHOICES, ids=[text[:25] for text, _ in CHOICES])
def test_compat_reads_what_the_public_implementation_reads(text: str, letter: str | None) -> None:
    assert compat_choice(text) == letter


@pytest.mark.parametrize("piece", ["\n", " ", "answer  ", "option ", "A ", "(", "9"])
def test_compat_reads_a_megabyte(piece: str) -> None:
    """What takes time quadratic in the text never comes to an end here."""
    compat_choice(piece * (1_000_000 // len(piece)))


class TestScore:
    @pytest.mark.parametrize(
        ("scoring", "reply", "outcome", "correct"),
        [
            ("strict", "The answer is A.", "ok", 1),
            ("strict", "B", "ok", 0),
            ("strict", "Because of it", "unparseable", 0),
            ("strict", "E", "unparseable", 0),
            ("strict", "", "empty", 0),
            ("compat", "Because of it", "ok", 0),
            ("compat", "A or B", "ok", 1),
            ("compat", "", "unparseable", 0),
        ],
    )
    def test_replies(self, scoring: Any, reply: str, outcome: str, correct: int) -> None:
        benchmark = make(scoring=scoring)
        (record,) = answered(benchmark, [sample()], [reply])
        assert (record.outcome.value, record.score["correct"]) == (outcome, correct)

    def test_without_a_reply(self) -> None:
        assert make().score(sample(), None)["correct"] == 0


def summary(samples: list[ChoiceSample], replies: list[str | None], **options: Any) -> Any:
    benchmark = make(**options)
    results = benchmark.summarise(answered(benchmark, samples, replies))
    dump_json(results)  # strict JSON: neither NaN nor infinity
    return results


class TestSummary:
    def test_by_hand(self) -> None:
        samples = [
            sample("1", options=options(5), answer="A"),
            sample("2", options=options(4), answer="B"),
            sample("3", options=options(4), answer="C", difficulty="hard", platform="os_ios"),
        ]
        results = summary(samples, ["A", "no idea", None])
        assert results["accuracy"] == pytest.approx(1 / 3)
        assert results["accuracy_weighted"] == pytest.approx(0.8 / (0.8 + 0.75 + 0.75))
        assert results["accuracy_macro"] == pytest.approx((0.5 + 0) / 2)
        assert results["headline"]["value"] == results["accuracy"]
        assert results["answered_only"]["num_samples"] == 1
        assert results["answered_only"]["score"] == 1
        easy = results["by_difficulty"]["easy"]
        assert (easy["num_samples"], easy["score"]) == (2, 0.5)
        assert easy["score_weighted"] == pytest.approx(0.516129, abs=5e-7)
        assert easy["by_platform"]["os_web"]["score"] == 0.5
        assert "medium" not in results["by_difficulty"]
        assert results["by_num_options"]["4"]["num_samples"] == 2
        assert results["letters"] == {
            "A": {"chosen": 1, "true": 1},
            "B": {"chosen": 0, "true": 1},
            "C": {"chosen": 0, "true": 1},
            "none": {"chosen": 2, "true": 0},
        }
        assert [row["outcome"] for row in results["per_sample"]] == [
            "ok", "unparseable", "api_error",
        ]  # fmt: skip

    @pytest.mark.parametrize(("reply", "rate"), [("A", 1), ("B", 0)])
    def test_all_or_none_right_still_has_an_interval(self, reply: str, rate: int) -> None:
        samples = [sample(str(n), image_path=f"{n}.png") for n in range(5)]
        head = summary(samples, [reply] * 5)["headline"]
        assert head["value"] == rate
        assert head["high"] - head["low"] > 0.3

    def test_nothing_at_all(self) -> None:
        results = summary([], [])
        assert results["accuracy"] is None
        assert results["headline"]["low"] is None
        assert results["blind_baselines"]["always_a"]["accuracy"] is None
        results |= {"benchmark": "x", "model": "m", "outcomes": {}, "complete": True}
        results |= {"scoring": "strict"}
        assert make().tables(results)
        assert public_scores(results, weighted=True) == {"total_sample_num": 0}

    def test_public_layout_and_the_public_test_vector(self) -> None:
        samples = [
            sample("1", options=options(5), answer="A"),
            sample("2", options=options(4), answer="B"),
        ]
        results = summary(samples, ["A", "A"], scoring="compat")
        plain = public_scores(results, weighted=False)
        assert plain == {
            "easy": {
                "os_web": {"score": 0.5, "sample_num": 2},
                "level_sample_num": 2,
                "level_score": 0.5,
            },
            "total_sample_num": 2,
        }
        weighted = public_scores(results, weighted=True)["easy"]
        assert round(weighted["os_web"]["score"], 6) == 0.516129
        assert round(weighted["os_web"]["score_weighted"], 6) == 0.4
        assert round(weighted["os_web"]["score_base"], 6) == 0.775
        assert round(weighted["level_score"], 6) == 0.516129

    def test_a_level_is_the_mean_of_its_platforms_by_their_samples(self) -> None:
        samples = [sample(str(n), platform="os_web" if n else "os_ios") for n in range(4)]
        layout = public_scores(summary(samples, ["A", "A", "A", "B"]), weighted=False)
        assert layout["easy"]["os_ios"]["score"] == 1
        assert layout["easy"]["os_web"]["score"] == pytest.approx(2 / 3)
        assert layout["easy"]["level_score"] == pytest.approx((1 * 1 + 3 * (2 / 3)) / 4)


class TestCircular:
    def test_every_rotation_is_asked_with_the_right_letter(self, folder: Path) -> None:
        rotations = load(folder, question(answer="C"), circular=True).samples
        assert len(rotations) == 4
        assert len({s.id for s in rotations}) == 4
        assert len({s.question_id for s in rotations}) == 1
        for rotation in rotations:
            assert rotation.options[rotation.answer] == "Charts"
            assert sorted(rotation.options.values()) == sorted(QUESTION["options"].values())
        assert {s.answer for s in rotations} == {"A", "B", "C", "D"}
        assert rotations[0].options == QUESTION["options"]

    def rotations(self, folder: Path) -> list[ChoiceSample]:
        return list(load(folder, L1, circular=True, mode="easy").samples)

    def test_a_question_is_right_only_if_all_rotations_are(self, folder: Path) -> None:
        asked = self.rotations(folder)
        right = [s.answer for s in asked]
        assert summary(asked, [*right], circular=True)["accuracy"] == 1
        one_wrong = [*right[:3], "B" if right[3] == "A" else "A"]
        results = summary(asked, [*one_wrong], circular=True)
        assert results["accuracy"] == 0
        assert results["num_questions"] == 1
        assert len(results["per_sample"]) == 4
        always_a = summary(asked, ["A"] * 4, circular=True)
        assert always_a["accuracy"] == 0, "position alone is worth nothing"

    def test_guessing_is_scored_as_the_model_is(self, folder: Path) -> None:
        """What says the same letter every time gets nothing; what knows a text, all of it."""
        texts = {"A": "No", "B": "The longest of them", "C": "Yes", "D": "Perhaps"}
        asked = list(load(folder, question(options=texts, answer="B"), circular=True).samples)
        blind = summary(asked, ["A"] * len(asked), circular=True)["blind_baselines"]
        scores = {
            name: (part["accuracy"], part["accuracy_weighted"]) for name, part in blind.items()
        }
        assert scores["always_a"] == scores["majority_letter"] == (0, 0)
        assert scores["longest_option"] == (1, 1)
        tied = dict.fromkeys("ABC", "same") | {"D": "x"}
        drawn = list(load(folder, question(options=tied, answer="B"), circular=True).samples)
        ties = summary(drawn, ["A"] * len(drawn), circular=True)["blind_baselines"]
        assert ties["longest_option"]["accuracy"] == 0, "the first of several moves"

    def test_a_question_that_was_asked_in_part_does_not_count(self, folder: Path) -> None:
        asked = self.rotations(folder)
        results = summary(asked[:3], [s.answer for s in asked[:3]], circular=True)
        assert results["accuracy"] is None
        assert (results["num_questions"], results["num_incomplete"]) == (0, 1)

    def test_repeats_are_questions_of_their_own(self, folder: Path) -> None:
        benchmark, asked = make(circular=True), self.rotations(folder)
        right = answered(benchmark, asked, [s.answer for s in asked])
        wrong = answered(benchmark, asked, ["no idea"] * 4, repeat=1)
        results = benchmark.summarise([*right, *wrong])
        assert results["accuracy"] == 0.5
        assert results["num_questions"] == 1

    def test_it_does_not_go_with_a_drawn_sample(self, folder: Path) -> None:
        with pytest.raises(UsageError, match="does not go with --circular"):
            load(folder, L1, circular=True, max_samples=2, sample_seed=1)

    def test_an_interrupted_run_goes_on(self, folder: Path, in_tmp: Path) -> None:
        """Four rotations, of which the first session answers two."""
        annotation = screens.write(folder / "l1.json", [question()])

        class Knows(BaseLLMAdapter):
            """Says where the first option's text stands, so often."""

            name = "knows"
            calls = 0
            breaks_after = 2

            def infer(self, image_path: str, prompt: str) -> str:
                self.calls += 1
                if self.calls > self.breaks_after:
                    raise RejectedError("no more today")
                return next(line[0] for line in prompt.splitlines() if line.endswith(". Calendar"))

        options: dict[str, Any] = {"annotation": annotation, "circular": True, "concurrency": 1}
        first = screenmark.run(
            "mmbench-gui-l1", adapter_object=Knows(), max_error_rate=1, **options
        )
        assert first.results["accuracy"] == 0
        assert first.results["outcomes"] == {"ok": 2, "api_error": 2}
        rest = Knows()
        second = screenmark.run(resume=first.path, adapter_object=rest)
        assert rest.calls == 2
        assert second.results["accuracy"] == 1


class TestBlind:
    def brute(self, samples: list[ChoiceSample], pick: Callable[[ChoiceSample], str]) -> float:
        return sum(pick(one) == one.answer for one in samples) / len(samples)

    def test_against_brute_force(self) -> None:
        rng = random.Random(5)
        words = ["the", "blue", "badge", "of", "a", "menu", "shows", "two", "new", "items"]
        samples = []
        for n in range(60):
            count = rng.randint(2, 6)
            texts = {letter: " ".join(rng.sample(words, 3)) for letter in "ABCDEF"[:count]}
            asked = " ".join(rng.sample(words, 4)) + "?"
            letter = rng.choice(list(texts))
            samples.append(sample(str(n), options=texts, question=asked, answer=letter))
        scores = {name: part["accuracy"] for name, part in blind_scores(samples).items()}

        def longest(one: ChoiceSample) -> str:
            most = max(map(len, one.options.values()))
            return next(k for k, text in one.options.items() if len(text) == most)

        def shared(one: ChoiceSample) -> str:
            asked = set(one.question.rstrip("?").split())
            shares = {k: len(asked & set(t.split())) / 3 for k, t in one.options.items()}
            return next(k for k, share in shares.items() if share == max(shares.values()))

        counts = {letter: sum(s.answer == letter for s in samples) for letter in "ABCDEF"}
        majority = next(k for k, count in counts.items() if count == max(counts.values()))
        assert scores == {
            "always_a": self.brute(samples, lambda one: "A"),
            "longest_option": self.brute(samples, longest),
            "majority_letter": self.brute(samples, lambda one: majority),
            "options_only": self.brute(samples, shared),
        }
        assert scores["majority_letter"] == max(counts.values()) / 60

    def test_chinese_is_read_by_characters(self) -> None:
        one = sample(question="哪个是设置？", options={"A": "主页", "B": "设置"}, answer="B")
        assert blind_choices([one])["options_only"] == ["B"]

    def test_the_bundled_questions_give_little_away(self) -> None:
        for name, part in blind_scores(list(make().load().samples)).items():
            assert part["accuracy"] < 0.25, name

    def test_the_right_number_has_no_favourite_rank(self) -> None:
        """Else the middle one, or the second, would be a good guess."""
        ranks: Counter[int] = Counter()
        for one in make().load().samples:
            found = {letter: re.findall(r"-?\d[\d.,:]*", t) for letter, t in one.options.items()}
            if len(found) == 5 and all(len(numbers) == 1 for numbers in found.values()):
                values = {
                    letter: float(text.replace(",", "").replace(":", "."))
                    for letter, (text,) in found.items()
                }
                ranks[sorted(values, key=values.__getitem__).index(one.answer)] += 1
        assert ranks.total() > 50
        assert max(ranks.values()) < 0.27 * ranks.total()


class TestReaders:
    """What `readers.json` keeps; the figures in NOTICE.md are those of the answers in it."""

    def test_kept_answers_are_about_these_questions_and_reported(self) -> None:
        samples = bundle_readers.bundled()
        readers = json.loads(bundle_readers.READERS.read_text(encoding="utf-8"))
        assert readers.keys() <= bundle_readers.KINDS.keys()
        for answers in readers.values():
            bundle_readers.check_answers(answers, samples)
        notice = bundle_readers.NOTICE.read_text(encoding="utf-8")
        lines = bundle_readers.figures(readers, samples)
        assert f"<!-- readers -->\n{lines}<!-- end of readers -->" in notice

    def test_who_sees_the_picture_agrees_with_the_key(self) -> None:
        samples = bundle_readers.bundled()
        readers = json.loads(bundle_readers.READERS.read_text(encoding="utf-8"))
        answers = readers.get("with_image", {s.id: s.answer for s in samples})
        right, number = bundle_readers.agreement(answers, samples)
        assert right >= 0.95 * number

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            pytest.param({"q": "G"}, "'G', expected one of its letters", id="letter"),
            pytest.param({"x": "A"}, "1 ids are on one side only, the first x", id="id"),
        ],
    )
    def test_answers_that_do_not_fit(self, change: dict[str, str], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            bundle_readers.check_answers({"q": "A"} | change, [sample("q")])

    def test_figures(self) -> None:
        samples = [sample("a"), sample("b"), sample("c", language="zh")]
        answers = {"a": "A", "b": "B", "c": "A"}
        (line,) = bundle_readers.figures({"without_image": answers}, samples).split("\n- ")
        assert "answered 2 of 3 as the key: 1 of 2 in\n  English, 1 of 1 in Chinese." in line


class TestBundledScreens:
    """Every English screen has its source, its size, and no more weight than it needs."""

    SCREENS = sorted(make_content_pages.PAGES.glob("*.html"))

    def test_each_is_rendered_and_asked_about(self) -> None:
        samples = make().load().samples
        asked = {Path(s.file).name: s for s in samples if s.language == "en"}
        made = {
            f"{page.stem}__{make_content_pages.screen_of(page)[2]}.png": page
            for page in self.SCREENS
        }
        assert asked.keys() == made.keys() == {p.name for p in make_content_pages.IMAGES.iterdir()}
        for name, page in made.items():
            width, height, platform = make_content_pages.screen_of(page)
            one = asked[name]
            assert (one.width, one.height, one.platform) == (width, height, f"web-{platform}")

    def test_weight(self) -> None:
        sizes = [path.stat().st_size for path in make_content_pages.IMAGES.iterdir()]
        assert max(sizes) < 75_000
        assert sum(sizes) < 2_000_000

    def test_a_page_that_does_not_say_its_size(self, tmp_path: Path) -> None:
        page = tmp_path / "bare.html"
        page.write_text("<p>bare", encoding="utf-8")
        with pytest.raises(ValueError, match="expected <meta name"):
            make_content_pages.screen_of(page)


class TestAudit:
    def warnings(self, replies: list[str]) -> list[str]:
        samples = [sample(str(n), answer="ABCD"[n % 4]) for n in range(len(replies))]
        found: list[str] = summary(samples, [*replies])["audit"]["warnings"]
        return found

    @pytest.mark.parametrize(
        ("reply", "words"),
        [
            ("Please provide the options so that I can choose.", "most miss the options"),
            ("There are no answer choices given in your message.", "most miss the options"),
            ("抱歉，题目里没有给出选项，无法选择", "most miss the options"),
            ("It is the blue badge in the corner.", "most declare no option"),
            ("", "most are empty"),
        ],
    )
    def test_the_cause_when_nearly_nothing_is_read(self, reply: str, words: str) -> None:
        (found,) = self.warnings([reply] * 18 + ["A"] * 2)
        assert found.startswith("18 of 20 replies hold no answer")
        assert words in found

    def test_cut_off(self) -> None:
        benchmark = make()
        samples = [sample(str(n)) for n in range(12)]
        replies = [Reply("<think>First I look at", finish_reason="length")] * 12
        results = benchmark.summarise(answered(benchmark, samples, replies))
        assert "raise --max-tokens" in results["audit"]["warnings"][0]

    def test_one_letter_whatever_was_asked(self) -> None:
        (found,) = self.warnings(["B"] * 24)
        assert "24 of 24 answers are B, whatever was asked" in found

    @pytest.mark.parametrize(
        "replies",
        [
            pytest.param(["A", "B", "C", "D"] * 10, id="all right"),
            pytest.param(["B", "C", "D", "A"] * 10, id="all wrong"),
            pytest.param(["no idea"] * 4, id="too few to say"),
            pytest.param(["no idea"] * 19 + ["A", "B", "C", "D"] * 6, id="less than half"),
        ],
    )
    def test_nothing_to_say(self, replies: list[str]) -> None:
        assert self.warnings(replies) == []


def test_tables_of_results_and_of_a_question(folder: Path, in_tmp: Path) -> None:
    asked = load(folder, L1).samples
    predictions = [{"id": s.id, "reply": "B"} for s in asked]
    screens.write(in_tmp / "b.json", predictions)
    run = screenmark.run(
        "mmbench-gui-l1", annotation=folder / "l1.json", predictions=in_tmp / "b.json"
    )
    tables = ContentUnderstanding.tables(run.results)
    assert [row[0] for row in tables[0].rows] == ["easy", "medium", "hard", "all"]
    assert tables[0].rows[-1][1] == 3
    assert tables[0].rows[-1][2] == pytest.approx(1 / 3)
    assert "3 questions · strict scoring" in tables[0].title
    assert any(table.title.startswith("What guessing gets") for table in tables)
    for count, words in ((1, "1 question is left"), (2, "2 questions are left")):
        note = ContentUnderstanding.tables(run.results | {"num_incomplete": count})[0].note
        assert note is not None
        assert words in note
    record = next(iter(run.records))
    options, facts = ContentUnderstanding.sample_tables(record)
    assert options.title == record.sample_id
    assert options.rows[0] == ("", "Which one is marked?", "")
    assert options.rows[1] == ("A", "Calendar", "right")
    assert options.rows[2] == ("B", "Layout", "chosen")
    assert ("reply", "B") in facts.rows
    assert json.loads(dump_json(run.results)) == run.results
    assert not math.isnan(run.results["headline"]["low"])


def loaded(folder: Path, **changes: Any) -> Any:
    """The data set of one screenshot whose groups are changed by position."""
    groups = [{**group, **changes.get(f"g{n}", {})} for n, group in enumerate(L1["groups"])]
    path = screens.write(folder / "changed.json", [{**L1, "groups": groups}])
    return make(annotation=path, image_dir=folder).load()


def test_the_other_questions_of_a_screenshot_stay(folder: Path) -> None:
    dataset = loaded(folder, g0={"answer": "Z"})
    assert [sample.difficulty for sample in dataset.samples] == ["medium", "hard"]
    (problem,) = dataset.problems
    assert "groups[0].answer: expected one of" in str(problem)


def test_a_letter_that_stands_twice(folder: Path) -> None:
    (problem,) = loaded(folder, g2={"options": {"A": "x", "a": "over", "B": "y"}}).problems
    assert "groups[2].options: expected each letter once, found A, A, B" in str(problem)
