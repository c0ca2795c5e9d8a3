// Several campaigns on one server: those that this browser has come to.

import type { CampaignEntry } from "../../generated/annotate";
import { LookSwitch } from "../../shared/look";
import { Bar } from "./home";

export function StartPage(props: { entries: readonly CampaignEntry[] }) {
  const { entries } = props;
  return (
    <div class="home start">
      <header class="bar">
        <span class="brand">isogloss</span>
        <span class="space" />
        <LookSwitch />
      </header>
      <div class="home-body">
        <main>
          <h1>Campaigns</h1>
          <p class="soft">
            {entries.length > 0
              ? "This browser knows your way to these. Open the link of another one to find it here."
              : "Open the link that the organiser gave you; this browser then finds its way here."}
          </p>
          <ul class="tasks">
            {entries.map((each) => (
              <Entry key={each.path} entry={each} alike={alike(each, entries)} />
            ))}
          </ul>
        </main>
      </div>
    </div>
  );
}

/** Campaigns on one test set are often called alike: then their folders tell them apart. */
function alike(entry: CampaignEntry, all: readonly CampaignEntry[]): boolean {
  return all.some((each) => each.path !== entry.path && each.campaign === entry.campaign);
}

function Entry(props: { entry: CampaignEntry; alike: boolean }) {
  const { entry } = props;
  const folder = entry.path.split("/").at(-2);
  const people = entry.people === 1 ? "1 annotator" : `${entry.people} annotators`;
  const role = entry.role === "annotator" ? "you annotate" : `${entry.role}, ${people}`;
  return (
    <li>
      <a href={entry.path}>
        <span class="what">
          <bdi>{entry.campaign}</bdi>
          {props.alike && (
            <>
              {" ("}
              <bdi>{folder}</bdi>)
            </>
          )}{" "}
          <span class="soft">{role}</span>
        </span>
        <Bar done={entry.done} total={entry.total} label={entry.campaign} />
        <span class="count">
          {entry.done}/{entry.total}
        </span>
        <span class="state">{entry.closed ? "Closed" : "Open"}</span>
      </a>
    </li>
  );
}
