// A question before something that cannot be undone. The safe answer has the focus; Escape is that answer, too.
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

interface Props {
  title: string;
  words: string;
  action: string;
  yes: () => void;
  no: () => void;
}

export function Confirm({ title, words, action, yes, no }: Props): JSX.Element {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`} aria-describedby={`${id}-words`} onClose={no}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-words`}>{words}</p>
      <div class="row">
        <button type="button" autofocus onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={yes}>
          {action}
        </button>
      </div>
    </dialog>
  );
}
