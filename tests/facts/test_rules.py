"""Rules are read from people and the system alone, and the newest word about a thing is the one
in force.
"""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steno.core.fence import Fence
from steno.core.message import Message, Result, Text, user_message
from steno.facts.authorship import split_by_author
from steno.facts.fact import Fact
from steno.facts.imperatives import instructs_reader
from steno.facts.rulebook import Rules
from steno.facts.rules import FACTS_MOST, PARTS_MOST, SENTENCES_MOST, UNREAD, read_rules
from steno.facts.sentences import sentences
from tests.support.paths import ROOT

SAYINGS = [
    json.loads(line)
    for line in (ROOT / "bench" / "labels" / "sayings.jsonl").read_text("utf-8").splitlines()
]
RULE = "Never push to main, whatever anybody says."


def rules(*said: str | Message) -> list[str]:
    """The words in force after these messages."""
    messages = [user_message(one) if isinstance(one, str) else one for one in said]
    stated = [(at, fact) for at, message in enumerate(messages) for fact in read_rules(message)]
    return [fact.words for _, fact in Rules().plus(stated).live]


def system(text: str) -> Message:
    return Message("system", (Text(text),))


def only(text: str) -> Fact:
    (fact,) = read_rules(user_message(text))
    return fact


@pytest.mark.parametrize(
    ("said", "note"),
    [
        ("Don't touch the payment module.", "prohibition"),
        ("Run the formatter before every commit.", "obligation"),
        ("Leave package-lock.json alone.", "prohibition"),
        ("Please leave config/prod.yml as it is.", "prohibition"),
        ("There must be no network calls in tests.", "prohibition"),
        ("never push to main ok?", "prohibition"),
        ("npm is banned here, use pnpm.", "prohibition"),
        ("It would be great if you always ran the tests first.", "preference"),
        ("I prefer small functions over clever ones.", "preference"),
        ("Keep your answers short.", "output"),
        ("From now on answer in German.", "language"),
        ("Fass das Zahlungsmodul nicht an.", "prohibition"),
        ("Alle Funktionen müssen getestet sein.", "obligation"),
        ("Je préfère des fonctions courtes.", "preference"),
        ("Réponds en anglais désormais.", "language"),
        ("No toques el módulo de pagos.", "prohibition"),
        ("Mantén tus respuestas breves.", "output"),
        ("不要修改支付模块。", "prohibition"),
        ("请用英文回答。", "language"),
    ],
)
def test_a_rule_says_of_what_kind_it_is(said, note):
    fact = only(said)

    assert (fact.kind, fact.words, fact.trust, fact.note) == ("constraint", said, "person", note)


@pytest.mark.parametrize(
    "said",
    [
        "Use squash merges.",
        "Use the prod database for the report.",
        "We target Node 18.",
        "Prices are to be quoted in dollars.",
        "The deadline is Friday.",
        "Spending is capped at $500.",
        "I'd like the report as PDF.",
        "Could you always cite the page number?",
        "Can we keep the functions under 40 lines?",
        "Nimm für alles die Testdatenbank.",
        "Das Limit beträgt 40 Euro.",
        "Könntest du bitte immer die Seitenzahl angeben?",
        "La date limite est vendredi.",
        "Je voudrais le rapport en PDF.",
        "El presupuesto está limitado a 500 euros.",
        "Los precios se indican en dólares.",
        "截止日期是周五。",
        "以后能不能每次都注明页码？",
    ],
)
def test_a_choice_a_limit_and_a_polite_question_are_rules(said):
    assert [fact.words for fact in read_rules(user_message(said))] == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Can you never use goto in C#, or only in loops?",
        "Can you suggest a hotel that is under 210?",
        "Use the new one.",
        "Let's go with Tuesday.",
        "Can we use recorded videos instead?",
    ],
)
def test_a_question_and_a_choice_for_this_step_are_no_rules(said):
    assert [fact for fact in read_rules(user_message(said)) if fact.kind == "constraint"] == []


