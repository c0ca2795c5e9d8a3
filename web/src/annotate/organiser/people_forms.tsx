// The forms of the page of people: somebody new, and to whom somebody's work goes.

import { useState } from "preact/hooks";

import type { MemberView, NewPerson } from "../../generated/annotate";
import { Dialog } from "../frame/dialog";

const ABOUT: Record<NewPerson["role"], string> = {
  annotator: "An annotator judges what they are given, and sees nothing else.",
  curator: "A curator sees all answers, decides where people disagree, and exports.",
  observer: "An observer sees progress, agreement and results, and no texts.",
  organiser: "An organiser may do everything.",
};

export function AddPerson(props: { add: (person: NewPerson) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<NewPerson["role"]>("annotator");
  const [share, setShare] = useState(true);
  const [nameless, setNameless] = useState(false);
  return (
    <form
      class="block person-form"
      onSubmit={(event) => {
        event.preventDefault();
        const named = name.trim();
        if (named) props.add({ name: named, role, share, nameless });
      }}
    >
      <h2>Add somebody</h2>
      <p>
        <input
          aria-label="Name"
          placeholder="Name"
          maxLength={200}
          required
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />{" "}
        <select
          aria-label="Role"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value as NewPerson["role"])}
        >
          {Object.keys(ABOUT).map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>{" "}
        <button type="submit" class="main">
          Add
        </button>
      </p>
      <p class="soft">{ABOUT[role]}</p>
      {role === "annotator" && (
        <Choice checked={share} set={setShare}>
          takes over what others have not begun, until nobody has more to do
        </Choice>
      )}
      {role === "observer" && (
        <Choice checked={nameless} set={setNameless}>
          sees numbers instead of names of annotators
        </Choice>
      )}
    </form>
  );
}

function Choice(props: { checked: boolean; set: (to: boolean) => void; children: string }) {
  return (
    <label>
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.set(event.currentTarget.checked)}
      />{" "}
      {props.children}
    </label>
  );
}

/** Somebody whose work goes to others, because they leave or not. */
export interface Handing {
  readonly person: MemberView;
  readonly leaves: boolean;
}

const ALL = "";
const KEEP = "\0keep";

export function HandOver(props: {
  handing: Handing;
  others: readonly MemberView[];
  close: () => void;
  run: (body: object) => void;
}) {
  const { person, leaves } = props.handing;
  const [to, setTo] = useState(ALL);
  const open = person.total - person.done;
  const run = () => {
    const whom = to === ALL || to === KEEP ? {} : { to: [to] };
    props.run({ name: person.name, ...whom, ...(to === KEEP ? { keep: true } : {}) });
  };
  return (
    <Dialog
      title={leaves ? `Withdraw the link of ${person.name}?` : `Hand over work of ${person.name}?`}
      class="handing"
      shortcuts={[]}
      close={props.close}
    >
      <h2>
        {leaves ? "Withdraw the link of " : "Hand over work of "}
        <bdi>{person.name}</bdi>?
      </h2>
      {leaves && <p>It opens nothing from now on. What they answered stays theirs.</p>}
      {open > 0 && (
        <label>
          {open.toLocaleString()} open {open === 1 ? "item goes" : "items go"} to{" "}
          <select value={to} onChange={(event) => setTo(event.currentTarget.value)}>
            <option value={ALL}>whoever has least to do</option>
            {props.others.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
            {leaves && <option value={KEEP}>nobody yet</option>}
          </select>
        </label>
      )}
      <p class="choices">
        <button type="button" class="main" onClick={run}>
          {leaves ? "Withdraw" : "Hand over"}
        </button>{" "}
        <button type="button" class="plain" onClick={props.close}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
