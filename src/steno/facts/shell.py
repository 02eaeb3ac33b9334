"""Shell commands: how they split into programs, and what these touch.

Nothing is run, expanded or guessed. Tables say what common programs do with their
operands; any other program touches only the files it is redirected to. A path that holds
a variable or a substitution stays unknown. `artifacts` decides which calls run a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile, pairwise

import msgspec

from steno.core.word_tables import word_tuple, words_of
from steno.facts.vocabulary import CHANGES, Action, Touch, canonical_path, is_place, is_web

COMMAND_READ = 8_000
"""Characters of a command that are read, without its here-documents."""
COMMANDS_KEPT = 256
"""Commands that are kept split: several readers ask for the same one."""
TOUCHES_MOST = 32
DEPTH_MOST = 2
"""Shells within shells (`bash -c "…"`) that are read."""

WRAPPERS = words_of("sudo env time timeout nohup command exec builtin nice stdbuf")
SHELLS = words_of("bash sh zsh dash")
KEYWORDS = words_of("do then else if elif while until ! {")
READERS = words_of(
    "cat head tail less more bat nl wc file stat xxd od hexdump strings tac sort uniq cut column "
    "diff cmp source"
)
_CHANGERS: tuple[tuple[Action, str], ...] = (
    ("created", "touch mkdir"),
    ("written", "tee"),
    ("edited", "truncate"),
    ("deleted", "rm rmdir unlink"),
    ("moved", "mv"),
    ("copied", "cp ln install"),
)
ACTIONS = {name: action for action, names in _CHANGERS for name in names.split()}
SCRIPTED = words_of("sed awk gawk jq yq perl")
"""Programs whose first operand is a script, unless an option holds it; the others are files."""
SCRIPTS = words_of("-e -f -pe -ne -pie --expression")
SEARCHERS = words_of("grep egrep fgrep rg ag ack")
FETCHERS = words_of("curl wget http https xh")
LOOKERS = words_of(
    "sed awk jq yq ls find fd tree echo printf pwd cd which type gh true du df ps env date sleep "
    "for done fi test [ [["
).union(READERS, SEARCHERS, FETCHERS)
"""Programs that show something and change nothing."""
GIT_LOOKS = words_of(
    "diff show log status blame grep ls-files branch remote rev-parse reflog shortlog tag cat-file"
)
ASIDES = words_of("cd echo printf sleep true export set pwd source wait :")
"""Programs that are not what a command is about."""
VALUED: dict[str, str] = {
    "cut": "-d -f",
    "sort": "-k -t",
    "stat": "-c -f",
    "grep": "-e -f -A -B -C -m --include --exclude --exclude-dir",
    "rg": "-e -f -A -B -C -m -g -t -T --glob --type",
    "sed": "-e -f --expression",
    "perl": "-e -pe -ne -pie",
    "awk": "-F -v",
    "jq": "--arg --argjson",
    "curl": "-H -d -X -u -A -F -b -m -w -T --data --header --request --user --max-time",
    "git": "-C -c",
}
"""Options that take the next word with them."""
LAUNCHERS = {
    **dict.fromkeys(words_of("npx bunx uvx pipx"), ()),
    **dict.fromkeys(words_of("uv poetry pipenv pdm hatch"), ("run",)),
    **dict.fromkeys(words_of("npm yarn pnpm bun bundle mise"), words_of("exec dlx x")),
}
"""Programs that start another one, each with the verbs that say so; none if it always does."""
_SHOWING = words_of("cat head tail nl bat less more")
"""Programs that show lines of a file as they stand."""
_CHAINED = words_of("&& | |& (")
"""Operators behind which a program runs only if the one before it did."""
_NESTS = {"if": 1, "case": 1, "fi": -1, "esac": -1}
_ONE_VERB = words_of("commit push fetch status")
"""Verbs of git that do the same whatever follows them."""
NOT_DONE = words_of("--dry-run --collect-only --version --help")
"""Options with which a program only says what it would do, or what it is."""
_CODE = word_tuple("-c -e -r --eval")

# Possessive throughout, so that unclosed quotes cost no backtracking.
# `dup` is `2>&1` and the like, which names no file.
_TOKEN = re.compile(
    r"(?P<dup>[0-9]*[<>]&[0-9-]+)|(?P<into>&>>?|[0-9]*>>?\|?)|(?P<doc><<<?-?)|(?P<from>[0-9]*<)"
    r"|(?P<op>&&|\|\||\|&|;;|[;|&()\n])|(?P<word>(?:\$'(?:[^'\\]|\\.)*+'?|(?:[^\s'\"\\;&|<>()$]"
    r"|\$(?!'))++|'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?|\\.)++)",
    re.S,
)
_QUOTES = re.compile(r"\$'((?:[^'\\]|\\.)*+)'?|'([^']*)'?|\"((?:[^\"\\]|\\.)*+)\"?|\\(.)", re.S)
_ESCAPED = re.compile(r"\\([\"\\$`\n])")
_HEREDOC = re.compile(r"<<(-?)\s*([\\'\"]?)([A-Za-z_]\w*)")
_FILLED_IN = re.compile(r"[$`\\]")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
_NOT_A_PATH = re.compile(r"[+]?[0-9]+|/+|[{}*?~.\-]+|/dev/.*|.*[<>|;{}$`].*", re.S)
"""Numbers, marks, devices, and what a shell would still have to fill in."""


class SimpleCommand(msgspec.Struct):
    """One program with its words, where its output goes and where its input comes from."""

    words: list[str] = msgspec.field(default_factory=list)
    into: list[str] = msgspec.field(default_factory=list)
    taken: list[str] = msgspec.field(default_factory=list)
    appends: bool = False
    """Whether its output is added to what a file holds."""
    operator: str = ""
    """What stands before it: `&&`, `|`, `;` and the like; empty for the first."""
    document: str | None = None
    """The here-document it reads."""
    is_literal: bool = False
    """Whether a shell leaves that document as it stands."""
    source: str = ""
    """The command as it was written, without its documents."""
    is_sure: bool = True
    """Whether it has run if the whole command ended well."""

    @property
    def piped(self) -> bool:
        """Whether it reads the output of another program."""
        return self.operator in ("|", "|&")

    @property
    def is_main(self) -> bool:
        """Whether it is a program that a command is about: no filter and no aside."""
        if not self.words or self.piped:
            return False
        return program_words(self.words)[0] not in ASIDES


@lru_cache(maxsize=COMMANDS_KEPT)
def split_command(command: str) -> tuple[SimpleCommand, ...]:
    """Return the programs of a command, in order."""
    text, documents = _split_heredocs(command)
    tokens = list(_TOKEN.finditer(text))
    readers = sum(map(_reads_document, tokens))
    if readers != len(documents):
        # Some stand within quotes, so we cannot tell which program reads which.
        documents = [("\n".join(body for body, _ in documents), False)] * readers
    simple = SimpleCommand()
    found = [simple]
    target = simple.words
    start = 0
    for token in tokens:
        match token.lastgroup:
            case "word":
                target.append(_strip_quotes(token[0]))
                target = simple.words
            case "into":
                target = simple.into
                simple.appends = simple.appends or ">>" in token[0]
            case "from":
                target = simple.taken
            case "doc":
                target = []  # the end mark of a here-document is no file
                if _reads_document(token):
                    simple.document, simple.is_literal = documents.pop(0)
            case "op":
                simple.source = text[start : token.start()].strip()
                start = token.end()
                simple = SimpleCommand(operator=token[0])
                found.append(simple)
                target = simple.words
    simple.source = text[start:].strip()
    _mark_unsure(found)
    return tuple(found)


def _mark_unsure(found: Sequence[SimpleCommand]) -> None:
    """Mark what may be left out: in a branch, behind `||`, behind `&&` if the list goes on."""
    lists = [at for at, each in enumerate(found) if each.words and each.operator not in _CHAINED]
    nested, unsure = 0, False
    for at, simple in enumerate(found):
        nested += _NESTS.get("".join(simple.words[:1]), 0)
        chained = simple.operator == "&&"
        before = program_words(found[at - 1].words)[:1]
        asks = at < max(lists, default=0) and chained and not ASIDES.issuperset(before)
        unsure = simple.operator == "||" or asks or (unsure and simple.operator in _CHAINED)
        simple.is_sure = not (nested or unsure)


def _reads_document(token: re.Match[str]) -> bool:
    return token.lastgroup == "doc" and not token[0].startswith("<<<")


def _strip_quotes(word: str) -> str:
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _QUOTES.sub(_unquote, word)


def _unquote(quoted: re.Match[str]) -> str:
    if quoted[3] is not None:
        return _ESCAPED.sub(r"\1", quoted[3])
    return quoted[1] or quoted[2] or quoted[4] or ""


def _split_heredocs(command: str) -> tuple[str, list[tuple[str, bool]]]:
    """Return the command without here-documents and comments, and the documents.

    Each document comes with whether a shell leaves it as it stands.
    """
    if "<<" not in command and "#" not in command:
        return command[:COMMAND_READ], []
    kept: list[str] = []
    documents: list[tuple[str, bool]] = []
    opened: re.Match[str] | None = None
    body: list[str] = []
    for line in command.split("\n"):
        if opened is None and not line.lstrip().startswith("#"):
            kept.append(line)
            # A here-string has no body.
            opened = _HEREDOC.search(line.replace("<<<", "   "))
            body = []
        elif opened is not None and line.strip() == opened[3]:
            text = "\n".join(body)
            fills_in = not opened[2] and _FILLED_IN.search(text) is not None
            documents.append((text, not opened[1] and not fills_in))
            opened = None
        else:
            body.append(line)
    return "\n".join(kept)[:COMMAND_READ], documents


def program_words(words: list[str]) -> list[str]:
    """Return the words from the program on, without wrappers, variables and its directory."""
    if not words:
        return []
    at = 0
    while at < len(words) - 1:
        # The first operand of `timeout` is a time, not the program.
        if words[at] == "timeout" and at + 2 < len(words):
            at += 2
        elif words[at] in WRAPPERS or words[at] in KEYWORDS or _ASSIGNMENT.match(words[at]):
            at += 1
        else:
            break
    return [words[at].rpartition("/")[2] or words[at], *words[at + 1 :]]


def plain_words(words: list[str]) -> list[str]:
    """Return a program with its words, without what starts it (`npx`, `python3.11 -m`)."""
    name, *rest = program_words(words)
    name = _VERSION.sub("", name)
    verbs = LAUNCHERS.get(name)
    started: list[str] = []
    if name == "python" and rest[:1] == ["-m"]:
        started = rest[1:]
    elif verbs == ():
        started = list(dropwhile(is_option, rest))
    elif verbs and rest and rest[0] in verbs:
        started = list(dropwhile(is_option, rest[1:]))
    if started:
        return plain_words(started)
    return [name, *rest]


def is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def inner_command(words: list[str]) -> str:
    """Return the command that a shell is given as a word; empty where there is none."""
    if not words or words[0].rpartition("/")[2] not in SHELLS:
        return ""
    for option, said in pairwise(words[1:]):
        if option.startswith("-") and not option.startswith("--") and option.endswith("c"):
            return said
    return ""


def operands_of(words: list[str]) -> list[str]:
    """Return the words that are neither options nor what options take with them."""
    valued = VALUED.get(words[0], "").split()
    found: list[str] = []
    skip = False
    for at, word in enumerate(words[1:], start=1):
        if skip:
            skip = False
        elif word == "--":
            return found + words[at + 1 :]
        elif is_option(word):
            skip = word in valued
        else:
            found.append(word)
    return found


def is_path(said: str) -> bool:
    """Tell whether a word of a command is a path that is known as it stands."""
    return is_place(said) and _NOT_A_PATH.fullmatch(said) is None and not is_web(said)


def placed_programs(
    command: str, base: str = "", depth: int = DEPTH_MOST
) -> Iterator[tuple[SimpleCommand, list[str], str]]:
    """Yield the programs of a command, each with its words (none for `cd`) and its folder."""
    for simple in split_command(command):
        words = program_words(simple.words)
        if words[:1] == ["cd"] and len(words) > 1:
            yield simple, [], base
            # Only the shell knows where `cd $DIR` goes; relative paths stay as they are spelt.
            if is_place(words[1]) and "$" not in words[1]:
                base = canonical_path(words[1], base)
            else:
                base = ""
        elif depth and (given := inner_command(words)):
            yield simple, [], base
            yield from placed_programs(given, base, depth - 1)
        else:
            yield simple, words, base


def work_folder(command: str, base: str) -> str:
    """Return the folder in which a command does its work; empty if it does not say."""
    folder = base
    for _, words, place in placed_programs(command, base):
        if words and words[0] not in ASIDES:
            folder = place
    return folder


def main_programs(command: str) -> frozenset[str]:
    """Return the main programs of a command with what they work on.

    Filters, redirections, options, launchers and versions are left out: two commands with
    the same programs are two tries at one thing.
    """
    return frozenset(map(_program_gist, main_words(split_command(command))))


def last_programs(command: str) -> frozenset[str]:
    """Return the main programs after the last `&&`: reached only if what came before went well."""
    simple = split_command(command)
    chained = [at for at, each in enumerate(simple) if each.operator == "&&"]
    return frozenset(map(_program_gist, main_words(simple[max(chained, default=0) :])))


def shows_outcome(command: str) -> bool:
    """Tell whether a command ends with the exit code of its main programs and shows their output.

    Not if a pipe, `;`, `||` or `&` follows one of them, or if output goes to a file.
    """
    found = False
    for simple in split_command(command):
        # A command may end with `;` or a closing bracket.
        goes_on = simple.operator == "&&" or not simple.words
        if simple.into or (found and (not goes_on or simple.operator == "&")):
            return False
        found = found or simple.is_main
    return found


def question_of(command: str) -> str:
    """Return what a command asks; the same question again gets the newer answer.

    Settings (`--size=3`) and the options of a look are part of it: they shape the answer.
    """
    asked: list[str] = []
    for words in main_words(split_command(command)):
        gist = _program_gist(words)
        options = words[1:]
        if gist == "git status":
            options = []
        elif not _program_only_looks(program_words(words)):
            options = [word for word in options if word.startswith("-") and "=" in word]
        asked.append(" ".join((gist, *options)))
    return "; ".join(asked)


def main_words(programs: Sequence[SimpleCommand]) -> list[list[str]]:
    """Return the words of each program that a command is about, without filters and asides."""
    main = [each.words for each in programs if each.is_main]
    return main or [each.words for each in programs if each.words]


def _program_gist(words: list[str]) -> str:
    if inner := inner_command(program_words(words)):
        return "; ".join(sorted(main_programs(inner)))
    name, *rest = plain_words(words)
    verb = operands_of([name, *rest])[:1]
    told = [name]
    if name == "git" and verb and verb[0] in _ONE_VERB:
        told += verb
        rest = list(filter(is_option, rest))
    for before, word in pairwise(("", *rest)):
        # A message or a title: another try may word it differently.
        is_text = is_option(before) and before not in _CODE and " " in word
        if word in NOT_DONE or not (is_option(word) or is_text):
            told.append(word)
    return " ".join(told)


def only_looks(command: str) -> bool:
    """Tell whether a command changes nothing: it can only fail to find or to show."""
    simple = split_command(command)
    return all(_program_only_looks(program_words(each.words)) for each in simple if each.words)


def _program_only_looks(words: list[str]) -> bool:
    if words[0] == "git":
        operands = operands_of(words)
        return bool(operands) and operands[0] in GIT_LOOKS
    if words[0] in SCRIPTED and edits_in_place(words):
        return False
    return words[0] in LOOKERS or _ASSIGNMENT.match(words[0]) is not None


def shows_one_file(command: str) -> bool:
    """Tell whether all that a command shows is lines of one file as they stand."""
    shown = 0
    for simple in split_command(command):
        words = program_words(simple.words) or ["cd"]
        if words[0] in _SHOWING:
            if not simple.piped:
                shown += sum(map(is_path, operands_of(words)))
        elif words[0] == "sed" and "-n" in words and not simple.piped:
            shown += len(scripted_files(words))
        # A filter that counts or sorts shows something else than the file.
        elif words[0] != "cd":
            return False
    return shown == 1


def command_touches(command: str, base: str = "") -> tuple[Touch, ...]:
    """Return what a command reads, writes, moves, deletes or fetches, in order, each once."""
    found: dict[Touch, None] = {}
    for simple, words, place in placed_programs(command, base):
        for touch in program_touches(simple, words, place):
            if simple.is_sure or touch.action not in CHANGES:
                found[touch] = None
    return tuple(found)[:TOUCHES_MOST]


def program_touches(simple: SimpleCommand, words: list[str], base: str) -> Iterator[Touch]:
    """Yield what one program does to its operands, and where its input and output go."""
    yield from _path_touches("written", simple.into, base)
    yield from _path_touches("read", simple.taken, base)
    if not words:
        return
    name, operands = words[0], operands_of(words)
    if NOT_DONE.intersection(words) or (name == "git" and "-n" in words):
        return
    if name == "git" and operands[:1] in (["mv"], ["rm"]):
        yield from _operand_touches(ACTIONS[operands[0]], operands[1:], git_folder(words, base))
    elif name in SCRIPTED:
        action: Action = "edited" if edits_in_place(words) else "read"
        yield from _path_touches(action, scripted_files(words), base)
    elif name in SEARCHERS:
        has_pattern = "--files" not in words and "-e" not in words
        yield from _path_touches("searched", operands[has_pattern:], base)
    elif name in FETCHERS:
        yield from (Touch("fetched", url, canonical_path(url)) for url in filter(is_web, operands))
        saved = [path for option, path in pairwise(words) if option in ("-o", "--output")]
        yield from _path_touches("written", saved, base)
    elif name in READERS or name in ACTIONS:
        yield from _operand_touches(ACTIONS.get(name, "read"), operands, base)


def edits_in_place(words: list[str]) -> bool:
    """Tell whether `sed`, `perl` or the like changes its files."""
    return any(word.startswith(("-i", "--in-place", "-pi")) for word in words[1:])


def scripted_files(words: list[str]) -> list[str]:
    """Return the files that `sed`, `awk` or the like works on."""
    files = [said for said in operands_of(words) if said]  # BSD's sed takes an empty suffix
    if SCRIPTS.intersection(words):
        return files
    return files[1:]


def _operand_touches(action: Action, operands: list[str], base: str) -> Iterator[Touch]:
    if action not in ("moved", "copied"):
        yield from _path_touches(action, operands, base)
        return
    *sources, last = operands or [""]
    # Into a directory a file keeps its name.
    into = last.endswith("/") or last in (".", "..") or len(sources) > 1
    for said in sources:
        target = last
        if into:
            target = f"{last.rstrip('/')}/{said.rstrip('/').rpartition('/')[2]}"
        if is_path(said) and is_path(target):
            yield from move_touches(action, said, target, last, base)


def move_touches(action: Action, said: str, to: str, words: str, base: str) -> Iterator[Touch]:
    """Yield what moving or copying does to both places; the new one is told by these words."""
    key, new = canonical_path(said, base), canonical_path(to, base)
    if action == "moved":
        yield Touch("moved", said, key, new)
    else:
        yield Touch("read", said, key)
    yield Touch("created", words, new)


def git_folder(words: list[str], base: str) -> str:
    """Return the folder in which a command of git works."""
    if "-C" in words[:-1]:
        return canonical_path(words[words.index("-C") + 1], base)
    return base


def _path_touches(action: Action, paths: list[str], base: str) -> Iterator[Touch]:
    for said in filter(is_path, paths):
        yield Touch(action, said, canonical_path(said, base))
