// The question, with suggestions while typing. The keys are those of the ARIA pattern of a combobox with a list box; the
// role is that of a text box, because a question has several lines and HTML allows a combobox only on one.
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { suggest } from "../api";
import type { Suggestion } from "../types";
import { said } from "../server";
import { t } from "../words";

const PAUSE = 150;
const LEAST = 4;
/** Code points before the caret that a suggestion may complete. */
const LOOKED_AT = 200;

/** The end of a text, by code points. */
const tail = (text: string): string => Array.from(text).slice(-LOOKED_AT).join("");

interface Props {
  value: string;
  onValue: (value: string) => void;
  onSubmit: () => void;
  label: string;
  describedBy?: string;
  rows?: number;
  /** Whether the page begins here. */
  focused?: boolean;
}

export function QuestionField({ value, onValue, onSubmit, label, describedBy, rows = 3, focused = false }: Props): JSX.Element {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [found, setFound] = useState<Suggestion[]>([]);
  const [active, setActive] = useState(-1);
  const [typed, setTyped] = useState("");
  const open = found.length > 0;
  useEffect(() => {
    if (focused) field.current?.focus({ preventScroll: true });
  }, [focused]);

  useEffect(() => {
    if (typed.trim().length < LEAST) return setFound([]);
    const control = new AbortController();
    const timer = setTimeout(() => {
      suggest(tail(typed), control.signal).then(
        (list) => {
          setFound(list.slice(0, 4));
          setActive(-1);
        },
        () => setFound([]), // a question can be asked without suggestions
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [typed]);

  const close = (): void => {
    setFound([]);
    setActive(-1);
  };
  const take = (suggestion: Suggestion): void => {
    const end = tail(typed);
    const kept = typed.slice(0, typed.length - end.length) + Array.from(end).slice(0, suggestion.start).join("");
    const rest = value.slice(typed.length);
    const written = `${kept}${suggestion.text}${rest.startsWith(" ") ? "" : " "}`;
    onValue(written + rest);
    close();
    field.current?.focus();
    requestAnimationFrame(() => field.current?.setSelectionRange(written.length, written.length));
  };
  const key = (event: KeyboardEvent): void => {
    const chosen = found[active];
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive(((active + step + 1 + found.length + 1) % (found.length + 1)) - 1);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    } else if (event.key === "Tab") {
      close();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (chosen) take(chosen);
      else {
        close();
        onSubmit();
      }
    }
  };

  return (
    <div class="combobox">
      <label class="strong" for={`${id}-field`}>
        {label}
      </label>
      <textarea
        id={`${id}-field`}
        ref={field}
        rows={rows}
        dir="auto"
        maxLength={4000}
        value={value}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-describedby={describedBy}
        spellcheck
        onInput={(event) => {
          onValue(event.currentTarget.value);
          setTyped(event.currentTarget.value.slice(0, event.currentTarget.selectionStart));
        }}
        onKeyDown={key}
        onBlur={close}
      />
      <p class="unseen" role="status">
        {open ? t`${found.length} suggestions; choose one with the arrow keys and Enter` : ""}
      </p>
      <ul id={`${id}-list`} role="listbox" aria-label="Suggestions" hidden={!open}>
        {found.map((suggestion, number) => (
          <li
            key={suggestion.text}
            id={`${id}-${number}`}
            role="option"
            aria-selected={number === active}
            onMouseDown={(event) => {
              event.preventDefault(); // the field keeps the focus
              take(suggestion);
            }}
          >
            <span dir="auto">{suggestion.text}</span> <span class="dim">{said(suggestion.about)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
