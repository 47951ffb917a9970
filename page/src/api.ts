// The typed client of the HTTP API: JSON in and out, problems as RFC 9457, and events that survive a lost connection.
import type { Answered, Asked, DocumentText, Job, JobEvent, Offers, Problem, SearchResult, Strategy, Suggestion } from "./types";
import { t } from "./words";

/** An error of the server, or of the way to it. `problem.next` says what to do. */
export class ApiError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** Called when the server asks for a login; the page then shows it. */
let loginNeeded: () => void = () => undefined;

export function onLoginNeeded(call: () => void): void {
  loginNeeded = call;
}

export const UNREACHABLE: Problem = {
  type: "urn:medground:problem:unreachable",
  title: t`The server is not responding`,
  status: 0,
  detail: t`Medground is not responding. It may have been stopped, or the network is down.`,
  next: t`Check that it is running, then try again.`,
};

/** A cookie's value by its name, or "". */
function cookie(name: string): string {
  const found = document.cookie.split("; ").find((pair) => pair.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

/** What every change must carry beside the cookie of the session. */
export const csrf = (): string => cookie("medground_csrf");

function headers(method: string, more: Record<string, string>): Record<string, string> {
  return method === "GET" ? more : { ...more, "X-CSRF-Token": csrf() };
}

/** A response, or an ApiError that says why there is none. */
async function send(path: string, method: string, options: RequestInit & { headers: Record<string, string> }, again = true): Promise<Response> {
  let response: Response;
  try {
    // Below the page, whatever prefix a proxy gives it.
    response = await fetch(`.${path}`, { ...options, method, headers: headers(method, options.headers), credentials: "same-origin" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(UNREACHABLE);
  }
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (response.status === 401) loginNeeded();
  if (response.status === 403 && again && problem.detail.includes("CSRF")) {
    await get("/session"); // the session has ended, or another server of this computer took its cookie
    return send(path, method, options, false);
  }
  throw new ApiError(problem);
}

const readProblem = async (response: Response): Promise<Problem> => readProblemText(response.status, await response.text().catch(() => ""));

export function readProblemText(status: number, text: string): Problem {
  const unreadable = { ...UNREACHABLE, title: t`Error`, status, detail: t`The server answered ${status}.` };
  try {
    const told = JSON.parse(text) as Partial<Problem>;
    return typeof told.detail === "string" ? { ...unreadable, next: t`Try again.`, ...told } : unreadable;
  } catch {
    return unreadable;
  }
}

/** JSON of the server. Bodies are sent as JSON, except forms (uploads). */
export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const form = body instanceof FormData;
  const response = await send(path, method, {
    headers: { Accept: "application/json", ...(body === undefined || form ? {} : { "Content-Type": "application/json" }) },
    ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** A file that the server makes. */
export async function fetchFile(method: string, path: string, body?: unknown): Promise<Blob> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await send(path, method, { headers: body === undefined ? {} : { "Content-Type": "application/json" }, ...sent });
  return await response.blob();
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => call<T>("GET", path, undefined, signal);

const at = (part: string): string => encodeURIComponent(part);
/** A document's id keeps its colon: it is part of the path. */
const documentPath = (id: string): string => `/v1/documents/${at(id).replaceAll("%3A", ":").replaceAll("%2F", "/")}`;

export const startJob = async (asked: Asked): Promise<Job> => call<Job>("POST", "/v1/jobs", asked);
export const job = (id: string): Promise<Job> => get<Job>(`/v1/jobs/${at(id)}`);
export const stopJob = (id: string): Promise<unknown> => call("DELETE", `/v1/jobs/${at(id)}`);
export const answerView = (id: string, signal?: AbortSignal): Promise<Answered> => get<Answered>(`/v1/answers/${at(id)}/view`, signal);

/** A document, looked for in the corpora of an answer first, and then in all that is searched by default. */
export async function documentText(id: string, corpora: string[] = [], signal?: AbortSignal): Promise<DocumentText> {
  const named = corpora.map((name) => `corpus=${at(name)}`).join("&");
  if (!named) return get<DocumentText>(documentPath(id), signal);
  try {
    return await get<DocumentText>(`${documentPath(id)}?${named}`, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 422].includes(error.problem.status)) throw error;
    return get<DocumentText>(documentPath(id), signal);
  }
}

export const suggest = (typed: string, signal?: AbortSignal): Promise<Suggestion[]> => get<Suggestion[]>(`/v1/suggest?q=${at(typed)}`, signal);
export const search = (body: object): Promise<SearchResult> => call<SearchResult>("POST", "/v1/search", body);
/** What a question can choose from. */
export const strategy = (body: object): Promise<Strategy> => call<Strategy>("POST", "/v1/strategy", body);

export async function offers(signal?: AbortSignal): Promise<Offers> {
  const [ways, searched] = await Promise.all([
    get<Pick<Offers, "recipes" | "models">>("/v1/recipes", signal),
    get<Pick<Offers, "corpora" | "sources" | "default_sources" | "knowledge_bases">>("/v1/corpora", signal),
  ]);
  return { ...ways, ...searched };
}

/** What the stream of a job tells, and when it is being found again. */
export interface Listener {
  event: (event: JobEvent) => void;
  waiting: (seconds: number) => void;
}

/**
 * Follow the events of a job until its last one. A lost connection is taken up again after the last event seen.
 * Rejects if the server refuses; resolves when the job has ended or `signal` is aborted.
 */
export async function follow(id: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last = 0;
  for (let failures = 0; !signal.aborted; ) {
    try {
      const response = await send(`/v1/jobs/${at(id)}/events`, "GET", {
        headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": String(last) } : {}) },
        signal,
      });
      for await (const data of messages(response)) {
        failures = 0;
        const event = JSON.parse(data) as JobEvent;
        last = Math.max(last, event.id);
        listener.event(event);
        if (LAST.has(event.type)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.problem.status >= 400 && error.problem.status < 500) throw error;
      if (++failures > 8) throw error;
    }
    const seconds = Math.min(0.5 * 2 ** failures, 10);
    listener.waiting(seconds);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

const LAST = new Set(["answer", "done", "failed", "stopped"]);

/** The `data` of each server-sent event; comments are skipped. */
async function* messages(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split(/\r?\n\r?\n/);
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const lines = part.split(/\r?\n/).filter((line) => line.startsWith("data:"));
        if (lines.length) yield lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
