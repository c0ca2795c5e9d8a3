// Who takes part: people come and go, their work goes to others, the campaign ends.

import { useState } from "preact/hooks";

import type {
  LateTaken,
  MemberView,
  NewLink,
  PeopleView,
  WorkView,
} from "../../generated/annotate";
import { told } from "../api";
import { Bar } from "../frame/home";
import { Enrolment } from "./enrolment";
import { Fetched } from "./page";
import { AddPerson, HandOver, type Handing } from "./people_forms";

const SOON = 15_000;
const ROLES: Record<MemberView["role"], string> = {
  organiser: "Organiser",
  curator: "Curator",
  annotator: "Annotator",
  observer: "Observer",
};

/** What was done last, or why it was not. */
interface News {
  readonly text: string;
  readonly link?: string;
  readonly wrong?: boolean;
}

export function PeoplePage() {
  const [round, setRound] = useState(0);
  const [news, setNews] = useState<News | null>(null);
  return (
    <main class="overview people">
      {news && <NewsBox news={news} close={() => setNews(null)} />}
      <Fetched<PeopleView> key={round} path="/api/people" every={SOON}>
        {(view) => (
          <All
            view={view}
            done={(said) => {
              setNews(said);
              setRound(round + 1);
            }}
          />
        )}
      </Fetched>
      <Enrolment />
    </main>
  );
}

function NewsBox(props: { news: News; close: () => void }) {
  const { text, link, wrong } = props.news;
  return (
    <div class={wrong ? "news warning" : "news"} role="status">
      <p>{text}</p>
      {link && (
        <p>
          <input
            readOnly
            value={link}
            aria-label="Secret link"
            onFocus={(event) => event.currentTarget.select()}
          />
        </p>
      )}
      <button type="button" class="plain" onClick={props.close}>
        Dismiss
      </button>
    </div>
  );
}

function All(props: { view: PeopleView; done: (news: News) => void }) {
  const { view } = props;
  const [leaving, setLeaving] = useState<Handing | null>(null);
  const act = async <T,>(path: string, body: object, say: (found: T) => News) => {
    try {
      props.done(say(await told<T>(`/api/people${path}`, body)));
    } catch (error) {
      props.done({ text: `This was not done: ${(error as Error).message}.`, wrong: true });
    }
  };
  const shownOnce = (name: string) => (found: NewLink) => ({
    text: `The link of ${name}: it is shown this once.${given(found.work)}`,
    link: found.link,
  });
  return (
    <>
      <Course
        view={view}
        close={() => act("/close", {}, () => ({ text: "The campaign is closed." }))}
        reopen={() => act("/reopen", {}, () => ({ text: "The campaign takes answers again." }))}
        takeLate={() => act("/late", {}, lateNews)}
        extend={() => act("/extend", { redundancy: view.redundancy + 1 }, workNews)}
      />
      <section class="block">
        <h2>People</h2>
        <div class="scrolls">
          <table class="figures">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Role</th>
                <th scope="col">Done</th>
                <th scope="col">Link</th>
                <th scope="col">
                  <span class="unseen">What to do</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {view.people.map((each) => (
                <Person
                  key={each.name}
                  person={each}
                  link={() => act("/link", { name: each.name }, shownOnce(each.name))}
                  hand={(leaves) => setLeaving({ person: each, leaves })}
                />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <AddPerson add={(person) => act("", person, shownOnce(person.name))} />
      {leaving && (
        <HandOver
          handing={leaving}
          others={view.people.filter(
            (each) =>
              each.role === "annotator" &&
              each.state === "active" &&
              each.name !== leaving.person.name,
          )}
          close={() => setLeaving(null)}
          run={(body) => {
            setLeaving(null);
            void act(leaving.leaves ? "/withdraw" : "/reassign", body, workNews);
          }}
        />
      )}
    </>
  );
}

function Course(props: {
  view: PeopleView;
  close: () => void;
  reopen: () => void;
  takeLate: () => void;
  extend: () => void;
}) {
  const { view } = props;
  const late = view.people.reduce((sum, each) => sum + each.late, 0);
  return (
    <section class="block course">
      <h2>{view.closed ? "The campaign is closed" : "The campaign takes answers"}</h2>
      <p>
        {view.closed
          ? "Annotators read so when they come; results stay as they are."
          : "Closing it ends all work; it can be opened again."}{" "}
        <button type="button" class="plain" onClick={view.closed ? props.reopen : props.close}>
          {view.closed ? "Open it again" : "Close the campaign"}
        </button>
      </p>
      {!view.closed && (
        <p>
          Each document is judged by {count(view.redundancy, "person", "people")}.{" "}
          <button type="button" class="plain" onClick={props.extend}>
            Ask one more person
          </button>
        </p>
      )}
      {late > 0 && (
        <p>
          {count(late, "answer", "answers")} came too late and {late === 1 ? "is" : "are"} not
          counted.{" "}
          <button type="button" class="plain" onClick={props.takeLate}>
            Take them in
          </button>
        </p>
      )}
    </section>
  );
}

function Person(props: { person: MemberView; link: () => void; hand: (leaves: boolean) => void }) {
  const { person } = props;
  const active = person.state === "active";
  const annotates = person.role === "annotator";
  return (
    <tr class={active ? "" : "gone"}>
      <th scope="row">
        <bdi>{person.name}</bdi>
      </th>
      <td>{ROLES[person.role]}</td>
      <td class="done">
        {annotates && person.total > 0 && (
          <>
            <Bar done={person.done} total={person.total} label={person.name} /> {person.done}/
            {person.total}
          </>
        )}
      </td>
      <td>{active ? "works" : "withdrawn"}</td>
      <td>
        <button
          type="button"
          class="plain"
          title="The link from before opens nothing then"
          onClick={props.link}
        >
          {active ? "Replace link" : "New link"}
        </button>
        {annotates && person.done < person.total && (
          <button type="button" class="plain" onClick={() => props.hand(false)}>
            Hand over…
          </button>
        )}
        {active && (
          <button type="button" class="plain" onClick={() => props.hand(true)}>
            Withdraw…
          </button>
        )}
      </td>
    </tr>
  );
}

function workNews(work: WorkView): News {
  return { text: `Done.${given(work)}` };
}

function lateNews(found: LateTaken): News {
  const left = found.left > 0 ? ` ${found.left} stay aside: something newer stands there.` : "";
  return { text: `${count(found.taken, "answer", "answers")} taken in.${left}` };
}

function given(work: WorkView): string {
  const tasks = work.tasks ? ` ${count(work.tasks, "task", "tasks")} given out.` : "";
  const left = work.left
    ? ` ${count(work.left, "item", "items")} left: everybody else judges these documents already.`
    : "";
  return tasks + left;
}

export function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString()} ${number === 1 ? one : many}`;
}
