"""Language of a page.

The account's language for a signed-in person; otherwise the language chosen at the foot of a
page, which a cookie keeps; otherwise the browser's preference.
"""

from datetime import timedelta

from flask import Flask, g, request
from werkzeug.wrappers import Response

from engine.languages import ENGLISH, LANGUAGES, nearest_language
from service.core.current_settings import settings
from service.core.errors import PROBLEM_TYPES
from service.core.i18n import script_words, translations_for
from service.web.sessions import set_cookie

CHOICE_FOR = timedelta(days=365)


def page_language() -> str:
    """The language of this page."""
    if "language" not in g:
        g.language = _language()
    found: str = g.language
    return found


def _language() -> str:
    # Not `visitor()`: problem pages must work without the database.
    caller = g.get("visitor")
    if caller is not None:
        return nearest_language(caller.language)
    chosen = request.cookies.get(_cookie_name())
    return chosen if chosen is not None and chosen in LANGUAGES else browser_language()


def browser_language() -> str:
    """The first available language that the browser accepts."""
    g.language_of_browser = True
    # `best_match` would rather have `de;q=0.5` than see that `en-GB` is English.
    for tag, quality in request.accept_languages:
        language = tag.lower().partition("-")[0]
        if quality > 0 and language in LANGUAGES:
            return language
    return ENGLISH


def speak(language: str) -> None:
    """Use a language for this page, whoever the viewer is."""
    g.language = language


def keep_language(response: Response, language: str) -> None:
    """Keep a language in this browser for anonymous pages."""
    set_cookie(response, _cookie_name(), language, int(CHOICE_FOR.total_seconds()))


def _cookie_name() -> str:
    return f"{settings().session_cookie}-language"


def say(text: str) -> str:
    """A text in the language of the page."""
    return translations_for(page_language()).gettext(text)


def say_many(one: str, many: str, n: int) -> str:
    """A text with plural forms in the language of the page."""
    return translations_for(page_language()).ngettext(one, many, n)


def problem_title(code: str) -> str:
    """Title of a problem type in the language of the page."""
    return say(PROBLEM_TYPES[code].title)


def register_speech(app: Flask) -> None:
    """Add gettext to the templates."""
    env = app.jinja_env
    env.add_extension("jinja2.ext.i18n")
    env.policies["ext.i18n.trimmed"] = True
    env.install_gettext_callables(say, say_many, newstyle=False)  # type: ignore[attr-defined]
    env.globals.update(
        languages=LANGUAGES,
        page_language=page_language,
        problem_title=problem_title,
        script_words=lambda: script_words(page_language()),
    )


def vary_by_language(response: Response) -> None:
    """Add `Vary: Accept-Language` if the browser's preference decided."""
    if g.get("language_of_browser"):
        response.vary.add("Accept-Language")
