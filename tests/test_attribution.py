"""Who and when: faults in failed runs of several agents, and the bench that measures them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trajwiki.cli.bench_runs import attribution
from trajwiki.domain.runs import EventKind, Run
from trajwiki.errors import UnreadableInput
from trajwiki.evaluation.attribution import Case, baselines, cross_validated, find, load, render, run_attribution
from trajwiki.tips.analysis import analyse
from trajwiki.tips.team import team_of

TASK = "How many bridges were opened in Bergen between 2010 and 2019 according to the road register?"


def said(name: str, content: str) -> dict[str, str]:
    return {"name": name, "role": "assistant", "content": content}


def record(history: list[dict[str, str]], agent: str, step: int, **fields: Any) -> dict[str, Any]:
    return {
        "question": TASK, "question_ID": "q1", "ground_truth": "7", "is_correct": False, "history": history,
        "mistake_agent": agent, "mistake_step": str(step), "mistake_reason": "r", **fields,
    }  # fmt: skip


PLAN = f"You are given a task. {TASK} Plan: look it up in the road register, count, verify."
GUESSED = [
    said("Ada", PLAN),
    said("Ben", "Let me look at the plan. Could you please confirm who takes the register?"),
    said("Cleo", "I take it.\n\n```python\n# simulated placeholder data, assumed for demonstration\n"
                 "bridges = ['hypothetical A', 'hypothetical B']\nprint(len(bridges))\n```\n\nLet's run it."),
    said("Terminal", "exitcode: 0 (execution succeeded)\nCode output: 2\n"),
    said("Ben", "Could you please confirm that all of us are done?"),
    said("Ada", "TERMINATE"),
]  # fmt: skip
ASTRAY = [
    said("Ada", "You are given a task. Resolve an exit code of an unnamed script. Plan: read it, repair it."),
    said("Ben", "Please provide the script."),
    said("Ada", "TERMINATE"),
]


def led(answer: str) -> list[dict[str, str]]:
    """A leader that hands out work; the last report is the answer, and is accepted."""
    history = [{"role": "human", "content": TASK}]
    for helper, report in (
        ("Browser", "I clicked 'register'.\n\nHere is the page https://roads.example/register: a list of bridges."),
        ("Browser", "I scrolled down.\n\nHere is the page https://roads.example/register: more bridges in Bergen."),
        ("Counter", answer),
    ):
        history += [
            {"role": "Boss (thought)", "content": f"The request is not satisfied. Next speaker {helper}."},
            {"role": f"Boss (-> {helper})", "content": f"{helper}, look at the register and report."},
            {"role": helper, "content": report},
        ]
    history += [
        {"role": "Boss (thought)", "content": "Request satisfied."},
        {"role": "Boss (termination condition)", "content": "No agent selected. FINAL ANSWER: 9"},
    ]
    return history


def write(folder: Path, **records: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, row in records.items():
        (folder / f"{name}.json").write_text(json.dumps(row), encoding="utf-8")
    return folder


def only(folder: Path, row: dict[str, Any]) -> Case:
    write(folder, one=row)
    return load([folder / "one.json"])[0]


def fault(case: Case) -> tuple[str, int]:
    event = analyse(case.run).attributions[0]
    assert event.event is EventKind.FAILURE
    assert event.agent == case.run.step(event.root.step).agent
    return event.agent, case.at[event.root.step - 1]


@pytest.mark.parametrize(
    ("history", "agent", "step"),
    [
        (GUESSED, "Cleo", 2),  # made-up data, on which the answer rests
        (ASTRAY, "Ada", 0),  # hands on a task that is not the one that was asked
        (led("I have counted them: there are 9."), "Counter", 9),  # an answer without a source, taken for final
    ],
)
def test_the_fault_is_found_and_told_in_the_indexing_of_the_file(
    tmp_path: Path, history: list[dict[str, str]], agent: str, step: int
) -> None:
    case = only(tmp_path, record(history, agent, step))
    assert fault(case) == (agent, step)


def test_a_leader_that_takes_raw_material_for_an_answer_is_at_fault(tmp_path: Path) -> None:
    raw = "I clicked 'list'.\n\nHere is the page https://roads.example/list: bridges by year."
    case = only(tmp_path, record(led(raw), "Boss", 10))
    assert fault(case) == ("Boss", 10)


def test_one_entry_is_one_turn_however_many_steps_it_is_read_into(tmp_path: Path) -> None:
    case = only(tmp_path, record(GUESSED, "Cleo", 2))
    turns = team_of(case.run).turns
    assert [case.at[t.step - 1] for t in turns] == [0, 1, 2, 4, 5]
    assert len([s for s in case.run.steps if s.agent == "Cleo"]) > 1


def test_labels_and_right_answers_change_nothing_but_the_score(tmp_path: Path) -> None:
    honest = only(tmp_path / "a", record(GUESSED, "Cleo", 2))
    lying = only(tmp_path / "b", record(GUESSED, "Ada", 5, ground_truth="2", mistake_reason="Ada", level=3))
    assert analyse(honest.run).attributions == analyse(lying.run).attributions
    assert not honest.run.metadata
    good = run_attribution(write(tmp_path / "c", one=record(GUESSED, "Cleo", 2)))["c"]
    bad = run_attribution(write(tmp_path / "d", one=record(GUESSED, "Ada", 5)))["d"]
    assert (good["agent_accuracy"], good["step_accuracy"]) == (1, 1)
    assert (bad["agent_accuracy"], bad["step_accuracy"]) == (0, 0)
    assert bad["misses"]["too_early"] == 1


def renamed(run: Run, names: dict[str, str]) -> Run:
    def put(text: str) -> str:
        for old in sorted(names, key=len, reverse=True):
            text = text.replace(old, names[old])
        return text

    steps = tuple(
        replace(s, agent=put(s.agent), text=put(s.text), arguments={k: put(str(v)) for k, v in s.arguments.items()})
        for s in run.steps
    )
    return replace(run, steps=steps)


def test_no_name_of_a_role_decides(tmp_path: Path, shared: Path) -> None:
    """Agents called by other names, the same in kind, are at fault at the same steps."""
    same = total = 0
    for files in find(shared / "runs" / "who_and_when").values():
        for case in load(files[:25]):
            agents = sorted({t.agent for t in team_of(case.run).turns})
            names = {agent: f"Zo{chr(97 + i)}" for i, agent in enumerate(agents)}
            before, after = analyse(case.run), analyse(renamed(case.run, names))
            same += before.attributions[0].root.step == after.attributions[0].root.step
            total += 1
    assert same >= 0.95 * total


def test_baselines_are_what_they_say(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        **{f"r{n}": record(GUESSED, "Cleo", 2, question_ID=f"q{n}") for n in range(8)},
        **{f"s{n}": record(ASTRAY, "Ada", 0, question_ID=f"p{n}") for n in range(2)},
    )
    found = baselines(load(sorted(folder.glob("*.json"))))
    assert found["first_step"] == {"agent_accuracy": 0.2, "step_accuracy": 0.2}
    assert found["last_step"] == {"agent_accuracy": 0.2, "step_accuracy": 0.0}
    assert found["best_constant_step"] == {"agent_accuracy": 1.0, "step_accuracy": 0.8}
    assert found["most_frequent_agent"]["agent_accuracy"] == 0.8
    assert found["agent_of_first_step"]["agent_accuracy"] == 0.2
    assert found["random"]["step_accuracy"] == pytest.approx(0.8 / 6 + 0.2 / 3, abs=1e-4)
    assert found["random"]["agent_accuracy"] == pytest.approx(0.8 / 4 + 0.2 / 2, abs=1e-4)


def test_weights_that_are_judged_come_from_other_runs(tmp_path: Path) -> None:
    """One run alone has nothing to learn from: all signals weigh nothing, and the first turn is taken."""
    case = only(tmp_path, record(GUESSED, "Cleo", 2))
    assert cross_validated([case]) == [("Ada", 0)]
    folder = write(tmp_path / "many", **{f"r{n}": record(GUESSED, "Cleo", 2) for n in range(12)})
    assert cross_validated(load(sorted(folder.glob("*.json")))) == [("Cleo", 2)] * 12


def test_the_command_gives_json_by_subset_and_writes_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    write(data / "Round", one=record(GUESSED, "Cleo", 2))
    write(data / "Led", one=record(led("There are 9."), "Counter", 9))
    attribution(data, json=True, out=tmp_path / "out")
    report = json.loads(capsys.readouterr().out)
    assert sorted(report) == ["Led", "Round"]
    for figures in report.values():
        assert {"agent_accuracy", "step_accuracy"} <= figures.keys()
        assert set(figures["baselines"]) == {
            "random", "first_step", "last_step", "best_constant_step", "most_frequent_agent", "agent_of_first_step",
        }  # fmt: skip
    assert json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8")) == report
    attribution(data, json=False, out=None)
    assert "## Led: 1 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.txt", "no JSON at all"),
        ("x.json", "[1, 2"),
        ("x.json", '{"history": []}'),
        ("x.json", '{"history": [1], "mistake_agent": "a", "mistake_step": 0}'),
        ("x.json", '{"history": [], "mistake_agent": "a", "mistake_step": "late"}'),
    ],
)
def test_data_that_is_none_is_refused_with_its_place(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableInput, match=tmp_path.name):
        run_attribution(tmp_path)


def test_the_floor_on_real_failures(shared: Path) -> None:
    """Every trivial baseline is beaten by 5 points in each subset, also by weights that never saw the run."""
    report = run_attribution(shared / "runs" / "who_and_when")
    assert report
    for figures in report.values():
        for name, baseline in figures["baselines"].items():
            for measure in ("agent_accuracy", "step_accuracy"):
                for judged in (figures, figures["cross_validated"]):
                    assert judged[measure] >= baseline[measure] + 0.05, (name, measure)
    assert "cross-validated" in render(report)
