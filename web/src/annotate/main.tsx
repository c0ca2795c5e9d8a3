// The campaign's page: asks who has come, and shows them their work.

import "../shared/theme.css";
import "./css/frame.css";
import "./css/task.css";
import "./css/phases.css";
import "./css/organiser.css";
import "./css/people.css";

import { render } from "preact";

import { getCampaigns, getInvitation, getMe } from "./api";
import { App } from "./app";
import { InvitationPage, invitedBy } from "./frame/invitation";
import { StartPage } from "./frame/start";
import { Trouble } from "./frame/trouble";
import { listen } from "./input/shortcuts";
import { sessionOf } from "./session";

const root = document.getElementById("app") as HTMLElement;

async function begin(): Promise<void> {
  const token = invitedBy(location.pathname);
  try {
    if (token) {
      const invitation = await getInvitation(token);
      render(<InvitationPage token={token} invitation={invitation} />, root);
      document.documentElement.dataset["ready"] = "true";
      return;
    }
    if ("start" in document.documentElement.dataset) {
      render(<StartPage entries={await getCampaigns()} />, root);
      document.documentElement.dataset["ready"] = "true";
      return;
    }
    const session = sessionOf(await getMe());
    render(<App session={session} />, root);
  } catch (error) {
    render(<Trouble error={error} again={() => void begin()} />, root);
  }
  document.documentElement.dataset["ready"] = "true";
}

listen();
void begin();
