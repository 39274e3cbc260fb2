"""Where an annotation's images are looked for, and that nothing leads out of there."""

from __future__ import annotations

from pathlib import Path

import pytest

from screenmark.benchmarks.image_paths import MOST_PARENTS, ImageFinder, normalised
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


def test_several_folders_are_looked_at_in_order() -> None:
    touch("one/a.png", "two/a.png", "two/b.png", "b.png")
    finder = ImageFinder(Path("en.json"), (Path("one"), Path("two")), ["a.png"])
    assert finder.find("a.png") == Path("one/a.png")
    assert finder.find("b.png") == Path("two/b.png")
    with pytest.raises(ImageError, match=r"tried one/c\.png, two/c\.png$"):
        finder.find("c.png")


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


UP = "../" * 40


@pytest.mark.parametrize("image_path", [UP + "{}", "a/" + UP + "{}", "./../" + UP + "{}"])
@pytest.mark.parametrize("image_dir", ["/", "project", None])
def test_climbing_above_the_machine_leads_out_too(image_path: str, image_dir: str | None) -> None:
    touch("secret.png")
    image_path = image_path.format(str(Path("secret.png").absolute())[1:])
    with pytest.raises(ImageError, match=r"leads out of .*; expected a path below it"):
        find(image_path, image_dir)


@pytest.mark.parametrize("annotation", ["/no-such-folder/e.json", "/e.json", "/proc/self/root/e"])
@pytest.mark.parametrize("here", ["/", None])
def test_the_whole_machine_is_no_root(
    annotation: str, here: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch("secret.png")
    image_path = str(Path("secret.png").absolute())[1:]
    if here is not None:
        monkeypatch.chdir(here)
    finder = ImageFinder(Path(annotation), None, [image_path])
    with pytest.raises(ImageError, match="image not found"):
        finder.find(image_path)
    named = ImageFinder(Path(annotation), Path("/"), [])
    assert named.find(image_path).is_file()


@pytest.mark.parametrize(
    ("annotation", "here", "found"),
    [
        pytest.param("home/down/e.json", "home/down", False, id="above the annotation"),
        pytest.param("linked/down/e.json", "home/down", False, id="through a link"),
        pytest.param("e.json", "home", False, id="as working directory"),
        pytest.param("home/e.json", "home/down", True, id="annotation directly in it"),
    ],
)
def test_a_home_folder_is_a_root_only_for_what_lies_directly_in_it(
    annotation: str, here: str, found: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    touch("home/keys/a.png", "home/down/x")
    Path("linked").symlink_to("home")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / here)
    finder = ImageFinder(tmp_path / annotation, None, ["keys/a.png"])
    if found:
        assert finder.find("keys/a.png") == tmp_path / "home/keys/a.png"
        return
    with pytest.raises(ImageError, match="image not found"):
        finder.find("keys/a.png")


@pytest.mark.parametrize(("depth", "found"), [(MOST_PARENTS - 1, True), (MOST_PARENTS, False)])
def test_only_so_many_folders_above_are_searched(
    depth: int, found: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    touch("images/a.png", "elsewhere/x")
    monkeypatch.chdir("elsewhere")
    finder = ImageFinder(tmp_path / ("d/" * depth) / "e.json", None, ["images/a.png"])
    if found:
        assert finder.find("images/a.png") == tmp_path / "images/a.png"
        return
    with pytest.raises(ImageError, match="image not found"):
        finder.find("images/a.png")


def test_going_up_behind_a_link_stays_in_the_folder_that_holds_the_link() -> None:
    touch("disk/secret.png", "disk/pages/a.png", "project/b.png")
    Path("project/images").symlink_to(Path("disk/pages").absolute())
    assert find("images/a.png", "project") == "project/images/a.png"
    assert find("images/../b.png", "project") == "project/b.png"
    with pytest.raises(ImageError, match="image not found"):
        find("images/../secret.png", "project")


@pytest.mark.parametrize(
    ("image_path", "same"),
    [
        ("images/b.png", "images/b.png"),
        ("./images//b.png", "images/b.png"),
        ("x/../images/./b.png", "images/b.png"),
        ("../b.png", "../b.png"),
        ("images/b.png\x00.txt", "images/b.png\x00.txt"),
    ],
)
def test_one_path_a_file(image_path: str, same: str) -> None:
    assert normalised(image_path) == same


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