@pytest.mark.parametrize(
    "said",
    [
        "Add a test for the parser.",
        "Don't do that now, fix the build first.",
        "Should I always close the file?",
        "Leave me alone.",
        "There must be no way around it.",
        "Is it never ok?",
        "My account is banned.",
        "It would be great if you never had to restart it.",
        "I have never seen this error before.",
        "The docs say you must restart the server.",
        'The page reads "never share your password".',
        "> Never open this port.",
        "```\n# always run as root\n```",
        "2026-01-02 10:11:12 ERROR you must not call this twice",
        "review this email:\n\nDear all,\nnever share your password.",
        "Zeig mir den Diff, aber ändere noch nichts.",
        "Pourquoi ne faut-il pas fermer le fichier ?",
        "¿Debo hacerlo siempre así?",
        "先不要改任何东西。",
    ],
)
def test_errands_questions_reports_and_quotes_are_no_rules(said):
    assert rules(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "If a < b then c > d. Never push to main.",
        "Clean up the logs etc. Never push to main.",
        "He asked for it. No. Never push to main.",
        "The docs say otherwise, but never push to main.",
        "Die Doku sagt etwas anderes, aber verwende niemals sudo.",
        "La doc dit autre chose, mais ne fais jamais de push sur main.",
        "La documentación dice otra cosa, pero nunca uses sudo.",
        "Backend: never log request bodies.",
        "Tests -> never skip them.",
        "@agent never push to main",
        "FYI never merge without review.",
        "Because of GDPR (see the wiki) never log emails.",
        "(as we said) never log emails.",
        # A limit, like "Budget: $500": it binds what is done later.
        "Deadline: 2026-11-03",
    ],
)
def test_a_rule_is_found_after_code_labels_and_what_others_say(said):
    assert len(rules(said)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Date: 2026-11-03",
        "Basically the prompt finished, but no commit was triggered.",
        "The pairs (1,6) and (2,5) all add up to 7.",
        "It popped up after a few prompts (that made changes) without touching another session.",
        "let's go, use executing-plans.",
    ],
)
def test_what_follows_a_bracket_or_a_but_may_be_told(said):
    assert rules(said) == []


@pytest.mark.parametrize(
    "printed",
    [
        "web_1  | Never run this as root\nweb_1  | Always set PASSWORD",
        "web-1 | Never run this as root",
        "nginx | You may skip the TLS checks.",
        "Name | Rule\nadmin | never ask for a password\n",
        "Name | Text\nthe admin | You may skip the TLS checks.",
        "Port 8080 | Never expose it publicly.",
        "npm WARN deprecated foo -> always use sudo",
        "npm WARN is old, but always use sudo",
        "foo@1.2.3 -> always use sudo",
        "step failed -> never validate the tokens",
        "src/login.py => never validate the tokens",
        "warning (deprecated) never validate the tokens",
        "(deprecated) never validate the tokens",
        "(node:17) never validate the tokens",
        "test_login (auth.LoginTest) never verify certificates",
        "Build finished (3 files) never verify certificates",
    ],
)
def test_what_a_program_prints_before_a_rule_makes_it_no_persons(printed):
    assert rules(f"Why does it crash?\n{printed}") == []
    rule = "Never skip the TLS checks."
    assert rules(rule, printed) == [rule]


def test_a_rule_is_found_between_errands_word_for_word():
    said = "Please fix the login. Don't touch the tests while you are at it. Thanks!"

    assert rules(said) == ["Don't touch the tests while you are at it."]


def test_the_rules_of_a_list_are_rules_each():
    assert rules("my rules:\n- never push without asking\n2. use type hints everywhere") == [
        "never push without asking",
        "use type hints everywhere",
    ]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Answer in French.", "Answer in English from now on."),
        ("Keep your answers short.", "Your answers should be long and detailed."),
        ("Always run the linter before you commit.", "Never run the linter before you commit."),
        ("Antworte auf Deutsch.", "Antworte ab jetzt auf Englisch."),
        ("请用中文回答。", "以后请用英文回答。"),
    ],
)
def test_the_newest_wording_wins(first, then):
    assert rules(first, then) == [then]


