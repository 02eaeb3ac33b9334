"""What a language's table of cues holds, one class for each reader of facts.

A cue is the source of a regular expression, without groups that capture. Readers join
the cues of all languages and add what no language owns: marks, brackets, line ends. A
cue that a language does not have is left empty, so that a table can grow step by step.
Stems are plain letters: a text that has none of them need not be searched for phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from steno.facts.languages.phrases import Phrases

HAN = re.compile(r"[\u4e00-\u9fff]+")
"""A run of Chinese characters."""


NOTHING = Phrases()
"""A cue that a language does not have."""
NEVER = re.compile("(?!)")
"""The same, as a pattern."""


def any_of(*alternatives: str) -> str:
    """Join the alternatives of a cue."""
    return "|".join(alternatives)


def pattern(*alternatives: str) -> re.Pattern[str]:
    """Compile a cue that is searched in one language alone."""
    return re.compile(any_of(*alternatives))


def han_pairs(text: str) -> Iterator[str]:
    """Yield each two neighbouring Chinese characters, which do the work of words."""
    for run in HAN.findall(text):
        for start in range(len(run) - 1):
            yield run[start : start + 2]


@dataclass(frozen=True, slots=True)
class StemmedCue:
    """Phrases, and stems; each match holds at least one of them."""

    stems: str = ""
    """Lower case, separated by bars."""
    phrases: str = ""
    openings: str = ""
    """Phrases that count only where a clause begins."""


@dataclass(frozen=True, slots=True)
class RuleCues:
    """How people lay down, change and lift rules.

    Patterns are searched in one sentence in lower case, in which quotations are blanked.
    """

    asks: re.Pattern[str]
    """Where a question begins inside a sentence."""
    idle: Phrases
    """Phrases that look like a rule and are none; they are blanked."""
    reported: Phrases
    """Reports of a rule that another person or a document made."""
    once: Phrases
    """For this time only."""
    lasting: Phrases
    """From here on; outweighs `once`."""
    release: Phrases
    instead: re.Pattern[str]
    """Openings of the rule that replaces the one just lifted."""
    language: Phrases
    output: Phrases
    prohibition: Phrases
    obligation: Phrases
    preference: Phrases
    corrects: str = ""
    """Openings of a correction (`actually`, `instead`, …)."""
    corrects_after: str = ""
    """Words that may stand before this opening."""
    adds: str = ""
    """Words after an opening that make an addition of it (`also`), with their own `\\b`."""
    joins: str = ""
    """The word for `and`, with its space."""
    labels: str = ""
    """Words before a colon or a dash that mark a line to be kept (`rule`, `constraint`)."""
    first_person: str = ""
    """Words of people who speak of themselves, with their own `\\b`."""
    contrasts: str = "(?!)"
    """Words before what is said against what was told before (`but`)."""
    own_asks: str = "(?!)"
    """Openings by which people ask for something themselves (`please`, `I want you to`)."""
    forbids: str = "(?!)"
    """Openings of a plain ban (`do not`)."""
    headings: str = ""
    """Words of a heading whose list items are rules."""
    ban_headings: str = "(?!)"
    """A heading under which is listed what may not be done (`Don'ts`)."""
    terse: Phrases = NOTHING
    """Rules without a verb; searched in short sentences only."""
    leans: Phrases = NOTHING
    """Words that point to the sentence before, which then belongs to the rule."""
    polite: re.Pattern[str] = NEVER
    """Openings of a question that asks for something to be done (`could you`); its group `limit`
    is there if a limit may follow (`keep`)."""
    or_else: str = "(?!)"
    """The word for `or`, before what a question leaves open."""
    agreed: str = "(?!)"
    """What is asked behind an order, to be nodded at (`ok?`)."""
    confirmed: str = "(?!)"
    """The same, also asked behind what may not be so (`right?`)."""
    told: Phrases = NOTHING
    """What was, what might be and what others do: no rule and no permission."""


@dataclass(frozen=True, slots=True)
class RelayCues:
    """How people introduce the words of somebody else, and go on in their own.

    Searched in the words before a colon, unless said otherwise.
    """

    says: Phrases = NOTHING
    """A verb of saying, behind a subject that is not the person, up to the colon."""
    handed: Phrases = NOTHING
    """Words with whose they are (`Bob's reply`, `from the wiki`), all up to the colon."""
    sources: str = "(?!)"
    """Names of texts, of programs that write and of places where people do."""
    texts: str = "(?!)"
    """Nouns of texts that people write to be read (`article`, `email`)."""
    places: str = "(?!)"
    """Nouns of things that hold words, and are worked on too (`page`, `ticket`, `error`)."""
    these: str = "(?!)"
    """Words that point at one that stands below (`this`), with the blank behind them."""
    below: str = "(?!)"
    """Words that say that something stands below, without its name (`the following`)."""
    these_stems: str = ""
    """Letters, one of which each of those holds, separated by bars."""
    shows: str = "(?!)"
    """Words before a text that is shown (`here is the`), with the blank behind them."""
    heads: str = "(?!)"
    """Names of texts that stand alone on a line over one (`Release notes`)."""
    works: str = "(?!)"
    """What people ask for with a text that they show (`summarize`, `reply to`)."""
    reads: str = "(?!)"
    """What they ask for with the words of anything (`translate`, `what does it say`)."""
    machines: Phrases = NOTHING
    """Things that report one fact (`CI says`): nobody's orders follow it."""
    conditions: str = "(?!)"
    """First words of a condition (`if somebody asks:`)."""
    own_heads: str = "(?!)"
    """Words for what the person or their team laid down (`our policy says`)."""
    copied: str = "(?!)"
    """A whole sentence that says that the text around it is another's."""
    copied_stems: str = ""
    """Letters, one of which each such sentence holds, separated by bars."""
    resumes: str = "(?!)"
    """Openings of a paragraph in which the person speaks again, beside the first person."""
    goes_on: str = "(?!)"
    """Words that may stand before one of those, and say nothing alone (`so`)."""
    own_places: str = "(?!)"
    """Words for where the person's own rules hold (`in this repo`)."""
    orders: str = "(?!)"
    """First words of an order, in front of which its source may stand without a colon."""
    may_head: str = "(?!)"
    """Names of what holds words and may be a topic, over what is no list (`The pop-up`)."""
    judged: str = "(?!)"
    """Questions about words that stand right behind them (`Is this sentence correct?`)."""
    breaks_off: str = "(?!)"
    """Openings of a message that is not the text which was announced (`Actually, wait.`)."""
    sends: Phrases = NOTHING
    """A sentence that says that a text comes next (`I'll paste the ticket`), in lower case."""
    comes: Phrases = NOTHING
    """A last sentence that shows a text which is not there (`here is the page`)."""
    wants: Phrases = NOTHING
    """How an assistant asks for a text (`please paste the log`)."""
    wants_it: Phrases = NOTHING
    """The same without its name (`send it over`, `the next part, please`)."""
    nods: Phrases = NOTHING
    """How it says that a text may come (`sure, go ahead`)."""
    shown: str = "(?!)"
    """The end of a sentence, or a line, over a text that it speaks of (`I found this online`)."""
    shown_above: str = "(?!)"
    """A sentence below a text that it speaks of (`that's from the wiki`, `translate this`)."""
    may_show_above: str = "(?!)"
    """The same if more than a few sentences stand above it (`translate this page`)."""
    own_works: str = "(?!)"
    """First words of a request for work on what it speaks of (`fix this`)."""
    talk: str = "(?!)"
    """First words of sentences that people say to an agent, beside requests (`thanks`)."""
    pointers: str = "(?!)"
    """Words that stand for something that is shown (`this`, `below`)."""
    asks: str = "(?!)"
    """First words of a question that asks for work (`can you`)."""
    of_text: str = "(?!)"
    """Words of a question about a text that it does not name (`reply`, `mean`)."""
    states: str = "(?!)"
    """Openings, to the verb, of a sentence that says how things are (`The tests pass`)."""
    things: str = "(?!)"
    """Names of what is worked on, with the word before (`report page`)."""
    quotes: str = "(?!)"
    """Last words before what is quoted, without a colon (`with the text`)."""
    own_leads: str = "(?!)"
    """Words before a sentence of one's own, with a colon or a comma (`by the way`)."""
    changes: str = "(?!)"
    """First words before a colon behind which something is changed (`scratch that`)."""


