import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { address, type Route, useRoute } from "./router";
import { signOut, useSession } from "./session";
import { chooseTheme, chosenTheme, type Theme } from "./theme";
import { VIEWS } from "./views";
import { SignInPage } from "./views/signin";
import { chooseLanguage, type Language, language, LANGUAGES, t } from "./words";

export function App(): JSX.Element {
  const route = useRoute();
  const view = VIEWS[route.view];
  const key = view ? `${route.view}/${view.same ? view.same(route) : route.parts.join("/")}` : route.view;
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  useEffect(() => {
    document.title = `${view?.title ?? t`Not found`} · Medground`;
    if (first.current) first.current = false;
    else {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
  }, [key]);

  const session = useSession();
  const asksForToken = session?.login === true && session.name === null;
  const Page = asksForToken ? SignInPage : view?.page;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, main.current)}>
        Skip to the content
      </a>
      {asksForToken ? <Door /> : <Header route={route} />}
      <main id="main" ref={main} tabIndex={-1}>
        {Page ? <Page key={asksForToken ? "signin" : key} route={route} /> : <NotFound />}
      </main>
      <footer>
        <p>Medground quotes the literature. It does not replace clinical judgement.</p>
        {language !== "en" && <p>Answers and quotes are in English, as their sources are.</p>}
      </footer>
    </>
  );
}

/** The hash is the route, so the link moves the focus by itself. */
function skip(event: Event, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}

/** Before somebody is signed in there is nowhere to go. */
function Door(): JSX.Element {
  return (
    <header class="top">
      <span class="brand">Medground</span>
      <div class="theme">
        <LanguageChoice />
        <ThemeChoice />
      </div>
    </header>
  );
}

function Header({ route }: { route: Route }): JSX.Element {
  const [open, setOpen] = useState(false);
  const session = useSession();
  const links = Object.entries(VIEWS).filter(([, view]) => view.nav && (!view.role || view.role === session?.role));
  const advanced = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    setOpen(false);
    if (advanced.current) advanced.current.open = false;
  }, [route]);
  const link = ([name, view]: (typeof links)[number]): JSX.Element => (
    <a key={name} href={address(name)} aria-current={route.view === name ? "page" : undefined}>
      {view.nav}
    </a>
  );
  return (
    <header class="top">
      <a class="brand" href={address("ask")}>
        Medground
      </a>
      <button type="button" class="quiet menu" aria-expanded={open} aria-controls="views" onClick={() => setOpen(!open)}>
        Menu
      </button>
      <nav id="views" class={open ? "open" : ""} aria-label="Views">
        {links.filter(([, view]) => !view.advanced).map(link)}
        <details class="advanced" ref={advanced}>
          <summary>Advanced</summary>
          <div>{links.filter(([, view]) => view.advanced).map(link)}</div>
        </details>
        <LanguageChoice />
        <ThemeChoice />
        {session?.login && (
          <button type="button" class="quiet" onClick={() => void signOut()} aria-label={t`Sign out ${session.name ?? ""}`}>
            Sign out
          </button>
        )}
      </nav>
    </header>
  );
}

function LanguageChoice(): JSX.Element {
  return (
    <label class="theme">
      <span class="unseen">Language</span>
      <select value={language} onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}>
        {Object.entries(LANGUAGES).map(([name, title]) => (
          <option key={name} value={name} lang={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Theme;
          setTheme(chosen);
          chooseTheme(chosen);
        }}
      >
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function NotFound(): JSX.Element {
  return (
    <div class="column">
      <h1>There is no such view</h1>
      <p>
        <a href={address("ask")}>Ask a question</a>
      </p>
    </div>
  );
}