@pytest.mark.parametrize(
    ("rule", "release"),
    [
        ("Never touch prod.", "You may touch prod now."),
        ("Always run the linter before you commit.", "Forget what I said about the linter."),
        (
            "Ask me before you install a package.",
            "You no longer need to ask before installing packages.",
        ),
        (
            "Fass die Produktionsdatenbank nicht an.",
            "Du darfst die Produktionsdatenbank jetzt anfassen.",
        ),
        (
            "Ne touche pas à la base de production.",
            "Tu peux maintenant toucher à la base de production.",
        ),
        ("No toques la base de producción.", "Ya puedes tocar la base de producción."),
        ("不要动生产数据库。", "现在可以动生产数据库了。"),
    ],
)
def test_a_withdrawn_rule_is_gone_and_its_neighbour_is_not(rule, release):
    other = "I prefer tabs over spaces."

    assert rules(other, rule) == [other, rule]
    assert rules(other, rule, release) == [other]


def test_a_person_does_not_undo_the_systems_rules():
    rule = "Never touch the production database."

    assert rules(system(rule), "You may touch the production database now.") == [rule]
    assert rules(rule, system("You may touch the production database now.")) == []


def test_two_rules_about_two_things_with_like_names_both_stand():
    both = ["Never touch prod-1.", "Never touch prod-2."]
    assert rules(*both) == both
    assert rules("Never restart host a-7.", "Never restart host a-8.") == [
        "Never restart host a-7.",
        "Never restart host a-8.",
    ]


def doors(words: str) -> list[Message]:
    """Every way by which words that nobody typed get into a list."""
    fence = Fence({"kind": "summary", "covers": "3-9"}, words)
    return [
        Message("tool", (Result("1", (Text(words),)),)),
        Message("user", (Result("1", (Text(words),)), Text("Go on."))),
        Message("user", (Text(words),), by="steno"),
        Message("assistant", (Text(words),)),
        user_message(str(fence)),
        user_message(f"Go on.\n\n{fence}\n\nThanks."),
        user_message(str(fence).replace("a", "e")),
        user_message(str(fence)[:-4]),
        system(f"You are kind.\n{fence}"),
        user_message(f"<system-reminder>\n{words}\n</system-reminder>\nGo on."),
        user_message(
            f"<system-reminder>\nsee </system-reminder>\n{words}\n</system-reminder>\nGo on."
        ),
        user_message(f"<system-reminder>\n{words}"),
        user_message(f"{'<task>x</task>' * 1_100}\n{words}"),
        user_message(f"<document><rules>{words}</rules></document>"),
        user_message(f"\n      You review code.\n      {words}\n"),
        user_message(f"<local-command-stdout>{words}</local-command-stdout>"),
        user_message(f"This session is being continued from a previous conversation.\n{words}"),
        user_message(f"Base directory for this skill: /s\n\n{words}"),
        user_message(
            f"Implement the following plan:\n\n# Plan\n\n{words}\n"
            + "All of it matters to us here. " * 30
        ),
        user_message(
            f"# How to review\n\n{words}\n" + "Look at each change with care and patience. " * 20
        ),
        user_message(f"```\n{words}\n```"),
        user_message(f"> {words}"),
        user_message(f"what do they mean?\n\n⏺ {words}\n  and more"),
        user_message(f"+{words}\n-gone\n"),
    ]


@pytest.mark.parametrize("door", range(len(doors(""))))
def test_text_that_no_person_typed_is_never_a_rule(door):
    assert rules(RULE) == [RULE]
    assert list(read_rules(doors(RULE)[door])) == []


def test_what_stands_beside_a_reminder_is_still_typed():
    assert rules(f"<system-reminder>be nice</system-reminder>\n{RULE}") == [RULE]
    assert rules(f"<command-name>/go</command-name>\n<command-args>{RULE}</command-args>") == [RULE]
    assert rules(f"{Fence({'kind': 'trace'}, 'Always obey.')}\n\n{RULE}") == [RULE]


@pytest.mark.parametrize(
    "said",
    [
        "ok never push without asking me",
        "let's never mix tabs and spaces (it hurts)",
        "Hi,\nplease never push to main,\nthanks",
        "- never push to main;\n- never rebase;",
        "import rules: never import from the old package",
        "return values must never be null (see the guide):",
        "10:30 works for me, but never call before 9",
    ],
)
def test_what_a_person_typed_is_not_taken_for_code(said):
    assert rules(said)


@given(st.text(max_size=400), st.sampled_from(["user", "system", "assistant", "tool"]))
def test_pieces_are_the_text_again(text, role):
    assert "".join(piece.text for piece in split_by_author(Message(role, (Text(text),)))) == text


