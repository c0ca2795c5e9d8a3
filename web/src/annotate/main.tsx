// The campaign's page: asks who has come, and shows them their work.

import "../shared/theme.css";
import "../shared/voices.css";
import "./css/frame.css";
import "./css/task.css";
import "./css/phases.css";
import "./css/organiser.css";

import { render } from "preact";

import { getMe } from "./api";
import { App } from "./app";
import { Trouble } from "./frame/trouble";
import { listen } from "./input/shortcuts";
import { sessionOf } from "./session";

const root = document.getElementById("app") as HTMLElement;

async function begin(): Promise<void> {
  try {
    const session = sessionOf(await getMe());
    render(<App session={session} />, root);
  } catch (error) {
    render(<Trouble error={error} again={() => void begin()} />, root);
  }
  document.documentElement.dataset["ready"] = "true";
}

listen();
void begin();
