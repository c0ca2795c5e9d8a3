"""What a campaign remembers: people, texts, tasks, and every answer anyone ever gave.

An answer is saved with an idempotency key and the revision it is based on. The same answer with
the same key again gives the same result, so that a browser may send it as often as it likes; an
answer that is based on an old revision changes nothing and comes back with the one that stands.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from isogloss.annotate.storage import schema
from isogloss.annotate.storage.database import Database, Result
from isogloss.annotate.storage.desk import Desk
from isogloss.annotate.storage.integrity import (
    Outcome,
    answer_of,
    may_answer_changes,
    saved,
    seal,
    take_turn,
)
from isogloss.annotate.storage.lateness import held_back, keep_late, late_answers
from isogloss.annotate.storage.rows import (
    Facts,
    Texts,
    actor_of,
    insert_actors,
    insert_facts,
    insert_tasks,
    insert_texts,
    task_of,
)
from isogloss.annotate.storage.schema import (
    Actor,
    Answer,
    Event,
    Late,
    LateAnswer,
    Role,
    Submission,
    Task,
    hashed,
    new_token,
    same,
)
from isogloss.errors import InputError


class Store:
    """A campaign's memory over a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def at_desk(self, job: Callable[[Desk], Result]) -> Result:
        """Give work out anew: nobody else does meanwhile, and no answer is saved."""

        def seated(connection: Connection) -> Result:
            may_answer_changes(connection)
            desk = Desk(connection)
            result = job(desk)
            desk.leave()
            return result

        return self._change(seated)

    def looking(self, job: Callable[[Desk], Result]) -> Result:
        """Look at what is on the desk, and change nothing; nobody waits for it."""
        return self.database.read(lambda connection: job(Desk(connection)))

    def _change(self, job: Callable[[Connection], Result]) -> Result:
        """Change what is sealed, one after the other."""

        def in_turn(connection: Connection) -> Result:
            take_turn(connection)
            return job(connection)

        return self.database.write(in_turn)

    # --- the beginning ---------------------------------------------------------------------------

    def begin(
        self,
        facts: Facts,
        texts: Texts,
        people: Mapping[str, Role],
        tasks: Callable[[Mapping[str, Actor]], Sequence[Task]],
    ) -> dict[str, str]:
        """All that a campaign begins with, or nothing of it; the tokens of everybody.

        The texts are frozen: later changes of files must not shift offsets.
        """
        tokens = {name: new_token() for name in people}

        def job(connection: Connection) -> None:
            query = select(schema.facts.c.name).where(schema.facts.c.name == schema.OPENED)
            if connection.execute(query).first() is not None:
                raise InputError("this campaign is open already; its links cannot be remade")
            insert_facts(connection, facts)
            insert_texts(connection, texts)
            admitted = insert_actors(connection, people, tokens)
            insert_tasks(connection, tasks({actor.name: actor for actor in admitted}))

        self._change(job)
        return tokens

    # --- people ----------------------------------------------------------------------------------

    def admit(self, name: str, role: Role) -> str:
        """Let somebody take part; the token is told once and cannot be had again."""
        token = new_token()
        self._change(lambda c: insert_actors(c, {name: role}, {name: token}))
        return token

    def renew(self, names: Sequence[str]) -> dict[str, str]:
        """New tokens for people; the old ones no longer work."""
        tokens = {name: new_token() for name in names}

        def job(connection: Connection) -> None:
            for name, token in tokens.items():
                change = update(schema.actors).where(schema.actors.c.name == name)
                connection.execute(change.values(token_hash=hashed(token)))
            seal(connection, schema.actors)

        self._change(job)
        return tokens

    def actor_with(self, token: str) -> Actor | None:
        """Whoever was given this token."""
        wanted = hashed(token)
        query = select(schema.actors).where(schema.actors.c.token_hash == wanted)
        row = self.database.read(lambda c: c.execute(query).one_or_none())
        if row is None or not same(row.token_hash, wanted):
            return None
        return actor_of(row)

    def actors(self) -> list[Actor]:
        """Everybody, in the order in which they were admitted."""
        query = select(schema.actors).order_by(schema.actors.c.id)
        rows = self.database.read(lambda c: c.execute(query).all())
        return [actor_of(row) for row in rows]

    def has_place(self, actor: int) -> bool:
        """Whether somebody enrolled by themselves."""
        query = select(schema.places.c.number).where(schema.places.c.actor == actor)
        return self.database.read(lambda c: c.execute(query).first()) is not None

    # --- texts and facts -------------------------------------------------------------------------

    def set_fact(self, name: str, value: Any) -> None:
        """Remember something about the whole campaign, once and for all."""
        self._change(lambda c: insert_facts(c, {name: value}))

    def fact(self, name: str) -> Any:
        """What was remembered; `None` where nothing was."""
        query = select(schema.facts.c.value).where(schema.facts.c.name == name)
        return self.database.read(lambda c: c.execute(query).scalar_one_or_none())

    def text(self, document: str) -> Mapping[str, Any]:
        """The frozen texts of a document."""
        query = select(schema.texts.c.content).where(schema.texts.c.document == document)
        content: Mapping[str, Any] = self.database.read(lambda c: c.execute(query).scalar_one())
        return content

    def documents(self) -> list[str]:
        """The documents, in their order."""
        query = select(schema.texts.c.document).order_by(schema.texts.c.position)
        return list(self.database.read(lambda c: c.execute(query).scalars().all()))

    # --- tasks -----------------------------------------------------------------------------------

    def add_tasks(self, tasks: Sequence[Task]) -> None:
        """Give out work."""
        if tasks:
            self._change(lambda c: insert_tasks(c, tasks))

    def add_new_tasks(self, tasks: Sequence[Task], about: Callable[[Task], Hashable]) -> int:
        """Give out work that nobody has yet, by what it is about; how many tasks these are.

        It is looked up where it is written: another server may be giving out the same.
        """

        def job(connection: Connection) -> int:
            known = {about(task_of(row)) for row in connection.execute(select(schema.tasks)).all()}
            new = [task for task in tasks if about(task) not in known]
            insert_tasks(connection, new)
            return len(new)

        return self._change(job)

    def tasks_of(self, actor: int | None = None) -> list[Task]:
        """The tasks of somebody, or of everybody, in their order."""
        query = select(schema.tasks).order_by(schema.tasks.c.actor, schema.tasks.c.position)
        if actor is not None:
            query = query.where(schema.tasks.c.actor == actor)
        rows = self.database.read(lambda c: c.execute(query).all())
        return [task_of(row) for row in rows]

    def task(self, id: str, actor: int | None = None) -> Task | None:
        """The task of that id, if it is this actor's."""
        query = select(schema.tasks).where(schema.tasks.c.id == id)
        if actor is not None:
            query = query.where(schema.tasks.c.actor == actor)
        row = self.database.read(lambda c: c.execute(query).one_or_none())
        return None if row is None else task_of(row)

    # --- answers ---------------------------------------------------------------------------------

    def save(self, actor: int, submissions: Sequence[Submission]) -> list[Outcome]:
        """Save answers, all in one transaction; each is saved, or changes nothing and says why.

        When this returns, what it calls saved is on the disk, and what it calls late is kept for
        the organiser.
        """
        if not submissions:
            return []

        def job(connection: Connection) -> list[Outcome]:
            held = held_back(connection, actor, submissions)
            return saved(connection, actor, submissions, held)

        outcomes = self.database.write(job)
        if late := [each for each in outcomes if isinstance(each, Late)]:
            given = {each.key: each for each in submissions}
            self._change(lambda c: keep_late(c, actor, given, late))
        return outcomes

    def late(self) -> list[LateAnswer]:
        """What people said too late, the last word on each item."""
        return self.database.read(late_answers)

    def answers(self, task: str) -> dict[str, Answer]:
        """The answers of a task that stand, by item, in the order in which they were given."""
        answers = schema.answers
        query = select(answers).where(answers.c.task == task).order_by(answers.c.event)
        rows = self.database.read(lambda c: c.execute(query).all())
        return {row.item: answer_of(row) for row in rows}

    def answers_of(self, actor: int) -> dict[str, list[Answer]]:
        """The answers of somebody that stand, by task."""
        answers, tasks = schema.answers, schema.tasks
        query = select(answers).join(tasks, tasks.c.id == answers.c.task)
        rows = self.database.read(lambda c: c.execute(query.where(tasks.c.actor == actor)).all())
        found: dict[str, list[Answer]] = {}
        for row in rows:
            found.setdefault(row.task, []).append(answer_of(row))
        return found

    def events(self, after: int = 0) -> Iterator[Event]:
        """Everything that was answered, in the order in which it came in."""
        query = (
            select(schema.events, schema.actors.c.name.label("actor_name"))
            .join(schema.actors, schema.actors.c.id == schema.events.c.actor)
            .where(schema.events.c.id > after)
            .order_by(schema.events.c.id)
        )
        for row in self.database.read(lambda c: c.execute(query).all()):
            yield Event(
                row.id,
                row.key,
                row.actor_name,
                row.task,
                row.item,
                row.revision,
                row.value,
                row.at,
                row.received,
            )
