"""Rules hold exactly as wide as they were said: exceptions, corrections, whole statements."""

from __future__ import annotations

import pytest

import steno
from steno.core.message import Call, Message, Result, Text, user_message
from steno.engine.designs import POLICIES
from steno.facts.languages.detect import guess_language
from steno.facts.ledger import Ledger
from steno.facts.rule_kinds import ADDITION, CORRECTION, EXCEPTION, ONCE
from steno.facts.rulebook import UNUSED, USED
from steno.summary.sections import fact_line
from tests.support.coding_sessions import exchange


def ledger_of(*talk: str) -> Ledger:
    messages: list[Message] = []
    for text in talk:
        messages += [user_message(text), Message("assistant", (Text("Understood."),))]
    return Ledger.of(messages)


def in_force(*talk: str) -> list[tuple[str, str]]:
    """Return the words in force, each with what it is beside a rule, or with nothing."""
    beside = (EXCEPTION, CORRECTION, ADDITION)
    found: list[tuple[str, str]] = []
    for _, fact in ledger_of(*talk).rules:
        found.append((fact.words, fact.note if fact.note in beside else ""))
    return found


@pytest.mark.parametrize(
    ("rule", "exception"),
    [
        ("Never touch staging.", "You may touch the staging of team B."),
        ("Don't use curl.", "curl is fine inside the build image"),
        ("No new tables.", "Temporary tables are allowed now."),
        ("Always ask before you rename something.", "For local variables you don't have to ask."),
        ("Ändere die Makefiles nicht.", "Das Makefile der Doku darfst du ändern."),
        ("Ne supprime pas les journaux.", "Tu peux supprimer les journaux du mois dernier."),
        ("No borres las copias.", "Puedes borrar las copias de enero."),
        ("不要修改接口。", "测试环境的接口可以修改。"),
        ("Never push to main.", "Once the review is done, pushing to main is fine."),
        ("Never push to main.", "So long as CI is green, pushing to main is fine."),
        ("Never push to main.", "Then pushing to main is fine."),
        ("Pushe nie auf main.", "Ist das Review fertig, darfst du auf main pushen."),
        ("Ne pousse jamais sur main.", "Du moment que la CI est verte, tu peux pousser sur main."),
        ("Nunca hagas push a main.", "Entonces puedes hacer push a main."),
        ("不要推送到main。", "审核完成后，可以推送到main。"),
        ("不要推送到main。", "待审核完成，可以推送到main。"),
    ],
)
def test_a_narrower_permission_stands_beside_its_ban(rule: str, exception: str) -> None:
    assert in_force(rule, exception) == [(rule, ""), (exception, EXCEPTION)]


@pytest.mark.parametrize(
    ("rule", "few_words", "note"),
    [
        ("Never push to main.", "This also applies to the release branch.", ADDITION),
        ("Never push to main.", "Nor to release.", ADDITION),
        ("Never push to main.", "That includes release.", ADDITION),
        ("Never deploy on Fridays.", "Same goes for holidays.", ADDITION),
        ("Never deploy on Fridays.", "And not on Mondays either.", ADDITION),
        ("Pushe nie auf main.", "Das gilt auch für release.", ADDITION),
        ("Ne pousse jamais sur main.", "Ni sur release.", ADDITION),
        ("Nunca hagas push a main.", "Tampoco a release.", ADDITION),
        ("不要推送到main。", "release也不行。", ADDITION),
        ("Don't touch the tests.", "Unless they are broken.", EXCEPTION),
        ("No new dependencies.", "pytest is allowed.", EXCEPTION),
        ("Never delete files.", "Logs are an exception.", EXCEPTION),
        ("Lösche nichts.", "Außer die Logs.", EXCEPTION),
        ("Ne supprime rien.", "Sauf les logs.", EXCEPTION),
        ("No borres nada.", "Excepto los logs.", EXCEPTION),
        ("不要删除任何东西。", "日志除外。", EXCEPTION),
    ],
)
def test_few_words_that_extend_or_except_a_rule_stand_beside_it_some_messages_later(
    rule: str, few_words: str, note: str
) -> None:
    for between in (0, 3):
        talk = [rule, *["Here is what the parser does."] * between, few_words]
        assert in_force(*talk) == [(rule, ""), (few_words, note)]
    assert in_force(few_words) == []
    assert (few_words, note) in in_force(rule, few_words, rule)


