// Sign in: the token is sent once, and nothing of it stays in the page or in the browser's storage.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { ProblemBox, problemOf } from "../parts/problem";
import { signIn } from "../session";
import type { Problem } from "../types";

export function SignInPage(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);

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
      <p class="dim">This server requires a token. Its administrator can create one with the command medground token create.</p>
      {problem && <ProblemBox problem={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <div class="field">
          <label for="token">Token</label>
          <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} maxLength={200} required aria-describedby="token-hint" autofocus />
          <p id="token-hint" class="dim hint">
            It is sent once. The browser keeps a session in its place, which ends after 12 hours without use.
          </p>
        </div>
        <button type="submit" class="primary" disabled={sending}>
          {sending ? "Signing in" : "Sign in"}
        </button>
      </form>
    </div>
  );
}