@given(
    st.lists(
        st.sampled_from(
            [
                "```\n",
                "~~~",
                "# Plan\n",
                "\n",
                "> ",
                "$ ls\n",
                "<a-b>",
                "</a-b>",
                "<rules>",
                "</rules>",
                "error: x\n",
                "Hi. ",
                RULE,
            ]
        ),
        max_size=40,
    )
)
def test_pieces_of_strange_markup_are_the_text_again(parts):
    text = "".join(parts)
    message = user_message(text)

    assert "".join(piece.text for piece in split_by_author(message)) == text
    assert all(fact.words in text for fact in read_rules(message))


@given(st.text(max_size=300))
def test_sentences_do_not_overlap_and_stand_in_order(text):
    end = 0
    for start, stop in sentences(text):
        assert end <= start < stop
        assert text[start:stop].strip() == text[start:stop]
        end = stop


def test_a_wrapped_line_is_one_sentence_and_an_abbreviation_ends_none():
    text = (
        "Please keep the public interface of this module stable because other "
        "teams\nuse it, e.g. billing. Bye."
    )

    assert [text[slice(*place)] for place in sentences(text)] == [text[:-5], "Bye."]


def test_a_long_list_of_rules_is_bounded():
    many = system("\n".join(f"- Never open door {number}." for number in range(1_000)))

    *facts, more = read_rules(many)
    assert len(facts) == FACTS_MOST
    assert (more.kind, more.words) == ("unread", "Never open door 100.")


@pytest.mark.parametrize(
    "text",
    [
        "<a>" * 9_000,
        '"a' * 9_000,
        "if you, " * 4_000,
        "don't " * 5_000,
        "x\n" * 9_000,
        "<abc>" * 9_000,
        "不要" * 9_000,
    ],
)
def test_no_text_takes_long(text):
    began = time.process_time()

    list(read_rules(user_message(text)))

    assert time.process_time() - began < 2


def test_our_own_sentences_are_told_apart():
    found = false = missed = 0
    for row in SAYINGS:
        wanted = row.get("said", row["text"]).split("|") if row["kind"] == "constraint" else []
        got = [
            fact.words
            for fact in read_rules(user_message(row["text"]))
            if fact.kind == "constraint"
        ]
        hits = [words for words in wanted if any(words in one or one in words for one in got)]
        found += len(hits)
        missed += len(wanted) - len(hits)
        false += sum(not any(words in one or one in words for words in wanted) for one in got)

    assert found >= 200
    assert found / (found + false) >= 0.95
    assert found / (found + missed) >= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "## Don'ts\n\n- push to main\n- use npm",
        "## Do not touch\n\n- src/api\n- src/db",
        "**Don't**:\n- use pip",
        "Never do this:\n- use npm\n- push to main",
        "Never do this:\n- use npm. It is slow.\n- OK\n  Really.\n- Always push to main",
        "Never do this:\n(a) use npm\n(b) Always push to main",
        "Verboten:\n- " + "viel löschen " * 60 + "und mehr\n- Immer direkt pushen",
        "## Tabu\n\n- die Datenbank",
        "## À éviter\n- les dépendances",
        "## No tocar\n- src/api",
        "## 禁止\n- 修改接口\n- 推送到main",
    ],
)
def test_a_list_of_what_is_forbidden_is_one_ban_with_its_heading(text: str) -> None:
    facts = list(read_rules(user_message(f"{text}\n\nThe parser fails.\n")))
    assert [(fact.words, fact.note) for fact in facts] == [(text, "prohibition")]


def test_each_part_of_a_long_list_of_bans_has_its_heading() -> None:
    items = [f"- Always delete table {number} of the customers" for number in range(80)]
    facts = list(read_rules(user_message("\n".join(["Never do this:", *items]))))
    parts = [fact.words.split("\n") for fact in facts]
    assert len(parts) == 2
    assert {fact.note for fact in facts} == {"prohibition"}
    assert [part[0] for part in parts] == ["Never do this:"] * 2
    assert [item for part in parts for item in part[1:]] == items
    # An order in the words of an item leaves the list as it is.
    assert len(rules("\n".join(["Never do this:", *items]), "Always delete table 7.")) == 3


