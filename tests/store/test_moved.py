"""A store's file that is moved, deleted or replaced while it is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import steno
from tests.support.promises import proves

WINDOW = 8_000


def said(number: int) -> dict[str, str]:
    return {"role": "user", "content": f"words {number}"}


def delete_file(path: Path) -> None:
    for side in path.parent.glob(f"{path.name}*"):
        side.unlink()


def replace_file(path: Path) -> None:
    other = path.with_name("other.db")
    with steno.Session(other, name="agent", wire="openai", window=WINDOW) as session:
        session.add(said(0))
    other.replace(path)


def replace_by_a_folder(path: Path) -> None:
    path.rename(path.with_name("old.db"))
    path.mkdir()


def replace_by_a_link(path: Path) -> None:
    path.rename(path.with_name("old.db"))
    path.symlink_to("old.db")


@proves("store.failures")
@pytest.mark.parametrize(
    "change",
    [
        delete_file,
        replace_file,
        replace_by_a_folder,
        replace_by_a_link,
        lambda path: path.rename(path.with_name("old.db")),
        lambda path: path.parent.rename(path.parent.with_name("elsewhere")),
    ],
)
def test_a_file_that_is_gone_or_another_one_acknowledges_nothing(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / "agent.db"
    session = steno.Session(path, name="agent", wire="openai", window=WINDOW, durable=False)
    session.add(said(0), said(1))
    change(path)
    for use in (lambda: session.add(said(2)), session.messages, session.fork):
        with pytest.raises(steno.errors.StoreFailed, match="moved, deleted or replaced"):
            use()
    assert session.open("0-1") == [said(0), said(1)]
    session.close()


@proves("store.failures")
def test_a_file_that_is_put_back_is_the_same_and_so_is_one_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with steno.Session("agent.db", name="agent", wire="openai", window=WINDOW) as session:
        (tmp_path / "other").mkdir()
        monkeypatch.chdir("other")
        session.add(said(0))
        path = tmp_path / "agent.db"
        path.rename(tmp_path / "away.db")
        with pytest.raises(steno.errors.StoreFailed, match="put the file back"):
            session.add(said(1))
        (tmp_path / "away.db").rename(path)
        session.add(said(1))

    with steno.Session(path, name="agent") as again:
        assert again.open("0-1") == [said(0), said(1)]


@proves("store.failures")
def test_a_link_to_a_file_works_until_it_leads_to_a_moved_one(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (tmp_path / "linked").symlink_to("kept")
    path = tmp_path / "agent.db"
    path.symlink_to("linked/real.db")
    with steno.Session(path, name="agent", wire="openai", window=WINDOW) as session:
        session.add(said(0))
        (folder / "real.db").rename(folder / "old.db")
        path.unlink()
        path.symlink_to("kept/old.db")
        with pytest.raises(steno.errors.StoreFailed, match="put the file back"):
            session.add(said(1))
        (folder / "old.db").rename(folder / "real.db")
        path.unlink()
        path.symlink_to("kept/real.db")
        session.add(said(1))

    with steno.Session(path, name="agent") as again:
        assert again.open("0-1") == [said(0), said(1)]


@proves("store.failures")
def test_a_folder_that_is_moved_and_linked_to_holds_the_log_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    path = folder / "agent.db"
    with steno.Session(path, name="agent", wire="openai", window=WINDOW) as session:
        session.add(said(0))
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to("elsewhere")
        session.add(said(1))
        with steno.Session(path, name="agent") as other:
            assert other.open("0-1") == [said(0), said(1)]