@pytest.mark.parametrize(
    ("ban", "permission"),
    [
        ("Never send money to Christian.", "You may send money to Christina."),
        ("Never email Ann.", "You may email Anne."),
        ("Never restart the server.", "You can restart the service."),
        ("Never deploy to production.", "You can deploy to products."),
        ("Never delete backups.", "You may delete this backup."),
        ("Never drop the table `order`.", "You may drop the table `orders`."),
        ("Never post in #general.", "You may post in #generals."),
        ("Schreibe nie an Martin.", "Du darfst an Martina schreiben."),
        ("Never commit without asking me.", "You can commit this without asking me."),
        ("Never commit without asking me.", "Just this once, commit without asking me."),
        ("Always ask before deleting.", "You can delete this without asking."),
        # A part of a list.
        ("Don't use lodash or moment.", "lodash is fine again"),
        ("Never push or merge to main.", "You may push to main now."),
        ("Don't commit or push.", "You can commit now."),
        ("Don't touch auth, billing or search.", "you can change search now"),
        ("Keine E-Mails und keine SMS verschicken.", "SMS darfst du jetzt verschicken."),
        ("No toques ni la base de datos ni el esquema.", "Ya puedes tocar el esquema."),
        ("不要使用lodash和moment。", "现在可以用moment了。"),
        # Some of them, or for a time, or in a place.
        *(
            ("Don't merge pull requests.", f"You can merge {some} pull requests.")
            for some in ("your own", "my", "new", "most", "approved", "these")
        ),
        *(
            ("Don't merge pull requests.", f"You can merge pull requests {when}.")
            for when in ("today", "here", "by me", "this week", "once")
        ),
        *(
            ("Never deploy to production.", f"You can deploy to production {tie}.")
            for tie in (
                *("on Monday", "on Tuesdays", "for me", "without me", "with my permission", "more"),
                *("before the freeze", "after you ask", "until noon", "with our approval"),
            )
        ),
        *(
            ("Don't delete files.", f"You can delete {which}.")
            for which in ("files you own", "used files", "files that need it", "our files")
        ),
        *(
            ("Nie auf main pushen.", f"Du darfst auf main pushen{tie}.")
            for tie in (" nach Freigabe", " mit Genehmigung", ", aber nicht jetzt")
        ),
        *(
            ("Ne pousse jamais sur main.", f"Tu peux pousser sur main {tie}.")
            for tie in ("avec mon accord", "après la revue", "mais pas maintenant")
        ),
        *(
            ("No hagas push a main.", f"Puedes hacer push a main {tie}.")
            for tie in ("con mi permiso", "sin mí", "antes de las 9")
        ),
        *(
            ("不要删除文件。", f"可以删除{which}文件{tie}。")
            for which, tie in (("你的", ""), ("我们的", ""), ("", "，但先问我"))
        ),
        ("Merge keine Pull-Requests.", "Du darfst Pull-Requests heute mergen."),
        ("Ne fusionne pas les branches.", "Tu peux fusionner les nouvelles branches."),
        ("Pas de commit le vendredi.", "ce vendredi c'est bon"),
        ("No fusiones ramas.", "Puedes fusionar ramas por ahora."),
        ("周五不要提交代码。", "这周五可以提交"),
        # One thing that is pointed at, or ordered after a nod.
        ("Lösch mir bitte keine Dateien.", "Gut, lösch die eine."),
        ("Lösch keine Dateien.", "Du kannst die da löschen."),
        ("No borres archivos.", "Puedes borrar ese."),
        ("No borres archivos.", "Vale, borra ese."),
    ],
)
def test_a_permission_for_something_else_lifts_no_ban(ban: str, permission: str) -> None:
    assert (ban, "") in in_force(ban, permission)


