"""Where an annotation's images are looked for, and that nothing leads out of there."""

from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.benchmarks.image_paths import ImageFinder
from screenmark.errors import ImageError

pytestmark = pytest.mark.usefixtures("in_tmp")


def touch(*names: str) -> None:
    for name in names:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def find(image_path: str, image_dir: str | None = None, *, probed: list[str] | None = None) -> str:
    """Where an image of ``project/data/annotation/en.json`` is found."""
    finder = ImageFinder(
        Path("project/data/annotation/en.json"),
        Path(image_dir) if image_dir else None,
        [image_path] if probed is None else probed,
    )
    return str(finder.find(image_path).absolute().relative_to(Path.cwd()))


@pytest.mark.parametrize(
    ("there", "image_dir", "found"),
    [
        pytest.param(["project/images/a.png"], None, "project/images/a.png", id="project root"),
        pytest.param(
            ["project/images/a.png", "project/data/images/a.png"],
            None,
            "project/data/images/a.png",
            id="the nearest parent",
        ),
        pytest.param(["images/a.png"], None, "images/a.png", id="working directory"),
        pytest.param(
            ["project/images/a.png", "other/images/a.png"],
            "other",
            "other/images/a.png",
            id="the folder that was given",
        ),
    ],
)
def test_found(there: list[str], image_dir: str | None, found: str) -> None:
    touch(*there)
    assert find("images/a.png", image_dir) == found


def test_one_image_settles_the_root_for_all() -> None:
    touch("project/images/a.png", "images/b.png")
    assert find("images/b.png", probed=["images/missing.png", "images/a.png"]) == "images/b.png"


def test_nothing_is_taken_from_elsewhere_when_a_folder_was_given() -> None:
    touch("project/images/a.png")
    Path("other").mkdir()
    with pytest.raises(ImageError, match=r"image not found, tried other/images/a\.png$"):
        find("images/a.png", "other")


def test_the_paths_tried_are_named_and_a_flat_folder_is_recognised() -> None:
    touch("other/a.png")
    with pytest.raises(ImageError, match="lies directly in --image-dir"):
        find("images/a.png", "other")
    with pytest.raises(ImageError, match=r"tried .*project/data/annotation/images/a\.png, .*"):
        find("images/a.png")


@pytest.mark.parametrize(
    "image_path",
    ["../secret.png", "images/../../secret.png", "/etc/hostname", "a/../../project2/x.png"],
)
@pytest.mark.parametrize("image_dir", ["project", None])
def test_paths_that_lead_out(image_path: str, image_dir: str | None) -> None:
    touch("secret.png", "project2/x.png")
    Path("project/data/annotation").mkdir(parents=True)
    with pytest.raises(ImageError, match=r"leads out of .*; expected a path below it"):
        find(image_path, image_dir)


def test_absolute_paths_need_a_folder_that_holds_them() -> None:
    touch("other/images/a.png")
    image_path = str(Path("other/images/a.png").absolute())
    with pytest.raises(ImageError, match="leads out of"):
        find(image_path)
    assert find(image_path, "other") == find(image_path, "/") == "other/images/a.png"


def test_a_data_folder_may_be_a_link_to_another_disk() -> None:
    touch("disk/a.png")
    Path("project").mkdir()
    Path("project/images").symlink_to(Path("disk").absolute())
    assert find("images/a.png", "project") == "project/images/a.png"


@pytest.mark.parametrize(
    "image_path",
    [
        pytest.param("x" * 5000, id="longer than a file system allows"),
        pytest.param("d/" * 3000, id="deeper than a file system allows"),
        pytest.param("a\x00b.png", id="null character"),
        pytest.param("", id="empty"),
        pytest.param(".", id="the folder itself"),
        pytest.param("图" * 200, id="Chinese"),
    ],
)
@pytest.mark.parametrize("image_dir", [".", None])
def test_paths_that_no_file_can_have(image_path: str, image_dir: str | None) -> None:
    with pytest.raises(ImageError, match="image not found"):
        find(image_path, image_dir)
