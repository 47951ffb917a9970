// What is kept on the server: questions, corpora, evaluation runs, and what was used.
import { call, csrf, get, readProblemText, ApiError, UNREACHABLE } from "./api";
import type { Corpus, Job } from "./types";
import { t } from "./words";

const at = encodeURIComponent;

export interface PastAnswer {
  trace_id: string;
  question: string;
  recipe: string;
  status: "decided" | "not judged" | "unanswerable";
  value: string | null;
  created: string;
  stopped: string | null;
}

export interface HistoryPage {
  answers: PastAnswer[];
  next: string | null;
}

export const history = (before: string | null, signal?: AbortSignal): Promise<HistoryPage> => get<HistoryPage>(`/v1/answers?limit=100${before ? `&before=${at(before)}` : ""}`, signal);
export const deleteAnswer = (id: string): Promise<unknown> => call("DELETE", `/v1/answers/${at(id)}`);
export const deleteAnswers = (): Promise<{ deleted: number }> => call("DELETE", "/v1/answers");

export interface CorpusListed extends Corpus {
  skipped: number;
  passed_over: number;
  retracted: number;
  bytes: number | null;
  embedding: string | null;
  licences: string[];
}

export interface CorpusTold {
  name: string;
  read: number;
  passed_over: number;
  notes: string[];
  same: number;
  skipped: { file: string; position: number | null; reason: string }[];
}

export interface FilesTold {
  files: { name: string; reader: string; reason: string | null }[];
  offset: number;
  total: number;
}

export interface BuildStarted {
  job: Job;
  files: number;
  passed_over: { name: string; reason: string }[];
}

export type Mode = "new" | "add" | "replace";

export const corpora = async (signal?: AbortSignal): Promise<CorpusListed[]> => (await get<{ corpora: CorpusListed[] }>("/v1/corpora", signal)).corpora;
export const corpusTold = (name: string, signal?: AbortSignal): Promise<CorpusTold> => get<CorpusTold>(`/v1/corpora/${at(name)}`, signal);
export const corpusFiles = (name: string, passedOver: boolean, offset: number, signal?: AbortSignal): Promise<FilesTold> =>
  get<FilesTold>(`/v1/corpora/${at(name)}/files?limit=100&offset=${offset}&passed_over=${passedOver}`, signal);
export const removeCorpus = (name: string): Promise<unknown> => call("DELETE", `/v1/corpora/${at(name)}`);

/** Send files; `sent` is told the share that has gone, from 0 to 1. `fetch` cannot tell that, so this is an older call. */
export function upload(name: string, mode: Mode, embed: string, files: File[], sent: (share: number) => void, signal: AbortSignal, title = ""): Promise<BuildStarted> {
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `./v1/corpora?name=${at(name)}&mode=${mode}${embed ? `&embed=${at(embed)}` : ""}${title ? `&title=${at(title)}` : ""}`);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", csrf());
    request.upload.onprogress = (event) => event.lengthComputable && sent(event.loaded / event.total);
    request.onload = () => {
      if (request.status === 202) resolve(JSON.parse(request.responseText) as BuildStarted);
      else reject(new ApiError(readProblemText(request.status, request.responseText)));
    };
    request.onerror = () => reject(new ApiError(UNREACHABLE));
    request.onabort = () => reject(new ApiError({ ...UNREACHABLE, title: t`Stopped`, detail: t`The upload was stopped; nothing has changed.`, next: t`You can send it again.` }));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

export interface Accuracy {
  value: number;
  low: number;
  high: number;
  right: number;
  of: number;
}

export interface RunListed {
  id: string;
  problem: string;
  dataset: string;
  split: string;
  recipe: string;
  model: string;
  started: string;
  limit: number | null;
  seed: number | null;
  with_context: boolean;
  items: number;
  unfinished: number;
  accuracy: Accuracy | null;
  majority: string;
  majority_share: number | null;
  statuses: Record<string, number>;
  input_tokens: number;
  output_tokens: number;
  model_calls: number;
  cached_calls: number;
  searches: number;
  seconds: number;
  price: string | null;
}

export interface Metric {
  name: string;
  words: string;
  right: number;
  of: number;
  value: number | null;
  low: number;
  high: number;
}

export interface OpenedRun {
  run: RunListed;
  metrics: Metric[];
  outcomes: Metric[];
  classes: { label: string; gold: number; given: number; precision: number | null; recall: number | null; f1: number }[];
  macro_f1: number | null;
  support: number | null;
  supported_answers: number;
  seconds_each: number | null;
  warnings: string[];
  settings: Record<string, unknown>;
  snapshots: Record<string, string>;
  versions: Record<string, string>;
}

export type Which = "all" | "right" | "wrong" | "failed";

export interface QuestionPage {
  questions: { id: string; question: string; gold: string[]; answer: string[]; outcome: string; right: boolean; error: string }[];
  offset: number;
  total: number;
}

export const runs = async (signal?: AbortSignal): Promise<RunListed[]> => (await get<{ runs: RunListed[] }>("/v1/runs", signal)).runs;
export const openedRun = (id: string, signal?: AbortSignal): Promise<OpenedRun> => get<OpenedRun>(`/v1/runs/${at(id)}`, signal);
export const runQuestions = (id: string, which: Which, offset: number, signal?: AbortSignal): Promise<QuestionPage> =>
  get<QuestionPage>(`/v1/runs/${at(id)}/questions?which=${which}&offset=${offset}&limit=50`, signal);
export const reportAddress = (id: string): string => `./v1/runs/${at(id)}/report`;

export interface Limits {
  rate: number | null;
  concurrent: number | null;
  money: string | null;
  tokens: number | null;
}

export interface Spent {
  requests: number;
  input_tokens: number;
  output_tokens: number;
  model_calls: number;
  searches: number;
  seconds: number;
  money: string;
  unpriced: number;
}

export interface Usage {
  name: string;
  limits: Limits;
  month: Spent;
}

export interface TokenUse extends Usage {
  created: string;
  revoked: string | null;
  role: string;
}

export interface AuditEntry {
  id: string;
  at: string;
  name: string;
  act: string;
  what: string;
  words: string | null;
}

export interface AuditPage {
  entries: AuditEntry[];
  next: string | null;
}

export const auditLog = (before: string | null): Promise<AuditPage> => get<AuditPage>(`/v1/audit${before ? `?before=${at(before)}` : ""}`);
export const usage = (signal?: AbortSignal): Promise<Usage> => get<Usage>("/v1/usage", signal);
export const tokens = async (signal?: AbortSignal): Promise<TokenUse[]> => (await get<{ tokens: TokenUse[] }>("/v1/tokens", signal)).tokens;
