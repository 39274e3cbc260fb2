"""What the tasks of classification share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from screenmark.answers.classes import parse_class
from screenmark.benchmarks.answer_schemas import class_schema
from screenmark.benchmarks.base import Benchmark, DataOptions, Dataset, Published, Sample
from screenmark.benchmarks.rules import Rule
from screenmark.benchmarks.ui_classification.confusion_picture import confusion_png
from screenmark.benchmarks.ui_classification.crops import Crops
from screenmark.benchmarks.ui_classification.label_rows import (
    Row,
    read_app_types,
    read_class_names,
    read_label_csv,
    read_synced_list,
)
from screenmark.benchmarks.ui_classification.labelled import (
    inputs_beside,
    known_classes,
    labelled_samples,
)
from screenmark.benchmarks.ui_classification.options import ClassificationOptions
from screenmark.benchmarks.ui_classification.prompt import (
    MODALITIES,
    TEMPLATES,
    fill,
    own_template,
    read_modalities,
)
from screenmark.benchmarks.ui_classification.recognised import RecognisedText
from screenmark.benchmarks.ui_classification.rules import (
    Samples,
    blind_rules,
    encoder_head,
    most_frequent_label,
)
from screenmark.benchmarks.ui_classification.samples import ClassSample
from screenmark.benchmarks.ui_classification.scoring import score_class
from screenmark.benchmarks.ui_classification.summary import summarise_classes
from screenmark.benchmarks.ui_classification.tables import (
    classification_tables,
    sample_boxes,
    sample_tables,
)
from screenmark.errors import DataError, UsageError
from screenmark.models.encoders import Encoder
from screenmark.types import (
    Answer,
    Image,
    Json,
    LabelledBox,
    Message,
    Record,
    Reply,
    Table,
    Text,
)

_SAY_TUNED: Final = "its head is trained on the train part: say --setting fine-tuned"


class Classification(Benchmark[ClassSample, ClassificationOptions]):
    """A task whose answer is one class of a closed list.

    Attributes:
        task: which of the prompts.
        most_classes: how many classes the task has.
        bundled_inputs: what the bundled data holds of `MODALITIES`.
        bundled_note: what the bundled data is, for the table's note.
    """

    options_type: ClassVar[type[DataOptions]] = ClassificationOptions
    sample_type: ClassVar[type[Sample]] = ClassSample
    columns = ("id", "chosen", "label", "correct", "outcome")
    task: ClassVar[str]
    most_classes: ClassVar[int]
    bundled_inputs: ClassVar[frozenset[str]]
    bundled_note: ClassVar[str]

    def __init__(self, options: ClassificationOptions) -> None:
        self.modalities = self._read_modalities(options)
        # So that manifests say what was used, not only what was asked for.
        used = ",".join(self.modalities) or None
        super().__init__(msgspec.structs.replace(options, modalities=used))
        self._own_prompt = None if options.prompt is None else own_template(options.prompt)

    def _read_modalities(self, options: ClassificationOptions) -> tuple[str, ...]:
        if options.annotation is None and options.data is None:
            why, held = self.not_bundled(), self.bundled_inputs
        else:
            why = "name the folder with NUMBER.jpg and NUMBER.json of Rico with --image-dir"
            held = frozenset(MODALITIES if options.image_dir is not None else ())
            # Sync is about both: what lacks there is said, not left out.
            if options.image_dir and options.modalities is None and self.task != "sync":
                held = inputs_beside(options.image_dir)
        return read_modalities(
            options.modalities, held=held, why_not=dict.fromkeys(MODALITIES, why)
        )

    @property
    def is_bundled(self) -> bool:
        """Whether the data is what comes with the package."""
        return self.options.annotation is None and self.options.data is None

    def not_bundled(self) -> str:
        """Why the bundled data has no more inputs than it has."""
        have = ", ".join(sorted(self.bundled_inputs)) or "none of them"
        return f"the bundled data has {have}"

    def load(self) -> Dataset[ClassSample]:
        options = self.options
        if not self.is_bundled:
            if options.split is not None:
                raise UsageError("--split is for the bundled data; a label file is asked whole")
            return self._load_labels()
        for name in ("image_dir", "classes"):
            if getattr(options, name) is not None:
                flag = "--" + name.replace("_", "-")
                raise UsageError(f"{flag} needs --annotation or --data")
        split = options.split or next(iter(self.info.splits))
        if split not in self.info.splits:
            raise UsageError(f"--split {split}: the bundled data has {', '.join(self.info.splits)}")
        return self.load_bundled(split)

    def load_bundled(self, split: str) -> Dataset[ClassSample]:
        """A split of the bundled data."""
        raise NotImplementedError

    def train_part(self) -> Samples | None:
        """What the bundled data has to learn from; None if it has nothing."""
        if "train" not in self.info.splits or not self.is_bundled:
            return None
        return self._train

    @cached_property
    def _train(self) -> Samples:
        return self.load_bundled("train").samples

    def _load_labels(self) -> Dataset[ClassSample]:
        options = self.options
        if options.annotation is not None and options.data is not None:
            raise UsageError("--data and --annotation both say where the data is; give one of them")
        file, (rows, problems, data) = self._rows()
        rows = [self.normalised(row) for row in rows]
        said = None if options.classes is None else read_class_names(options.classes)
        classes = self.classes_of(rows, said, file)
        found = labelled_samples(
            file,
            rows,
            problems,
            data,
            classes,
            options.image_dir,
            need=frozenset("img" if word == "ocr" else word for word in self.modalities),
        )
        if self.modalities:
            return found
        blind = (
            "there are no screenshots and no view hierarchies here: a model would be asked "
            "blind. Name their folder with --image-dir, or score --predictions"
        )
        return msgspec.structs.replace(found, warnings=[*found.warnings, blind])

    def _rows(self) -> tuple[Path, tuple[list[Row], list[DataError], bytes]]:
        options = self.options
        file = options.annotation
        if file is None:
            folder = options.data or Path()
            if not folder.is_dir():
                raise DataError("no such folder", file=folder)
            if self.task == "screen" and (folder / "ui_details.csv").is_file():
                return folder / "ui_details.csv", read_app_types(folder)
            files = sorted(folder.glob("*.csv"))
            if len(files) != 1:
                problem = f"holds {len(files)} CSV files; expected one, or name it: --annotation"
                raise DataError(problem, file=folder)
            file = files[0]
        if self.task == "sync" and file.suffix == ".txt":
            if options.image_dir is None:
                raise UsageError(
                    "a list of screens in sync needs --image-dir: all others there are out of sync"
                )
            return file, read_synced_list(file, options.image_dir)
        return file, read_label_csv(file)

    def normalised(self, row: Row) -> Row:
        """A row of a label file with its label as this task writes it."""
        return row

    def classes_of(
        self, rows: list[Row], said: tuple[str, ...] | None, file: Path
    ) -> tuple[str, ...]:
        """The classes of a label file."""
        return known_classes(rows, said, self.most_classes, file)

    @cached_property
    def _crops(self) -> Crops:
        return Crops()

    @cached_property
    def _recognised(self) -> RecognisedText:
        return RecognisedText()

    def build_prompt(self, sample: ClassSample) -> tuple[Message, ...]:
        lines = self._recognised.lines(sample.file) if "ocr" in self.modalities else ()
        words = Text(fill(self.prompt_text, self.task, sample, self.modalities, lines))
        if "img" not in self.modalities:
            return (Message("user", (words,)),)
        file = sample.file if sample.box is None else str(self._crops.draw(sample))
        return (Message("user", (Image(file), words)),)

    def answer_schema(self, sample: ClassSample) -> dict[str, Json] | None:
        return class_schema(sample.classes)

    def parse(self, reply: Reply, sample: ClassSample) -> Answer:
        return parse_class(reply.text, sample.classes, finish_reason=reply.finish_reason)

    def score(self, sample: ClassSample, answer: Answer | None) -> dict[str, Any]:
        return score_class(sample, answer)

    def summarise(self, records: Iterable[Record]) -> dict[str, Any]:
        note = self.bundled_note if self.is_bundled else ""
        about = {
            "data": self.data_name,
            "data_note": note,
            "modalities": list(self.modalities),
            "setting": self.options.setting,
        }
        return summarise_classes(
            records,
            about=about,
            most_frequent=self._most_frequent(),
            published=self.comparable(),
        )

    @property
    def data_name(self) -> str:
        """The data in a few words, for the table's title."""
        return "stand-in" if self.is_bundled else "own label file"

    def comparable(self) -> list[Published]:
        """Published figures that a run on this data may be held against."""
        return [] if self.is_bundled else list(self.info.published)

    def _most_frequent(self) -> str | None:
        train = self.train_part()
        return None if train is None else most_frequent_label(train)

    def trained_rules(self) -> dict[str, Callable[[], Rule]]:
        """Rules that are trained on the train part; made only when one is asked for."""
        return {}

    def rules(self) -> Mapping[str, Rule]:
        found = blind_rules(self._most_frequent())
        if self.train_part() is not None and self.options.setting == "fine-tuned":
            found |= {name: make() for name, make in self.trained_rules().items()}
        return found

    @classmethod
    def listed_rules(cls) -> Mapping[str, Rule]:
        tuned = msgspec.structs.replace(cls.options_type(), setting="fine-tuned")
        return cls(tuned).rules()  # type: ignore[arg-type]

    def lacking_rules(self) -> Mapping[str, str]:
        if self.train_part() is None:
            why = "there is no train part here; bundled data of sync and icons has one"
            return dict.fromkeys((*self.trained_rules(), "most-frequent"), why)
        if self.options.setting != "fine-tuned":
            return dict.fromkeys(self.trained_rules(), _SAY_TUNED)
        return {}

    def encoder_rule(self, encoder: Encoder) -> Rule:
        if self.train_part() is None:
            raise UsageError(
                f"{self.info.id}: there is no train part here to fit a head on an encoder's "
                "vectors; the bundled data of uibert-sync and uibert-icon-32 has one"
            )
        if self.options.setting != "fine-tuned":
            raise UsageError(f"{encoder.name}: {_SAY_TUNED}")
        return encoder_head(encoder, lambda: self._train, of_parts=self.task == "icon")

    @classmethod
    def tables(cls, results: dict[str, Any]) -> list[Table]:
        return classification_tables(results)

    @classmethod
    def pictures(cls, results: dict[str, Any]) -> dict[str, bytes]:
        confusion = results["confusion"]
        if confusion is None:
            return {}
        title = (
            f"{results['benchmark']} · {results['model']} · {results['num_samples']} samples · "
            f"accuracy {results['accuracy']:.1%}"
        )
        png = confusion_png(confusion["classes"], confusion["counts"], title)
        return {"confusion.png": png}

    @classmethod
    def sample_tables(cls, record: Record) -> list[Table]:
        return sample_tables(record)

    @classmethod
    def sample_boxes(cls, record: Record) -> list[LabelledBox]:
        return sample_boxes(record)

    @classmethod
    def sample_caption(cls, record: Record) -> str:
        return f"{record.sample['label']}  ->  {record.score['chosen'] or 'nothing'}"

    def told(self, sample: ClassSample) -> dict[str, str]:
        return {f"class {number}": name for number, name in enumerate(sample.classes)}

    @property
    def prompt_text(self) -> str:
        return self._own_prompt or TEMPLATES[self.task]

    def group_of(self, sample: ClassSample) -> str:
        return sample.label