@dataclass(frozen=True, slots=True)
class RuleChangeCues:
    """How people permit, except and correct. These say nothing unless a rule is in force."""

    permits: Phrases = NOTHING
    """A permission, or an excuse from a duty."""
    excepts: Phrases = NOTHING
    """Words that announce an exception to what was just said."""
    exempts: str = "(?!)"
    """Words that open an exception to what was said, whatever else the sentence says."""
    unless: str = "(?!)"
    """Words that open one right behind its rule only; elsewhere they open a condition."""
    apart: str = "(?!)"
    """Words of an exception that may come some messages after its rule (`unless`)."""
    extends: str = "(?!)"
    """Openings of a sentence that extends the newest rule to more things (`same goes for`)."""
    explains: str = ""
    """Words that make an explanation of a permission (`that is why`)."""
    restates: Phrases = NOTHING
    """Words of a sentence that may say a rule anew; most such sentences say none."""
    joins: str = ""
    """Words between the items of a list (`or`)."""
    nods: str = ""
    """Openings of a go-ahead (`ok, …`): it answers a question, and is no exception to a rule."""
    hence: str = "(?!)"
    """Words between a reason and what follows from it."""
    marks: str = ""
    """Words that make a correction of a rule, wherever they stand."""
    overrules: str = ""
    """Words that say that the old wording was a mistake or is over."""
    idioms: str = ""
    """Phrases of a permission that add nothing to what is permitted (`as you like`)."""
    points: str = ""
    """Words in place of a name (`that one`), in a permission that leaves the name out."""
    narrows: str = ""
    """Words that tie a permission to a place, a time or a condition."""
    relatives: str = "(?!)"
    """Words that do so as the opening of a later clause (`…, which`)."""
    compares: str = ""
    """Words that make a quantity of a number (`more than`)."""
    conditions: str = ""
    """Words of a rule that says when something may be done (`ask before`, `without approval`)."""
    negates: str = ""
    """Words that make a ban of a clause."""
    spares: str = "(?!)"
    """Words that excuse from a duty (`no need to`): who need not do a thing may still not do it."""
    declines: str = "(?!)"
    """Words that say no to something (`no longer`, `skip`), whatever a permission says beside."""
    bans: str = "(?!)"
    """Words for a ban or an objection (`rule`, `forbidden`, `mind`): who says no to one permits."""
    once: str = ""
    """Words of a permission for one time."""
    states: str = ""
    """Verbs of a clause that gives a reason."""
    subjects: str = ""
    """First words of such a clause (`the`, `we`, `because`), with their own `\\b`."""
    wide: frozenset[str] = frozenset()
    """Words that say nothing about how much a rule or a permission covers."""
    loose: frozenset[str] = frozenset()
    """Words of a ban that a permission for all of it may leave out (`directly`, `touch`)."""
    same: tuple[frozenset[str], ...] = ()
    """Stems of verbs that cover the same (`touch`, `modify`)."""
    numbers: frozenset[str] = frozenset()
    """Numbers as words."""


