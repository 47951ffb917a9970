// Who is signed in. The token itself is never kept: the browser holds a cookie that scripts cannot read.
import { useEffect, useState } from "preact/hooks";
import { call, get, onLoginNeeded } from "./api";

export interface Session {
  login: boolean;
  name: string | null;
  role: "reader" | "editor" | "admin" | null;
  keep_days: number | null;
  /** The identity provider to sign in with. */
  provider: string | null;
}

let current: Session | null = null;
const listeners = new Set<(session: Session | null) => void>();

function set(session: Session | null): void {
  current = session;
  for (const listener of listeners) listener(session);
}

/** Ask the server who is signed in; it also gives the page the token that every change must carry. */
export async function loadSession(): Promise<void> {
  set(await get<Session>("/session"));
}

export async function signIn(token: string): Promise<void> {
  set(await call<Session>("POST", "/session", { token }));
}

export async function signOut(): Promise<void> {
  const { next } = await call<{ next: string | null }>("DELETE", "/session");
  if (next) location.href = next;
  else if (current) set({ ...current, name: null, role: null });
}

/** Whether a person may change collections. */
export const edits = (session: Session | null): boolean => session?.role === "editor" || session?.role === "admin";

const WANTED = "medground-wanted";

/** Sign in at the provider, and come back to the view that was wanted. */
export function goToProvider(): void {
  sessionStorage.setItem(WANTED, location.hash);
  location.href = "./session/provider";
}

/** Show the view that was wanted before the person went to the provider. */
export function showWanted(): void {
  const wanted = sessionStorage.getItem(WANTED);
  sessionStorage.removeItem(WANTED);
  if (wanted && !location.hash) location.hash = wanted;
}

onLoginNeeded(() => {
  if (current?.login && current.name !== null) set({ ...current, name: null, role: null });
});

/** The session now, and again whenever it changes; null until the server has told. */
export function useSession(): Session | null {
  const [session, setSession] = useState(current);
  useEffect(() => {
    listeners.add(setSession);
    setSession(current);
    return () => void listeners.delete(setSession);
  }, []);
  return session;
}
