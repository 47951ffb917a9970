// Who is signed in. The token itself is never kept: the browser holds a cookie that scripts cannot read.
import { useEffect, useState } from "preact/hooks";
import { call, get, onLoginNeeded } from "./api";

export interface Session {
  login: boolean;
  name: string | null;
  admin: boolean;
  keep_days: number | null;
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
  await call("DELETE", "/session");
  if (current) set({ ...current, name: null, admin: false });
}

onLoginNeeded(() => {
  if (current?.login && current.name !== null) set({ ...current, name: null, admin: false });
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