@pytest.mark.parametrize(
    ("rule", "release"),
    [
        ("Never touch staging.", "You may touch staging now."),
        ("Don't touch lib/net/http.", "All of lib/net is yours now."),
        ("No new tables.", "New tables are fine."),
        ("Don't touch auth, billing or search.", "you can change auth, billing and search now"),
        ("dont touch teh config", "u can edit the config now"),
        ("nada de sudo porfa", "vale, usa sudo sin problema"),
        ("Ne supprime pas les journaux.", "Tu peux supprimer les journaux maintenant."),
        ("不要修改接口。", "现在可以修改接口了。"),
        # Tied to what the rule itself names, or to nothing.
        ("Never deploy on Fridays.", "You can deploy on Fridays again."),
        ("Never push to main.", "You have my permission to push to main."),
        ("Verwende kein Redis.", "Ach was, Redis kannst du ruhig verwenden."),
        ("N'utilise pas Redis.", "Laisse tomber, tu peux utiliser Redis."),
        ("No uses Redis.", "Olvídalo, puedes usar Redis."),
        ("不要用Redis。", "算了，你可以用Redis。"),
    ],
)
def test_a_release_lifts_what_is_no_wider_than_itself(rule: str, release: str) -> None:
    assert in_force(rule, release) == []


@pytest.mark.parametrize(
    ("rule", "correction"),
    [
        ("Titles may have at most 60 characters.", "Titles may have at most 80 characters."),
        ("Use MariaDB for the sessions.", "Use Redis for the sessions, not MariaDB."),
        ("Die Tabelle muss kunden heißen.", "Die Tabelle muss personen heißen, nicht kunden."),
        ("Antworte auf Englisch.", "Antworte ab jetzt auf Deutsch."),
        ("Log to stdout only.", "Log to stderr only, I mixed them up."),
    ],
)
def test_a_correction_that_says_all_takes_the_place_of_the_rule(rule: str, correction: str) -> None:
    ledger = ledger_of(rule, correction)
    assert [fact.words for _, fact in ledger.rules] == [correction]
    assert [fact.words for _, fact in ledger.rules_held[0].history] == [rule]


@pytest.mark.parametrize(
    ("rule", "correction"),
    [
        ("Keep the abstract under 150 words.", "Make that 250."),
        ("Mindestens vier Beispiele.", "Sagen wir fünf."),
        ("At most 5 retries.", "Sorry, 3."),
        ("Indent with spaces.", "rather tabs"),
        ("Only touch files under src/billing.", "Nope, src/invoices."),
        ("All prices in Swiss francs.", "I meant in euros."),
        ("Never spend more than $40 on API calls.", "Bump that to $60."),
        ("Rückfragen gehen an Petra.", "An Sabine, meinte ich."),
        ("Au moins trois exemples par page.", "Deux suffisent."),
        ("Espera 5 segundos entre llamadas.", "Súbelo a 8."),
        ("注释全部用英文。", "不对，用中文。"),
        ("No more than 5 sources.", "Can we make that 8?"),
        ("The timeout is 30 seconds.", "Thinking about it, 45 is better."),
        ("Halte die Antworten unter 90 Wörtern.", "Na gut, 120."),
        ("Limite les réponses à 80 mots.", "Réflexion faite, 120."),
        ("Usa la base de datos de producción.", "quería decir la de pruebas"),
        ("回答不要超过100字。", "我改主意了，250。"),
        ("Verwende npm.", "Verwende doch lieber yarn."),
        ("Output must be valid YAML.", "Switch the output to TOML."),
        ("Max 3 retries.", "3 -> 5"),
        ("Use Jest for tests.", "s/Jest/vitest/"),
        ("Use port 8080.", "8080 is taken, use 8081"),
        ("Only touch files under packages/core.", "And packages/shared."),
        ("我们用Node 18。", "我们现在改用Node 20。"),
    ],
)
def test_a_correction_in_few_words_stands_beside_the_rule(rule: str, correction: str) -> None:
    assert in_force(rule, correction) == [(rule, ""), (correction, CORRECTION)]