@dataclass(frozen=True, slots=True)
class AmendmentCues:
    """How people correct a rule in so few words that they need the old ones ("no, 250")."""

    fillers: str = ""
    """Openings that say nothing (`well`, `ok`)."""
    opens: str = ""
    """Words before the new value (`no`, `make that`, `I meant`)."""
    closes: str = ""
    """Words after it (`instead`, `is enough`)."""
    swaps: str = ""
    """Those among them that say that one thing stands for another (`instead`)."""
    scales: str = ""
    """Corrections that name no value (`double that`)."""
    denies: str = ""
    """Words before the value that is given up (`not`, `instead of`)."""
    numbers: str = ""
    """Numbers as words."""
    small: frozenset[str] = frozenset()
    """Articles and prepositions within a value."""
    talk: frozenset[str] = frozenset()
    """Words that no value holds: pronouns, verbs of reports, praise."""


@dataclass(frozen=True, slots=True)
class TopicCues:
    """Words that put a rule under a topic whose newest rule alone holds."""

    code: str = ""
    length: str = ""
    answers: str = ""
    languages: str = ""
    """Names of languages."""


@dataclass(frozen=True, slots=True)
class TextCues:
    """How text of a language is written and pasted."""

    chat: tuple[tuple[str, str], ...] = ()
    """Spellings of chats and common slips, as patterns, each with what it stands for."""
    abbreviations: str = ""
    """Abbreviations, without their last full stop."""
    shouted: str = "(?!)"
    """Words that people shout within a sentence (`NEVER!!! push`)."""
    documents: str = ""
    """Nouns that announce a pasted text when a colon follows."""
    logs: str = ""
    """Nouns among them that announce a log or code."""


