"""What `make image` says to the builder and to the runner, and what it says where they are missing."""

import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest

from config.servers import image


def test_the_builder_is_told_the_commit_and_a_base_of_ones_own() -> None:
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=image.ROOT, capture_output=True, text=True, check=True)
    words = image.build_command("buildah", "sunwi", "localhost/base", {"BUILD_OPTIONS": "--volume '/a b:/c:ro'"})

    assert words[:4] == ["buildah", "build", "--isolation", "chroot"]
    assert f"GIT_COMMIT={head.stdout.strip()}" in words
    assert "PYTHON_IMAGE=localhost/base" in words
    assert words[-5:] == ["--volume", "/a b:/c:ro", "--tag", "sunwi", str(image.ROOT)]
    assert not any("PYTHON_IMAGE" in word for word in image.build_command("docker", "sunwi", "", {}))


def test_it_runs_with_a_disk_to_read_and_no_rights_and_its_own_command() -> None:
    words = image.run_command("podman", "sunwi", "tried", {"RUN_OPTIONS": "--cgroups=disabled"})

    assert {"--read-only", "--cap-drop=ALL", "no-new-privileges", "none", "--cgroups=disabled"} <= set(words)
    assert words[-1] == "sunwi"


@pytest.mark.parametrize(("user", "refused"), [("0", True), ("10001", False)])
def test_one_that_runs_as_root_is_refused(tmp_path: Path, user: str, refused: bool) -> None:
    runner = tmp_path / "runner"
    runner.write_text(f'#!/bin/sh\ncase "$*" in *probe*) ;; *) echo {user}; echo "CapEff: {0:016x}" ;; esac\n')
    runner.chmod(0o755)

    if refused:
        with pytest.raises(image.Refused, match="does not run as 10001"):
            image.look(str(runner), "tried")
    else:
        image.look(str(runner), "tried")


def test_without_a_builder_it_says_which_would_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\nexit 1\n")  # its daemon is away
    docker.chmod(0o755)

    with patch.dict("os.environ", {"PATH": str(tmp_path)}):
        status = image.main({})

    assert status == 1
    assert capsys.readouterr().err == "make image: none of these works on this machine: docker, podman, buildah\n"