@pytest.mark.parametrize(
    ("rule", "talk"),
    [
        ("The budget for the trip is $1,240. Don't exceed it.", "Well, the fourth one looks bad."),
        ("Max 4 retries.", "Actually, that is a good point."),
        ("Use at most 12 threads.", "Sorry, I was in a meeting for 2 hours."),
        ("Cap the retries at 5.", "310 passed, 2 skipped."),
        ("Indent with spaces.", "Rather nice work!"),
        ("Run the linter before each commit.", "also use the new editor"),
        ("Maximal 20 Zeilen pro Funktion.", "Doch, das läuft bei mir."),
        ("Tous les commentaires en anglais.", "En fait, il pleut ici."),
        ("Al menos tres pruebas por módulo.", "Mejor que ayer, gracias."),
        ("每个函数最多30行。", "不，我还没看。"),
        ("Use port 8080.", "The build is slow, use ccache"),
        ("Never run migrations twice.", "The report for the board is late, chapter 2 is open."),
    ],
)
def test_talk_after_a_rule_corrects_nothing(rule: str, talk: str) -> None:
    assert in_force(rule, talk) == [(rule, "")]


@pytest.mark.parametrize(
    ("rule", "correction"),
    [
        ("Reply in French.", "From now on in German."),
        ("Responde en inglés.", "Mejor en español."),
        ("Höchstens 5 Quellen.", "Nicht 5, sondern 9."),
        ("Cap the budget at $200.", "The limit is $350 now."),
    ],
)
def test_a_rule_in_few_words_is_told_after_the_rule_whose_value_it_gives(
    rule: str, correction: str
) -> None:
    older, newer = ledger_of(rule, correction).rulebook.told
    assert newer.fact.words == correction
    assert newer.after == older.stated


def test_tool_work_between_a_rule_and_its_correction_does_not_part_them() -> None:
    work = [Message("assistant", (Text(f"Looking at part {part}."),)) for part in range(30)]
    log = [user_message("Max 40 lines per function."), *work, user_message("No, 60.")]
    rules = Ledger.of(log).rules
    assert [fact.words for _, fact in rules] == ["Max 40 lines per function.", "No, 60."]


@pytest.mark.parametrize(
    ("rule", "exception"),
    [
        ("All text has to be in English.", "except for the error messages, those stay in Dutch"),
        ("Never delete files.", "Temp files? Sure, delete those."),
        ("Ne supprime aucun fichier.", "Les fichiers temporaires ? Oui, supprime-les."),
        ("Always write tests.", "Not for scripts."),
        ("不要删除任何文件。", "除了日志文件。"),
    ],
)
def test_an_exception_that_points_back_lifts_nothing(rule: str, exception: str) -> None:
    assert in_force(rule, exception) == [(rule, ""), (exception, EXCEPTION)]


def test_two_bans_that_differ_in_a_number_stand_one_after_the_other() -> None:
    old, new = "El informe no debe pasar de 4 páginas.", "El informe no debe pasar de 6 páginas."
    rules = ledger_of(old, new).rulebook.told
    assert [rule.fact.words for rule in rules] == [old, new]
    assert rules[1].after == rules[0].stated


PUSH = Message("assistant", (Call("c1", "bash", '{"command": "git push origin main"}'),))


@pytest.mark.parametrize(
    ("rule", "permission", "later", "note"),
    [
        ("Never push to main.", "You may push this once.", (), UNUSED),
        ("Never push to main.", "You may push this once.", (PUSH,), f"{USED}[4]"),
        ("Niemals auf main pushen.", "Ausnahmsweise darfst du pushen.", (PUSH,), f"{USED}[4]"),
        ("No internet searches.", "Just this once, look it up on the web.", (PUSH,), ONCE),
        ("永远不要推送到main。", "这一次就破例推到main吧。", (PUSH,), ONCE),
    ],
)
def test_a_permission_for_one_time_stands_beside_its_ban(
    rule: str, permission: str, later: tuple[Message, ...], note: str
) -> None:
    messages = ledger_of(rule, permission).messages
    ban, once = Ledger.of([*messages, *later]).rules
    assert ban[1].words == rule
    assert (once[1].words, once[1].note) == (permission, note)
    assert fact_line(once).text == f"{note}: {permission}"


