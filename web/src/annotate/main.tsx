// The campaign's page: asks who has come, and shows them their work.

import "../shared/theme.css";
import "../shared/voices.css";
import "./css/frame.css";
import "./css/task.css";
import "./css/phases.css";
import "./css/organiser.css";
import "./css/people.css";
import "./css/tutorial.css";
import "./css/fingers.css";

import { render } from "preact";

import { getCampaigns, getInvitation, getMe, getTask, reach } from "./api";
import { App } from "./app";
import { InvitationPage, invitedBy } from "./frame/invitation";
import { StartPage } from "./frame/start";
import { Trouble } from "./frame/trouble";
import { listen } from "./input/shortcuts";
import { browserDrawer } from "./offline/drawer";
import { KeptWork } from "./offline/kept";
import { WorkSource } from "./offline/source";
import { BrowserShelf } from "./saving/shelf";
import { type Session, sessionOf } from "./session";

const shelf = new BrowserShelf();
const kept = new KeptWork(browserDrawer());
const source = new WorkSource({ getMe, getTask }, kept, shelf);
const root = document.getElementById("app") as HTMLElement;

async function session(): Promise<Session> {
  const me = await source.getMe();
  const begun = sessionOf(me, source, shelf);
  if (me.role === "annotator" && !me.preview) atHand();
  return begun;
}

/** From now on the page can be opened without a network, where the browser allows it (TLS). */
function atHand(): void {
  const address = reach("/worker.js");
  const registered = navigator.serviceWorker?.register(address, { updateViaCache: "none" });
  registered?.catch(() => undefined);
}

async function begin(): Promise<void> {
  const token = invitedBy(location.pathname);
  try {
    if (token) {
      const invitation = await getInvitation(token);
      render(<InvitationPage token={token} invitation={invitation} />, root);
    } else if ("start" in document.documentElement.dataset) {
      render(<StartPage entries={await getCampaigns()} />, root);
    } else {
      render(<App session={await session()} />, root);
    }
  } catch (error) {
    render(<Trouble error={error} again={() => void begin()} />, root);
  }
  document.documentElement.dataset["ready"] = "true";
}

listen();
void begin();
