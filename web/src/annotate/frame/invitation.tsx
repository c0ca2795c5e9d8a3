// Behind the link for many: what it is about, and a place for whoever wants one.

import { useState } from "preact/hooks";

import type { Invitation } from "../../generated/annotate";
import { reach, told } from "../api";
import { Guidelines } from "./guidelines";

const LINK = /\/e\/([^/]+)$/;

/** What the link ends in, if this is its page. */
export function invitedBy(path: string): string | null {
  return LINK.exec(path)?.[1] ?? null;
}

export function InvitationPage(props: { token: string; invitation: Invitation }) {
  const { invitation, token } = props;
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { parameter } = invitation;
  const platform = parameter && new URLSearchParams(location.search).get(parameter);
  const begin = async () => {
    setBusy(true);
    try {
      await told<null>("/api/enrol", { token, platform: platform || null });
      location.replace(reach("/"));
    } catch (error) {
      setTrouble((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <div class="home invitation">
      <header class="bar">
        <span class="brand">isogloss</span>
      </header>
      <div class="home-body">
        <main>
          <p class="soft">You are invited to judge translations.</p>
          <h1>
            <bdi>{invitation.campaign}</bdi>
          </h1>
          {invitation.closed ? (
            <p>The campaign is closed. Thank you for coming.</p>
          ) : invitation.known ? (
            <p>
              You take part as <bdi>{invitation.known}</bdi>.{" "}
              <a class="main" href={reach("/")}>
                Go on
              </a>
            </p>
          ) : (
            <p>
              <button type="button" class="main" disabled={busy} onClick={() => void begin()}>
                Take part
              </button>
            </p>
          )}
          {!invitation.closed && !invitation.known && (
            <p>
              You get about {invitation.items.toLocaleString()} questions, as whole documents. When
              all are answered, the page gives you a completion code.
            </p>
          )}
          {trouble && (
            <p class="warning" role="alert">
              {trouble[0]?.toUpperCase() + trouble.slice(1)}.
            </p>
          )}
          <p class="soft">
            This browser remembers who you are: go on in the same one. Every answer is saved as you
            give it.
          </p>
        </main>
        <Guidelines text={invitation.guidelines} />
      </div>
    </div>
  );
}