@pytest.mark.parametrize(
    "rules",
    [
        ["No changes in api/.", "No changes in web/."],
        ["Kein Docker.", "Kein Podman."],
        ["Don't skip step 1.", "Don't skip step 2."],
        ["Ask Priya before schema changes.", "Ask Priya before price changes."],
        ["Never mail Marie.", "Never mail Mario."],
        ["Never touch `order`.", "Never touch `orders`."],
        ["Never delete the contract.", "Never delete the contractor."],
        ["Always answer in German.", "Always answer Bob in French."],
        ["Never write to table_1.", "Never write to table_22."],
        ["Do not restart host7.", "Do not restart host8."],
        ["SAFETY RULE: Never print a token.", "SAFETY RULE: Never mail a customer."],
        ["FACT: The port is 8443.", "FACT: The owner of the week is Priya."],
        ["Style rule: Write short lines.", "Style rule: Name tests by what they show."],
        ["REGEL: Keine neuen Pakete.", "REGEL: Immer zuerst testen."],
        ["HARD RULE: If a check fails, stop.", "HARD RULE: If a page is slow, wait."],
        ["Never deploy to production.", "Only you can deploy to production."],
        ["不要部署到生产环境。", "只有你可以部署到生产环境。"],
    ],
)
def test_rules_that_share_most_words_or_a_label_both_stand(rules: list[str]) -> None:
    assert [words for words, _ in in_force(*rules)] == rules


@pytest.mark.parametrize(
    "said",
    [
        "The cap for this month is $500. Never exceed it without my approval.",
        "There is a folder named fixtures/. Nothing in there may change.",
        "Das Limit liegt bei 40 Stunden. Überschreite es nicht.",
        "预算总共300元。不要超支。",
    ],
)
def test_a_rule_has_the_sentence_that_gives_its_number_or_subject(said: str) -> None:
    assert in_force(said) == [(said, "")]


@pytest.mark.parametrize(
    "said",
    [
        "if it's compatible then let's not spend too much time on it",
        "Update the docs and make sure there's no redundant parts",
        "store.Row is now an alias (no more converter functions)",
        "The nightly job can delete files, that's why the folder is empty.",
        "You can look at the logs if you like.",
    ],
)
def test_tasks_and_descriptions_are_no_rules(said: str) -> None:
    assert in_force(said) == []


@pytest.mark.parametrize(
    "said",
    ["You may touch staging now.", "Staging is fine inside tests.", "Make that 200.", "RULE: none"],
)
def test_words_of_a_tool_change_no_rule(said: str) -> None:
    rule = "Never touch staging for more than 100 seconds."
    messages = [
        user_message(rule),
        Message("tool", (Result("c", (Text(said),)),)),
        user_message(f"<tool_result>{said}</tool_result>"),
    ]
    assert [fact.words for _, fact in Ledger.of(messages).rules] == [rule]


RULE = "Never delete files under data/."
EXCEPTED = "You may delete files under data/tmp/."
LIMIT = "Keep every function under 40 lines."
CORRECTED = "Make that 60."


@pytest.mark.slow
@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("window", [3_000, 8_000])
def test_a_rule_its_exception_and_its_correction_outlive_many_compactions(
    policy: str, window: int
) -> None:
    session = steno.Session(wire="openai", window=window, policy=policy)
    for said in ("Hello.", RULE, EXCEPTED, LIMIT, CORRECTED):
        session.add({"role": "user", "content": said}, {"role": "assistant", "content": "Fine."})
    for turn in range(6):
        for step in range(12):
            shown = f"drwxr-xr-x 2 root root {turn} {step} x\n" * 8
            session.add(
                *exchange(f"t{turn}s{step}", "bash", {"command": f"ls {turn}/{step}"}, shown)
            )
        session.compact()
        request = str(session.request()["messages"])
        assert [words for words in (RULE, EXCEPTED, LIMIT, CORRECTED) if words not in request] == []


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Il ne faut pas toucher à la base.", "French"),
        ("Bitte ändere das nicht.", "German"),
        ("No toques la base de datos.", "Spanish"),
        ("Please do not touch it.", "English"),
        ("请不要改动接口。", "Chinese"),
        ("npm run build", ""),
    ],
)
def test_one_sentence_tells_its_language(said: str, language: str) -> None:
    assert guess_language(said).name == language