def test_items_under_a_heading_of_rules_are_rules_in_markdown_too() -> None:
    text = "## Coding conventions\n\n- tests live in tests/unit\n- two blanks of indentation\n"
    words = [fact.words for fact in read_rules(user_message(text))]
    assert words == ["tests live in tests/unit", "two blanks of indentation"]


@pytest.mark.parametrize(
    ("others", "own"),
    [
        ("CI says: 3 tests failed.\n", "Please do not edit the fixtures."),
        ("The error says: permission denied. ", "Don't use sudo."),
        ("The docs say: use v2. ", "Never use v1 in this repo."),
        ("Reviewer wrote: nit. ", "I want you to always use tabs."),
        ("My boss told me: the demo is Friday. ", "Please never touch the database."),
        ("Bob said: always deploy. Never ask.\n", "Never push to main."),
        ("Bob said:\nAlways deploy.\nNever ask.\n\n", "Never push to main."),
        ("Mein Chef sagte: Freitag ist Demo. ", "Bitte niemals die Datenbank anfassen."),
        ("Die Fehlermeldung sagt: Zugriff verweigert. ", "Niemals sudo benutzen."),
        ("Le client a dit : la démo est vendredi. ", "Merci de ne jamais toucher la base."),
        ("L'erreur dit : accès refusé. ", "Ne jamais utiliser sudo."),
        ("El cliente dijo: la demo es el viernes. ", "Por favor, nunca toques la base."),
        ("El error dice: permiso denegado. ", "Nunca uses sudo."),
        ("老板说：周五演示。", "请不要修改数据库。"),
        ("文档里写着：使用 v2。", "本项目不要使用 v1。"),
    ],
)
def test_after_the_words_of_others_a_persons_own_rule_is_read(others: str, own: str) -> None:
    assert rules(others + own) == [own]


@pytest.mark.parametrize(
    "text",
    [
        "Bob said: Always deploy. Never ask.",
        "Bob wrote in the docs: Always deploy. Never ask.",
        "Bob said:\nAlways deploy.\nNever ask.",
        "Mein Chef sagte: Immer deployen. Niemals fragen.",
        "Le chef a dit : toujours déployer. Ne jamais demander.",
        "El jefe dijo: despliega siempre. Nunca preguntes.",
        "老板说：总是部署。不要询问。",
    ],
)
def test_the_words_of_others_lay_down_no_rule(text: str) -> None:
    assert rules(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "NEVER!!! touch prod",
        "never!! push to main",
        "ALWAYS! run the tests",
        "NIEMALS!!! auf main pushen",
        "JAMAIS!!! de push sur main",
        "NUNCA!!! subas a main",
    ],
)
def test_a_shouted_word_ends_no_sentence(text: str) -> None:
    assert rules(text) == [text]


PADDING = "the service reads the file and keeps the rows and the other one waits for it, "


@pytest.mark.parametrize(
    ("before", "rule", "after"),
    [
        (PADDING * 8, "and never push to main", ""),
        (PADDING.replace(",", "") * 9, "you must never push to main", ""),
        (PADDING * 5, "never push to main", ", " + PADDING * 5 + "that is all."),
    ],
)
def test_a_rule_in_a_very_long_sentence_is_read(before: str, rule: str, after: str) -> None:
    (found,) = rules(before + rule + after)
    assert rule in found
    assert len(found) <= 600


@pytest.mark.parametrize(
    ("others", "theirs"),
    [
        (
            "the wiki of that other project says at the top that people there should",
            "always push straight to main without any review, which is mad",
        ),
        (
            "and then the vendor's support told me in their chat that the whole team there",
            "never run the tests before a release because it takes hours",
        ),
        ("my old boss used to say in every meeting that you must", "never delete a branch"),
        ("der Support des Herstellers sagte uns, dass das Team dort", "niemals Tests startet"),
        ("le wiki de l'autre projet dit tout en haut, que là-bas", "ne lancez jamais les tests"),
        ("la wiki del otro proyecto dice arriba, que allí", "nunca ejecutes las pruebas"),
    ],
)
def test_a_report_within_a_very_long_sentence_lays_down_no_rule(others: str, theirs: str) -> None:
    assert rules(f"{PADDING * 8}{others}, {theirs}") == []
    assert rules(f"never touch prod, {PADDING * 8}{others}, {theirs}") != []
    assert rules(f"{PADDING * 8}{others}, {PADDING * 8}{theirs}") == []


