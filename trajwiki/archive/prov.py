"""Where everything in a space comes from, in the words of W3C PROV, as PROV-JSON.

Entities are revisions of messages, snapshots, claims, trajectories and lines of pages; activities are commits; agents
are speakers, who wrote to the space, and the rules, models and persons that decided on claims.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlalchemy as sa

from trajwiki.domain.claims import Op, Status, statuses_of
from trajwiki.domain.messages import Role
from trajwiki.domain.wiki import Section
from trajwiki.memory.amendment import PERSON
from trajwiki.store import tables
from trajwiki.store.database import Database
from trajwiki.store.files import appearing
from trajwiki.store.raw import read_commits, read_rows, required_space
from trajwiki.store.rows import CODECS, Row
from trajwiki.store.spaces import SpaceInfo

Document = dict[str, dict[str, Any]]

VOCABULARY: Final = "urn:trajwiki:vocabulary:"
SPACE: Final = "urn:trajwiki:space:"
PEOPLE: Final = (Role.USER, Role.CORRECTION)
_RELATIONS: Final = {
    "wasGeneratedBy": ("g", "prov:entity", "prov:activity"),
    "wasInvalidatedBy": ("i", "prov:entity", "prov:activity"),
    "wasDerivedFrom": ("d", "prov:generatedEntity", "prov:usedEntity"),
    "wasInfluencedBy": ("f", "prov:influencee", "prov:influencer"),
    "wasAttributedTo": ("t", "prov:entity", "prov:agent"),
    "wasAssociatedWith": ("a", "prov:activity", "prov:agent"),
    "hadMember": ("m", "prov:collection", "prov:entity"),
}
_KINDS: Final = ("prefix", "entity", "activity", "agent", *_RELATIONS)


def export_prov(database: Database, name: str, path: str | Path) -> dict[str, int]:
    """Write the provenance of a space as PROV-JSON. The same space gives the same bytes.

    Args:
        database: Open.
        name: Of the space.
        path: Of the file; nothing may be there.

    Returns:
        How many entities, activities, agents and relations of each kind there are.

    Raises:
        UnknownSpace: There is no space of that name.
        UsageError: There is something at `path`.
        StoreUnavailable: The file cannot be written.
    """
    with database.reading() as connection:
        info = required_space(connection, name)
        document = provenance(connection, info)
    with appearing(Path(path).expanduser()) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
        file.write("\n")
    return {kind: len(members) for kind, members in document.items() if kind != "prefix" and members}


def provenance(connection: sa.Connection, info: SpaceInfo) -> Document:
    """Give the PROV-JSON document of a space.

    What is a revision in PROV is a derivation of that type here, as PROV-JSON wants it.
    """
    return _Provenance(connection, info).document


class _Provenance:
    """Builds the document table by table, each after what it stands on."""

    def __init__(self, connection: sa.Connection, info: SpaceInfo) -> None:
        self._connection = connection
        self._info = info
        self._times: dict[int, datetime] = {}
        self._revisions: dict[str, list[tuple[int, str]]] = {}  # message id to (commit, entity), oldest first
        self._begun: dict[str, tuple[int, int]] = {}  # claim id to (commit, ordinal)
        self.document: Document = {kind: {} for kind in _KINDS}
        self.document["prefix"] = {"tw": VOCABULARY, "s": f"{SPACE}{quote(info.id, safe='')}:"}
        self._commits()
        self._messages()
        self._snapshots()
        self._claims()
        self._operations()
        self._trajectories()
        self._bullets()

    # Tables.

    def _commits(self) -> None:
        for commit in read_commits(self._connection, self._info):
            self._times[commit.n] = commit.at
            at = commit.at.isoformat()
            self.document["activity"][_commit(commit.n)] = {
                "prov:startTime": at,
                "prov:endTime": at,
                "prov:type": _name(f"tw:{commit.kind.value}"),
                "prov:label": commit.note,
            }
            self._relate("wasAssociatedWith", _commit(commit.n), self._agent("actor", commit.actor))

    def _messages(self) -> None:
        for row in self._rows(tables.message):
            known = self._revisions.setdefault(row["id"], [])
            entity = _item(row["id"]) + (f".r{row['revision']}" if known else "")
            sent = {"tw:sentAt": _moment(row["sent_at"])} if row["sent_at"] else {}
            caption = {"tw:caption": row["caption"]} if row["caption"] else {}
            values = {"prov:value": row["text"], "tw:ref": row["source_ref"], "tw:session": row["session"]}
            self._entity(entity, "Message", row["since"], **values, **caption, **sent)
            kind = "person" if row["role"] in PEOPLE else "software"
            self._relate("wasAttributedTo", entity, self._agent(kind, row["speaker"]))
            if known:
                self._revised(entity, known[-1][1])
                self._invalidated(known[-1][1], row["since"])
            known.append((row["since"], entity))

    def _snapshots(self) -> None:
        for row in self._rows(tables.snapshot):
            entity = _item(row["id"])
            self._entity(entity, "Snapshot", row["since"], **{"prov:value": row["summary"]})
            for message_id in row["message_ids"]:
                self._relate("wasDerivedFrom", entity, self._message_at(message_id, row["since"]))

    def _claims(self) -> None:
        for row in self._rows(tables.claim):
            self._begun[row["id"]] = (row["since"], row["ordinal"])
            values = {"prov:value": row["text"], "tw:kind": row["kind"], "tw:subject": row["subject"]}
            self._entity(_item(row["id"]), "Claim", row["since"], **values)
        for row in self._rows(tables.claim_source):
            message = self._message_at(row["message_id"], row["since"])
            words = {
                "tw:quote": row["quote"],
                "tw:start": row["start"],
                "tw:snapshot": _name(_item(row["snapshot_id"])),
            }
            first = self._begun[row["claim_id"]][0] >= row["since"]  # said again later, it is not derived from that
            relation = "wasDerivedFrom" if first else "wasInfluencedBy"
            self._relate(relation, _item(row["claim_id"]), message, **words)

    def _operations(self) -> None:
        """Say who decided on each claim, what it revises, and which commit took it out of use, if it still is."""
        last: dict[str, tuple[Status, int]] = {}
        decided: dict[str, str] = {}
        rows = sorted(self._rows(tables.claim_op), key=lambda row: row["ordinal"])
        for row in rows:
            op = _OPERATION.from_row(_Row(row))
            last |= {claim_id: (status, row["since"]) for claim_id, status in statuses_of(op)}
            decided.setdefault(op.claim_id, op.decided_by)
            if op.op is Op.REVISE and op.replaces and self._is_new(op.claim_id, op.replaces, row["since"]):
                self._revised(_item(op.claim_id), _item(op.replaces), **{"tw:reason": op.reason})
        for claim_id, who in sorted(decided.items()):
            self._relate("wasAttributedTo", _item(claim_id), self._decider(who))
        for claim_id, (status, n) in sorted(last.items()):
            self.document["entity"][_item(claim_id)]["tw:status"] = status.value
            if status is Status.DEPRECATED:
                self._invalidated(_item(claim_id), n)

    def _trajectories(self) -> None:
        titles = {row["trajectory_id"]: row["title"] for row in self._rows(tables.trajectory_version)}
        begun: dict[str, int] = {}
        for row in self._rows(tables.trajectory):
            entity = _item(row["id"])
            self._entity(entity, "Trajectory", row["since"], **{"prov:label": titles.get(row["id"], "")})
            self.document["entity"][entity]["prov:type"] = [_name("tw:Trajectory"), _name("prov:Collection")]
            begun[row["id"]] = row["since"]
            if row["continues"]:
                self._relate("wasDerivedFrom", entity, _item(row["continues"]))
        for row in self._rows(tables.trajectory_member):
            self._relate("hadMember", _item(row["trajectory_id"]), _item(row["snapshot_id"]))
            if row["since"] == begun[row["trajectory_id"]]:  # it grows with later ones, but did not come from them
                self._relate("wasDerivedFrom", _item(row["trajectory_id"]), _item(row["snapshot_id"]))

    def _bullets(self) -> None:
        slugs = {row["id"]: row["slug"] for row in self._rows(tables.page)}
        before: Row = {}
        for row in self._rows(tables.page_bullet):
            entity = _bullet(row)
            values = {"prov:value": row["text"], "tw:page": slugs[row["page_id"]], "tw:section": row["section"]}
            self._entity(entity, "Line", row["since"], **values)
            for claim_id in row["claim_ids"]:
                self._relate("wasDerivedFrom", entity, _item(claim_id))
            if row["trajectory_id"]:
                self._relate("wasDerivedFrom", entity, _item(row["trajectory_id"]))
            if before and before["until"] == row["since"] and _place(before) == _place(row):
                self._revised(entity, _bullet(before))
            if row["until"] is not None:
                self._invalidated(entity, row["until"])
            before = row

    # Parts.

    def _rows(self, table: sa.Table) -> Iterator[Row]:
        return read_rows(self._connection, table, self._info.id)

    def _entity(self, entity: str, kind: str, n: int, **values: Any) -> None:
        self.document["entity"][entity] = {"prov:type": _name(f"tw:{kind}"), **values}
        self._relate("wasGeneratedBy", entity, _commit(n), **{"prov:time": self._times[n].isoformat()})

    def _relate(self, kind: str, one: str, other: str, **values: Any) -> None:
        short, subject, object_ = _RELATIONS[kind]
        known = self.document[kind]
        known[f"_:{short}{len(known) + 1}"] = {subject: one, object_: other, **values}

    def _revised(self, new: str, old: str, **values: Any) -> None:
        self._relate("wasDerivedFrom", new, old, **{"prov:type": _name("prov:Revision")}, **values)

    def _invalidated(self, entity: str, n: int) -> None:
        self._relate("wasInvalidatedBy", entity, _commit(n), **{"prov:time": self._times[n].isoformat()})

    def _agent(self, kind: str, name: str) -> str:
        agent = f"s:agent.{kind}.{quote(name, safe='')}"
        types = {"person": "prov:Person", "software": "prov:SoftwareAgent", "decider": "prov:SoftwareAgent"}
        typed = {"prov:type": _name(types[kind])} if kind in types else {}
        self.document["agent"].setdefault(agent, {"prov:label": name, **typed})
        return agent

    def _decider(self, who: str) -> str:
        return self._agent("actor", who.removeprefix(PERSON)) if who.startswith(PERSON) else self._agent("decider", who)

    def _message_at(self, message_id: str, n: int) -> str:
        """Give the revision of a message that stood in a commit."""
        revisions = self._revisions[message_id]
        return next((entity for since, entity in reversed(revisions) if since <= n), revisions[0][1])

    def _is_new(self, claim_id: str, replaced: str, n: int) -> bool:
        """Tell whether a claim came about in commit n, after what it replaced: else it is not derived from that."""
        return self._begun[claim_id][0] == n and self._begun[replaced] < self._begun[claim_id]


class _Row:
    """A row with its columns as attributes, as codecs read it."""

    def __init__(self, row: Row) -> None:
        self.__dict__.update(row)


_OPERATION: Final = next(codec for codec in CODECS if codec.table is tables.claim_op)


def _commit(n: int) -> str:
    return f"s:commit.{n}"


def _item(id: str) -> str:
    return f"s:{quote(id, safe='')}"


def _place(row: Row) -> tuple[str, str, int]:
    return row["page_id"], row["section"], row["ordinal"]


def _bullet(row: Row) -> str:
    return f"{_item(row['page_id'])}.{Section(row['section']).name.lower()}.{row['ordinal']}.{row['since']}"


def _name(name: str) -> dict[str, str]:
    return {"$": name, "type": "prov:QUALIFIED_NAME"}


def _moment(moment: datetime) -> dict[str, str]:
    return {"$": moment.isoformat(), "type": "xsd:dateTime"}