@pytest.mark.parametrize(
    ("ban", "later"),
    [
        ("Never push to main.", "No longer push to main."),
        ("Never push to main.", "We no longer push to main."),
        ("Never push to main.", "You can no longer push to main."),
        ("Never push to main.", "Pushing to main isn't allowed anymore."),
        ("Never push to main.", "Skip the push to main."),
        ("Never use sudo.", "You don't need to use sudo."),
        ("Never use sudo.", "no need to use sudo"),
        ("Never use sudo.", "sudo is no longer needed"),
        ("Niemals pushen.", "Du musst nicht pushen."),
        ("Niemals auf main pushen.", "Wir pushen nicht mehr auf main."),
        ("Ne pousse jamais sur main.", "Pas besoin de pousser."),
        ("Ne pousse jamais sur main.", "On ne pousse plus sur main."),
        ("Nunca uses sudo.", "No hace falta usar sudo."),
        ("Nunca uses sudo.", "Ya no puedes usar sudo."),
        ("不要推送。", "不需要推送。"),
        ("不要推送到main。", "不再推送到main。"),
    ],
)
def test_who_need_not_or_no_longer_does_a_thing_may_still_not_do_it(ban: str, later: str) -> None:
    assert [rule for rule in ledger_of(ban, later).rules if rule[1].note == "prohibition"]


@pytest.mark.parametrize(
    ("rule", "release"),
    [
        ("Always run the linter.", "You don't need to run the linter anymore."),
        ("Lance toujours le linter.", "Tu n'as plus besoin de lancer le linter."),
        ("Ejecuta siempre el linter.", "Ya no hace falta ejecutar el linter."),
        ("每次都要运行测试。", "不用再运行测试了。"),
        ("Never use npm.", "You don't have to avoid npm anymore."),
        ("Never use sudo.", "The sudo ban is no longer needed."),
        ("Never push without asking.", "You don't need to ask before pushing anymore."),
        ("Never push directly to main.", "You can push to main again."),
        ("Never drop tables.", "You can drop tables now."),
    ],
)
def test_an_excuse_lifts_a_duty_and_a_no_to_a_ban_lifts_the_ban(rule: str, release: str) -> None:
    assert in_force(rule, release) == []


@pytest.mark.parametrize(
    ("ban", "permission"),
    [
        ("Don't use npm / yarn.", "You can use npm."),
        ("Don't use npm,yarn.", "You can use npm."),
        ("Don't use npm|yarn.", "npm is allowed now."),
        ("Don't use npm (or yarn).", "You can use npm."),
        ("Don't use npm and/or yarn.", "You can use npm."),
        ("Don't use npm as well as yarn.", "You can use npm."),
        ("Don't use npm; yarn is banned too.", "You can use npm."),
        ("Never touch a.py b.py", "You can now touch a.py again."),
        ("Never read/write secrets.", "You may read secrets."),
        ("Never delete or rename files in src/ and tests/.", "You may rename files."),
        ("Never push to main, even for hotfixes.", "You can push hotfixes."),
        ("Never push to main, not even docs.", "Docs are fine."),
        (
            "Never touch the API, the production database schema of billing, the CI config.",
            "You may touch the production database schema of billing.",
        ),
        ("Benutze nie npm bzw. yarn.", "Du darfst npm benutzen."),
        ("N'utilise jamais npm ainsi que yarn.", "Tu peux utiliser npm."),
        ("No uses npm más yarn.", "Ya puedes usar npm."),
        ("不要用npm还有yarn。", "可以用npm。"),
        ("不要动配置跟数据库。", "可以动配置。"),
        ("既不要提交，也不要推送。", "可以提交。"),
    ],
)
def test_a_permission_that_leaves_out_a_word_of_a_ban_stands_beside_it(
    ban: str, permission: str
) -> None:
    assert in_force(ban, permission) == [(ban, ""), (permission, EXCEPTION)]


@pytest.mark.parametrize(
    "ban",
    [
        "Use neither npm nor yarn.",
        "Weder committen noch pushen!",
        "N'utilise ni npm ni yarn.",
        "Ni commit ni push.",
        "Pushing to main is no longer allowed.",
        "Never touch:\n- the API\n- the schema",
    ],
)
def test_bans_of_several_things_are_heard_whole(ban: str) -> None:
    assert in_force(ban) == [(ban, "")]
