// Sign in: the token is sent once, and nothing of it stays in the page or in the browser's storage.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { ProblemBox, problemOf } from "../parts/problem";
import { goToProvider, signIn, useSession } from "../session";
import type { Problem } from "../types";
import { t } from "../words";

/** Why nobody was signed in, as the address says after the way back from the provider. */
const REFUSED: Record<string, string> = {
  again: t`You were not signed in. Begin again, and allow cookies of this page.`,
  provider: t`The identity provider did not confirm who you are. Try again; if it fails again, tell the administrator of this server.`,
  unknown: t`You are known, but have no access to this server. Ask its administrator.`,
};

export function SignInPage(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const provider = useSession()?.provider;
  const refused = REFUSED[new URLSearchParams(location.search).get("refused") ?? ""];

  const send = (): void => {
    const token = field.current?.value.trim() ?? "";
    if (!token || sending) return;
    setSending(true);
    setProblem(null);
    signIn(token).catch((error: unknown) => {
      setSending(false);
      setProblem(problemOf(error));
      if (field.current) field.current.value = "";
      field.current?.focus();
    });
  };

  return (
    <div class="column narrow-column">
      <h1>Sign in</h1>
      {refused && (
        <p class="problem" role="alert">
          {refused}
        </p>
      )}
      {provider && (
        <p>
          <button type="button" class="primary" onClick={goToProvider}>
            Sign in with {provider}
          </button>
        </p>
      )}
      <p class="dim">{provider ? t`Or sign in with a token of the administrator.` : t`This server requires a token. Its administrator can create one with the command medground token create.`}</p>
      {problem && <ProblemBox problem={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div class="field">
          <label for="token">Token</label>
          <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} maxLength={200} required aria-describedby="token-hint" autofocus={!provider} />
          <p id="token-hint" class="dim hint">
            It is sent once. The browser keeps a session in its place, which ends after 12 hours without use.
          </p>
        </div>
        <button type="submit" class={provider ? "" : "primary"} disabled={sending}>
          {sending ? t`Signing in` : t`Sign in`}
        </button>
      </form>
    </div>
  );
}