@dataclass(frozen=True, slots=True)
class TodoCues:
    """States of a to-do item."""

    finished: str = ""
    unfinished: str = ""


@dataclass(frozen=True, slots=True)
class RequestCues:
    """How people ask, agree, call off and thank."""

    asks: str = ""
    verbs: str = ""
    """Verbs that open a request."""
    go: str = ""
    """Go-aheads."""
    go_then: str = ""
    """Words that may follow a go-ahead."""
    nod: str = ""
    """Approval that asks for nothing."""
    off: str = ""
    """Phrases that call a request off."""
    off_after: str = ""
    """Interjections before them."""
    off_then: str = ""
    """Words that may follow them."""
    complains: str = "(?!)"
    """Words of a person for whom the last request is not done."""
    denies: str = "(?!)"
    """Openings of a person who does not agree that it is (`no`, `wait`)."""
    thanks: str = ""
    """Words of a message that only thanks or closes."""
    thanking: str = ""
    """Those among them that close; the others may be no more than praise."""


@dataclass(frozen=True, slots=True)
class DoubtCues:
    """How an assistant doubts."""

    correction: StemmedCue = StemmedCue()
    reconsideration: StemmedCue = StemmedCue()
    uncertainty: StemmedCue = StemmedCue()
    verification: StemmedCue = StemmedCue()
    hedge: StemmedCue = StemmedCue()


@dataclass(frozen=True, slots=True)
class DecisionCues:
    """How a choice is stated."""

    firm: StemmedCue = StemmedCue()
    """Words that state a decision, by any speaker."""
    of_a_person: StemmedCue = StemmedCue()
    """Words that decide if a person says them."""
    with_reason: StemmedCue = StemmedCue()
    """Words of an assistant that decide if a reason or an alternative stands beside them."""
    reason: str = ""
    instead: str = ""
    """Words before the alternative that was not taken."""
    undecided_after: str = ""
    """Openings of a question, a condition or a report."""
    undecided: str = ""
    concludes: tuple[str, ...] = ()
    """Words before a choice that make a conclusion of it."""
    causes: StemmedCue = StemmedCue()
    """Words that state why something failed or happened."""
    options: str = ""
    """Words before the number of an offered choice (`option 2`)."""
    concluding: Phrases = field(default_factory=Phrases)
    """Words of a sentence that states a cause, a verdict or a choice."""


@dataclass(frozen=True, slots=True)
class StepCues:
    """How an assistant says what is still to be done."""

    heading: StemmedCue = StemmedCue()
    """Headings of a list of steps."""
    copulas: str = ""
    """Verbs between a heading and its one step."""
    announced: StemmedCue = StemmedCue()
    promised: StemmedCue = StemmedCue()
    """How it promises what it will do, or leave, from now on."""
    doing: str = ""
    """Openings of a sentence that says what it does right now (`Let me …`)."""
    looking: str = "(?!)"
    """Words near its beginning if it only looks at something or runs it (`Let me check …`)."""
    done: str = "(?!)"
    """Openings of a reply that says that the work is done (`Fixed.`, `All tests pass`)."""
    undone: str = "(?!)"
    """Words anywhere in it that say that a part of it is not (`could not`, `remaining work`)."""


@dataclass(frozen=True, slots=True)
class OrderCues:
    """Sentences that tell the reader what to do, or speak for a person."""

    orders: str = ""
    for_a_person: str = ""
    verbs: str = ""
    """Openings of an order."""
    verbs_after: str = ""
    """Words that may stand before them."""
    duties: str = ""
    """What must, may or will always be done, also without saying who shall do it."""


