// What is asked of the campaign's server, and how it says no.

import type {
  CampaignEntry,
  Invitation,
  LearnedAnswers,
  Me,
  Receipts,
  SentAnswer,
  TaskView,
  TutorialView,
} from "../generated/annotate";

/** Somebody said no, and why: the campaign itself, or (not `ours`) a proxy in front of it. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly remedy: string,
    readonly ours = true,
  ) {
    super(message);
  }
}

/** Nobody answered: the network or the server is away. */
export class Unreachable extends Error {}

/** The address of something that the campaign's server has: at its root, or at `/c/NAME`. */
export const reach = (path: string) => (document.documentElement.dataset["base"] ?? "") + path;

export const getMe = () => asked<Me>("/api/me");

export const getInvitation = (token: string) => asked<Invitation>(`/api/invitation/${token}`);

export const getCampaigns = () => asked<CampaignEntry[]>("/api/campaigns");

export const getTask = (id: string) => asked<TaskView>(`/api/tasks/${encodeURIComponent(id)}`);

export const getTutorial = (phase: string, again = false) =>
  asked<TutorialView>(`/api/tutorial/${encodeURIComponent(phase)}${again ? "?again=true" : ""}`);

export const learn = (phase: string, given: LearnedAnswers) =>
  told<TutorialView>(`/api/tutorial/${encodeURIComponent(phase)}`, given);

export async function asked<T>(path: string): Promise<T> {
  const response = await reached(path, {});
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

export async function told<T>(path: string, body: unknown): Promise<T> {
  const response = await posted(path, body);
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

/** Receipts come with 409 and 422 as well: some answers were taken, others not. */
export async function sendAnswers(
  path: string,
  answers: readonly SentAnswer[],
  leaving: boolean,
): Promise<Receipts> {
  const response = await posted(path, { answers }, leaving);
  const body: unknown = await response.json().catch(() => null);
  if (isReceipts(body)) return body;
  throw refusalOf(response.status, body);
}

function posted(path: string, body: unknown, keepalive = false): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return reached(path, { method: "POST", headers, body: JSON.stringify(body), keepalive });
}

async function reached(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(reach(path), { credentials: "same-origin", ...options });
  } catch (error) {
    throw new Unreachable(String(error));
  }
}

async function refusal(response: Response): Promise<Refusal> {
  return refusalOf(response.status, await response.json().catch(() => null));
}

function refusalOf(status: number, body: unknown): Refusal {
  const { error, remedy } = (body ?? {}) as { error?: string; remedy?: string };
  const message = error ?? `the server answered with status ${status}`;
  return new Refusal(status, message, remedy ?? "", error !== undefined);
}

function isReceipts(body: unknown): body is Receipts {
  return body !== null && typeof body === "object" && "receipts" in body;
}
