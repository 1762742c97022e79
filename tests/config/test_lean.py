"""What worker and beat load: what they do not need costs memory for as long as they run."""

import json
import subprocess
import sys
from pathlib import Path

from celery import VERSION_BANNER

ROOT = Path(__file__).parents[2]
LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"
A_WORKER = "import config.celery; config.celery.app.loader.import_default_modules();"
A_MAIL = """
from accounts.services.mails import links
from foundation.mail_templates import TEXTS
TEXTS.render_to_string('accounts/mail/known.txt', {'link': links.address('account-reset')})
TEXTS.render_to_string('competitions/mail/notice.html', {'sentences': ['Over.']});"""
ENGINE_OF_PAGES = "django.template.loader"
ALL_PAGES = "import django; django.setup(); import config.urls;"
THE_CHECKS = "import django; django.setup(); from django.core.checks import run_checks; run_checks(tags=['admin']);"
APPS = ("accounts", "foundation", "leaderboards", "likes", "competitions")
PAGES = (".admin", ".api", ".views")


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh process has then."""
    told = subprocess.run([sys.executable, "-c", code + LOADED], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(told.stdout))


def pages(modules: set[str]) -> set[str]:
    return {f"{app}{kind}" for app in APPS for kind in PAGES} & modules


def test_a_worker_loads_every_task_and_no_page() -> None:
    modules = loaded_by(A_WORKER)

    assert {f"{app}.tasks" for app in APPS} <= modules
    assert not pages(modules)
    assert not modules & {"ninja", "pydantic", "PIL"}


def test_a_worker_that_sends_a_mail_loads_no_page_either() -> None:
    modules = loaded_by(A_WORKER + A_MAIL)

    assert not pages(modules)
    assert not modules & {"config.urls", "ninja", "pydantic"}


def test_no_task_writes_its_mails_with_the_engine_of_pages() -> None:
    asking = [
        path for app in APPS for path in (ROOT / app / "services").rglob("*.py") if ENGINE_OF_PAGES in path.read_text()
    ]

    assert not asking


def test_whoever_needs_them_loads_all_pages() -> None:
    modules = loaded_by(ALL_PAGES)

    assert pages(modules) >= {f"{app}.admin" for app in ("leaderboards", "likes", "competitions")}
    assert "competitions.views" in modules


def test_the_checks_look_at_every_page_of_the_admin() -> None:
    assert {f"{app}.admin" for app in ("leaderboards", "likes", "competitions")} <= pages(loaded_by(THE_CHECKS))


def test_beat_loads_no_task_and_no_app() -> None:
    modules = loaded_by("import config.beat; config.beat.app.loader.init_worker(); config.beat.app.finalize();")

    assert modules & {"foundation.worker.urgent"}
    assert not {name for name in modules if name.startswith(APPS) and name.endswith((".tasks", ".models", ".apps"))}
    assert not modules & {"django.db", "django.http", "django.contrib.admin", "ninja", "pydantic"}


def test_beat_logs_as_all_others_do() -> None:
    code = "import config.beat, logging; print(logging.getLogger('celery.beat').level)"
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "30"  # one line a task and second would be all that its log says


def test_who_runs_loads_no_shell_for_people_and_the_command_line_is_whole() -> None:
    code = """import sys; sys.argv = ['celery', '--version']
from config.run_celery import main
try: main()
except SystemExit as end: assert not end.code
from celery.bin.celery import celery
assert {'worker', 'beat', 'inspect'} <= set(celery.commands)
"""
    told = subprocess.run([sys.executable, "-c", code + LOADED], cwd=ROOT, capture_output=True, text=True, check=True)

    assert "celery.bin.worker" in told.stdout
    assert "prompt_toolkit" not in told.stdout


def test_a_worker_that_is_sent_hup_begins_again_by_the_path_of_its_file() -> None:
    """Celery's worker replaces itself by ``sys.argv``, which begins with that path."""
    command = [sys.executable, str(ROOT / "config" / "run_celery.py"), "-A", "config", "--version"]

    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert told.stdout.strip() == VERSION_BANNER
