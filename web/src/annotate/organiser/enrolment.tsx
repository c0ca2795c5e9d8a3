// One link for many: how people enrol themselves, and how many have.

import { useState } from "preact/hooks";

import type { EnrolmentSettings, EnrolmentState } from "../../generated/annotate";
import { told } from "../api";
import { Fetched } from "./page";

const SOON = 15_000;

export function Enrolment() {
  const [round, setRound] = useState(0);
  return (
    <section class="block enrolment">
      <h2>One link for many</h2>
      <p class="soft">
        People enrol themselves, get documents that lack judgements, and a code at the end: for
        crowd platforms.
      </p>
      <Fetched<EnrolmentState> key={round} path="/api/enrolment" every={SOON}>
        {(state) => <Form state={state} done={() => setRound(round + 1)} />}
      </Fetched>
    </section>
  );
}

function Form(props: { state: EnrolmentState; done: () => void }) {
  const { state } = props;
  const [trouble, setTrouble] = useState<string | null>(null);
  const send = async (path: string, body: object) => {
    try {
      await told<EnrolmentState>(path, body);
      props.done();
    } catch (error) {
      setTrouble(`This was not done: ${(error as Error).message}.`);
    }
  };
  const begun = state.link !== null;
  return (
    <form
      class="enrolment-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send("/api/enrolment", settingsOf(new FormData(event.currentTarget)));
      }}
    >
      {state.link && (
        <>
          <label>
            The link
            <input
              readOnly
              class="wide"
              value={state.link}
              onFocus={(event) => event.currentTarget.select()}
            />
          </label>
          <p class="wide" role="status">
            {state.at_work} at work, {state.finished} finished, {state.gave_up} gave up.
          </p>
        </>
      )}
      <Field name="places" label="Places" number value={state.settings?.places ?? 20} />
      <Field
        name="items"
        label="Items for each, about"
        number
        value={state.settings?.items ?? 100}
      />
      <Field
        name="minutes"
        label="Minutes until a place is free again"
        number
        value={state.settings?.minutes ?? 120}
      />
      <Field
        name="parameter"
        label="The platform’s id in the address"
        hint="PROLIFIC_PID"
        value={state.settings?.parameter ?? ""}
      />
      <Field
        name="code"
        label="Code at the end"
        hint="one for each"
        value={state.settings?.code ?? ""}
      />
      <Field
        name="url"
        label="Address at the end"
        hint="https://…?cc={code}"
        value={state.settings?.url ?? ""}
      />
      <Field
        name="checks"
        label="Percent of spoilt items to be seen for a code"
        hint="any"
        value={state.settings?.checks == null ? "" : Math.round(state.settings.checks * 100)}
      />
      {trouble && (
        <p class="warning wide" role="alert">
          {trouble}
        </p>
      )}
      <p class="wide">
        <button type="submit" class="main">
          {begun ? "Change" : "Let people enrol"}
        </button>{" "}
        {begun && (
          <button type="button" class="plain" onClick={() => void send("/api/enrolment/end", {})}>
            Let nobody else enrol
          </button>
        )}
      </p>
    </form>
  );
}

function Field(props: {
  name: keyof EnrolmentSettings;
  label: string;
  value: string | number;
  hint?: string;
  number?: boolean;
}) {
  return (
    <label>
      {props.label}
      <input
        name={props.name}
        defaultValue={String(props.value)}
        placeholder={props.hint ?? ""}
        {...(props.number ? { type: "number", min: 1, required: true } : {})}
      />
    </label>
  );
}

function settingsOf(form: FormData): EnrolmentSettings {
  const text = (name: string) => String(form.get(name) ?? "").trim() || null;
  const percent = text("checks");
  return {
    places: Number(text("places")),
    items: Number(text("items")),
    minutes: Number(text("minutes")),
    parameter: text("parameter"),
    code: text("code"),
    url: text("url"),
    checks: percent === null ? null : Number(percent) / 100,
  };
}