@dataclass(frozen=True, slots=True)
class TraitCues:
    """What people say about themselves and their project."""

    clause_after: str = ""
    """Conjunctions after which a clause begins."""
    that: str = ""
    """The conjunction that may open the clause itself."""
    name: str = ""
    self: str = ""
    self_place: str = ""
    """Stems in `self` that say which of a person's traits it is."""
    owners: str = ""
    """Words for `my` and `our`."""
    is_words: str = ""
    """Verbs that end the name of the thing owned."""
    compares: str = ""
    """Words that make a quantity of a number (`more than`)."""
    conditions: str = ""
    """Words of a rule that says when something may be done (`ask before`, `without approval`)."""
    negates: str = ""
    """Words that make a ban of a clause."""
    once: str = ""
    """Words of a permission for one time."""
    states: str = ""
    """Verbs between the thing owned and what it is."""
    passing: str = ""
    """Words after this verb that tell of a moment only."""
    passing_things: frozenset[str] = frozenset()
    """Things that are a person's for a moment only."""
    owned: str = ""
    """A whole clause of ownership, with the group `mine_zh`, in a language without spaces."""
    in_project: str = ""
    """Phrases such as `in this repo` that may come first."""
    use: str = ""
    remember: str = ""
    remember_after: str = ""
    forget: str = ""
    forget_after: str = ""
    ended: str = ""
    ended_after: str = ""
    unsure_after: str = ""
    """Openings of a condition."""
    unsure: str = ""
    copula: str = ""
    """What parts the subject of a statement from the rest."""
    purpose: str = ""
    """Words before what a thing is used for."""
    empty: frozenset[str] = frozenset()
    """Words of these cues that say nothing about a subject, cut to a stem."""
    life: str = ""
    """What people tell of their life: habits, tastes, what they have and are, their relatives."""
    taste: str = ""
    """What of it tells what they like."""
    tools: str = ""
    """What of it tells what they use; for the same purpose, another replaces it."""
    events: str = ""
    """What they did; it counts if they also say when, how often or for how much."""
    when: str = ""
    """Words for a time, a duration, a frequency or a sum."""
    asks: str = ""
    """First words of a question, which may follow a statement in the same sentence."""
    reasons: str = ""
    """Openings of a clause that is stated although the sentence asks or supposes something."""
    never_after: tuple[str, ...] = ()
    """Words after which this clause is imagined, doubted or asked."""
    work: str = ""
    """Words of the work at hand: what was done to it is no part of a life."""


@dataclass(frozen=True, slots=True)
class MemoryCues:
    """What decides whether a rule outlives its task, and what it is for."""

    task_bound: str = ""
    """Words that bind a rule to the task at hand."""
    stands_here: str = ""
    """Phrases that tell of a custom all the same."""
    purpose: str = ""
    """The word for `for`, before what a preference is about."""
    alternatives: tuple[frozenset[str], ...] = ()
    """Sets of things; a person prefers one of each: naming another replaces it."""


@dataclass(frozen=True, slots=True)
class ReportCues:
    """Words of a written report that name nothing."""

    speech: frozenset[str] = frozenset()
    """Words that say who wants or decides, and not what."""
    joining: frozenset[str] = frozenset()
    """Words that a hyphen joins to others (`end-to-end`)."""
    openers: frozenset[str] = frozenset()
    """Capitalised words that begin a report without being a name."""


@dataclass(frozen=True, slots=True)
class LanguageCues:
    """Every cue of one language."""

    name: str
    """In English, as it is told to a writer."""
    words: re.Pattern[str]
    """Words and letters by which a sentence is taken for this language."""
    small_words: frozenset[str]
    """Words by which a longer text is; empty if the script tells."""
    empty: frozenset[str]
    """Words that say nothing about what a rule is about."""
    rules: RuleCues
    unspaced: bool = False
    """Whether words stand without spaces: topics are then made of pairs of characters."""
    question_ends: tuple[str, ...] = ()
    """Particles that end a question without a mark."""
    capitalizes_nouns: bool = False
    statements: Phrases = field(default_factory=Phrases)
    """Words of a wish, a limit, or where a task stands, with their own `\\b`."""
    changes: RuleChangeCues = field(default_factory=RuleChangeCues)
    relays: RelayCues = field(default_factory=RelayCues)
    amends: AmendmentCues = field(default_factory=AmendmentCues)
    topics: TopicCues = field(default_factory=TopicCues)
    text: TextCues = field(default_factory=TextCues)
    todos: TodoCues = field(default_factory=TodoCues)
    requests: RequestCues = field(default_factory=RequestCues)
    doubts: DoubtCues = field(default_factory=DoubtCues)
    decisions: DecisionCues = field(default_factory=DecisionCues)
    steps: StepCues = field(default_factory=StepCues)
    orders: OrderCues = field(default_factory=OrderCues)
    traits: TraitCues = field(default_factory=TraitCues)
    memory: MemoryCues = field(default_factory=MemoryCues)
    reports: ReportCues = field(default_factory=ReportCues)
