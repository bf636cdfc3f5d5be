"""Every written question is answered as its row expects, or refused in the words that it names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from samples import committed

from pipeline.advise import rules
from pipeline.advise.choose import Answer, NeedError, choose, parse
from pipeline.advise.choose.questions import PATH, Question, QuestionError, as_read, misread, questions


def answered(question: Question) -> Answer:
    return choose(committed(), parse(question.asked))


def test_there_are_sixty_of_them_and_every_kind_of_task_is_asked() -> None:
    assert len(questions()) >= 60
    assert {question.asked["task"] for question in questions()} == set(rules.room("choose")["tasks"])


@pytest.mark.parametrize("question", [q for q in questions() if q.expects], ids=lambda q: q.id)
def test_the_least_money_has_the_traits_that_an_expert_expects(question: Question) -> None:
    first = answered(question).first
    assert first is not None, "nothing meets it"
    failed = [text for text in question.expects if not rules.formula(text)(first.env)]
    assert not failed, f"{first.name} to {first.way}: {failed}"


@pytest.mark.parametrize("question", [q for q in questions() if q.refused], ids=lambda q: q.id)
def test_what_cannot_be_answered_is_refused_in_one_sentence_with_a_next_step(question: Question) -> None:
    with pytest.raises(NeedError) as caught:
        answered(question)
    assert question.refused in str(caught.value)


@pytest.mark.parametrize("question", [q for q in questions() if q.way_out], ids=lambda q: q.id)
def test_an_impossible_wish_gets_the_nearest_way_out(question: Question) -> None:
    answer = answered(question)
    assert answer.choices == ()
    assert answer.ways_out


@pytest.mark.parametrize("question", [q for q in questions() if not q.refused], ids=lambda q: q.id)
def test_what_passes_only_narrowly_says_so_and_a_choice_that_does_it_well_can_be_had(
    question: Question,
) -> None:
    answer = answered(question)
    for choice in answer.choices:
        price = choice.option.env["price"]
        assert choice.option.well == (not answer.narrow) or choice.option.at_hand
        if choice.option.well and choice.option.env["bought"] and price["kind"] not in ("own", "system"):
            shop_or_sales = price["kind"] == "retail" or price["basis"] == "sold"
            assert price["sellers"] >= 2 or price["listings"] >= 3 or shop_or_sales


def test_a_read_names_the_answer_that_it_judged_and_gives_a_reason() -> None:
    gpus = committed().gpus
    for question in (q for q in questions() if q.read):
        assert question.read
        assert question.read.why.endswith("."), question.id
        if question.read.answer == "none":
            assert question.refused or question.way_out, question.id
        else:
            way, count, gpu = question.read.answer.split()
            assert way in ("buy", "rent"), question.id
            assert count.isdigit(), question.id
            assert all(part in gpus for part in gpu.split("+")), question.id


def test_the_first_choice_is_told_in_the_words_of_a_read() -> None:
    asked = {question.id: question for question in questions()}
    assert as_read(answered(asked["own-4090"])) == "buy 1 nvidia-geforce-rtx-4090"
    assert as_read(answered(asked["impossible-405b"])) == as_read(None) == "none"


ROW = '- {{id: {id}, words: Chat, asked: {{task: {task}, budget_usd: "{money}"}}, reading: at home}}\n'


@pytest.mark.parametrize(
    ("task", "money", "told"),
    [
        ("chat", "800", []),
        ("talk", "800", ["2: b, asked: The task is “talk”; it is one of chat"]),
        ("chat", "-800", ["2: b, asked: Your budget is -800; it must be at least 1 USD"]),
    ],
)
def test_a_question_that_the_chooser_cannot_read_is_told_at_its_line(
    tmp_path: Path, task: str, money: str, told: list[str]
) -> None:
    file = tmp_path / "questions.yml"
    file.write_text(ROW.format(id="a", task="chat", money="1") + ROW.format(id="b", task=task, money=money))
    found = list(misread(committed(), file))
    assert [one[: len(words)] for one, words in zip(found, (f"data/questions.yml:{t}" for t in told), strict=True)] == [
        f"data/questions.yml:{words}" for words in told
    ]


def test_a_question_that_stands_twice_or_holds_an_unknown_word_is_told_at_its_line(tmp_path: Path) -> None:
    file = tmp_path / "questions.yml"
    row = ROW.format(id="a", task="chat", money="1")
    file.write_text(row + row)
    with pytest.raises(QuestionError, match=r"^data/questions.yml:2: a stands twice; give one of them another id"):
        questions(file)
    questions.cache_clear()
    file.write_text(row.replace("reading", "readng"))
    with pytest.raises(QuestionError, match=r"^data/questions.yml:1: entry 1, reading: is missing"):
        questions(file)


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("able.low >= 10", "able.low => 10", r"chat-8b, expects: 'able.low => 10': .*; write a comparison"),
        (
            "expected: [nvidia-geforce-rtx-4060-ti-16gb",
            "expected: [nvidia-geforce-rtx-4060-ti-16",
            "chat-8b, expected: .*did you mean 'nvidia-geforce",
        ),
        (
            "worth: {nvidia-geforce-rtx-4060-ti-16gb",
            "worth: {nvidia-geforce-rtx-4060-ti-16",
            "chat-8b, worth: .*did you mean 'nvidia-geforce",
        ),
        ('chapter: "guide/memory/"', 'chapter: "guide/memry/"', "chapter: 'guide/memry/' is no chapter; write guide/"),
        ("tier: light", "tier: easy", "tier: 'easy' is none of , light, complex, demanding"),
    ],
)
def test_a_card_a_chapter_or_a_formula_that_does_not_exist_is_told(
    tmp_path: Path, right: str, wrong: str, words: str
) -> None:
    path = tmp_path / "questions.yml"
    text = PATH.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    try:
        told = list(misread(committed(), path))
    except QuestionError as error:
        told = [str(error)]
    assert [one for one in told if re.search(rf"^data/questions.yml:\d+: .*{words}", one)], told
