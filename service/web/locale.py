"""Which language a page speaks.

Somebody who signed in has chosen one for their account. A stranger may choose one at the foot of
a page, which a cookie keeps; otherwise the browser says what its owner reads.
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
    # Not `visitor()`: a page that says what went wrong must not need the database.
    caller = g.get("visitor")
    if caller is not None:
        return nearest_language(caller.language)
    chosen = request.cookies.get(_cookie_name())
    return chosen if chosen is not None and chosen in LANGUAGES else browser_language()


def browser_language() -> str:
    """The first of our languages that the browser of somebody we do not know asks for."""
    g.language_of_browser = True
    # `best_match` would rather have `de;q=0.5` than see that `en-GB` is English.
    for tag, quality in request.accept_languages:
        language = tag.lower().partition("-")[0]
        if quality > 0 and language in LANGUAGES:
            return language
    return ENGLISH


def speak(language: str) -> None:
    """Let this page speak a language, whoever looks at it."""
    g.language = language


def keep_language(response: Response, language: str) -> None:
    """Speak this language to the browser as long as nobody signs in."""
    set_cookie(response, _cookie_name(), language, int(CHOICE_FOR.total_seconds()))


def _cookie_name() -> str:
    return f"{settings().session_cookie}-language"


def say(text: str) -> str:
    """A text in the language of the page."""
    return translations_for(page_language()).gettext(text)


def say_many(one: str, many: str, n: int) -> str:
    """A text for one or several of something, in the language of the page."""
    return translations_for(page_language()).ngettext(one, many, n)


def problem_title(code: str) -> str:
    """What a refusal is called."""
    return say(PROBLEM_TYPES[code].title)


def register_speech(app: Flask) -> None:
    """Let templates say `_("..")`, `ngettext(..)` and `{% trans %}`."""
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
    """Tell caches that the browser's wishes decided."""
    if g.get("language_of_browser"):
        response.vary.add("Accept-Language")