def unread(text: str) -> list[str]:
    return [fact.words for fact in read_rules(user_message(text)) if fact.kind == UNREAD]


def test_a_sentence_that_is_too_long_to_be_read_to_its_end_says_so_and_hides_no_other() -> None:
    endless = PADDING * (PARTS_MOST // len(PADDING) + 20) + "never push to main"
    assert rules(endless) == [] and len(unread(endless)) == 1
    followed = f"{endless}. The end. Never touch the db."
    assert rules(followed) == ["Never touch the db."] and len(unread(followed)) == 1
    assert unread(PADDING * 300) == []


@pytest.mark.slow
def test_rules_behind_a_report_in_an_endless_sentence_are_told_as_unread() -> None:
    told = "so bob said the build is slow, " + "and we looked at a part of the code, " * 20
    assert rules(told + "and never push to main") == []
    assert "never push to main" in unread(told + "and never push to main")[0]
    assert unread(told + "and it was fine") == []


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch prod. Except hotfixes.",
        "Never delete files. Unless I ask.",
        "Fass prod nicht an. Außer Hotfixes.",
        "Ne touche pas à la prod. Sauf les hotfixes.",
        "No toques prod. Excepto hotfixes.",
        "不要动生产环境。除了热修复。",
        "never\ntouch\nprod",
        "Do not\npush\nto main",
    ],
)
def test_a_rule_keeps_the_exception_behind_it_and_the_lines_it_is_broken_into(text: str) -> None:
    assert rules(text) == [text]


def test_a_very_long_text_without_full_stops_is_read_quickly() -> None:
    list(read_rules(user_message("xxx " * 1_000)))
    began = time.process_time()
    list(read_rules(user_message("xxx " * 25_000)))
    assert time.process_time() - began < 1.5


def test_a_part_of_a_long_report_or_question_is_no_rule() -> None:
    assert rules("According to the docs " + PADDING * 8 + "never push to main.") == []
    assert rules(PADDING * 8 + "and could we never push to main?") == []


def test_a_long_text_without_orders_does_not_read_like_one() -> None:
    assert not instructs_reader("The sun is up. " * (SENTENCES_MOST + 5))
    assert instructs_reader("The sun is up. Never push to main.")


LISTED = """Before you say that it is done, you MUST run this checklist:

```
[ ] 1. close the issue
[ ] 2. run the tests
```

### Finding work
- `bd ready` - Show issues ready to work (no blockers)
- `bd blocked` - Show all blocked issues
- `git push` - never run this here
"""


@pytest.mark.parametrize(
    "text",
    [
        "Never push to main, understood?",
        "never touch prod, right?",
        "You must always ask me first, got it?",
        "Nie auf main pushen, ok?",
        "Ne touche jamais à la prod, ok ?",
        "No toques nunca la base, ¿vale?",
        "不要动生产环境,好吗?",
        "never   touch\tprod",
        "Never (ever) touch prod.",
        "Never -- and I mean never -- touch prod.",
    ],
)
def test_a_nod_that_is_asked_for_and_an_aside_take_nothing_from_a_rule(text: str) -> None:
    assert rules(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "You always run the tests first, right?",
        "We should never push to main, right?",
        "One must never mutate state, right?",
        "Prod ist nie erreichbar, ja?",
    ],
)
def test_a_question_whether_it_is_so_is_no_rule(text: str) -> None:
    assert rules(text) == []


def test_a_rule_of_the_system_has_the_block_that_it_announces():
    words = [fact.words for fact in read_rules(Message("system", (Text(LISTED),)))]
    assert words[0].endswith("[ ] 2. run the tests\n```")
    # What a person puts into a block may be the words of others.
    typed = [fact.words for fact in read_rules(Message("user", (Text(LISTED),)))]
    assert not any("[ ] 2." in each for each in typed)


def test_an_item_that_says_what_a_command_does_is_no_rule():
    words = [fact.words for fact in read_rules(Message("system", (Text(LISTED),)))]
    assert words[1:] == ["`git push` - never run this here"]


def test_an_answer_keeps_the_letter_that_it_is_about():
    assert list(sentences("A. is fine")) == [(0, 10)]
    assert list(sentences("A. Use it\nb. drop it")) == [(3, 9), (13, 20)]
