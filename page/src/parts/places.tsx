// What is searched, as chips with names that people read. The choice is remembered in this browser.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { aboutCollection, sourceTitle, titleOf } from "../names";
import type { Offers } from "../types";
import type { Draft } from "../views/draft";
import { t } from "../words";

interface Chosen {
  corpora: string[];
  sources: string[];
}

const KEY = "medground-places";
const FIRST = 8;

/** What is searched by default: every collection that opens, unless the server names some. */
const usual = (offers: Offers): Chosen => ({ corpora: offers.corpora.filter((one) => one.default && !one.problem).map((one) => one.name), sources: offers.default_sources });
const searchedFor = (draft: Draft, offers: Offers): Chosen => (draft.chosen ? draft : usual(offers));
/** Whether nothing would be searched. */
export const nowhere = (draft: Draft, offers: Offers): boolean => {
  const { corpora, sources } = searchedFor(draft, offers);
  return corpora.length + sources.length === 0 && (draft.chosen || !offers.knowledge_bases.length);
};
const same = (one: string[], other: string[]): boolean => one.length === other.length && one.every((name) => other.includes(name));

/** What was left out and added before: a collection that is built later is searched too. */
function remembered(offers: Offers): Chosen | null {
  try {
    const { without, sources } = JSON.parse(localStorage.getItem(KEY) ?? "") as { without: string[]; sources: string[] };
    const corpora = usual(offers).corpora.filter((name) => !without.includes(name));
    const live = sources.filter((name) => offers.sources.includes(name));
    return (corpora.length || live.length) && !(same(corpora, usual(offers).corpora) && same(live, usual(offers).sources)) ? { corpora, sources: live } : null;
  } catch {
    return null;
  }
}

function remember(chosen: Chosen | null, offers: Offers): void {
  try {
    if (!chosen) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ without: usual(offers).corpora.filter((name) => !chosen.corpora.includes(name)), sources: chosen.sources }));
  } catch {
    // storage may be blocked: the choice then holds for this question
  }
}

interface Props {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  offers: Offers;
  /** Whether the choice that was made before holds where the address names none. */
  recall?: boolean;
}

export function Places({ draft, change, offers, recall = false }: Props): JSX.Element {
  const [all, setAll] = useState(false);
  useEffect(() => {
    const before = recall && !draft.chosen ? remembered(offers) : null;
    if (before) change({ ...before, chosen: true });
  }, [recall]);
  const { corpora, sources } = searchedFor(draft, offers);
  const set = (changes: Partial<Chosen>): void => {
    const next = { corpora, sources, ...changes };
    const default_ = same(next.corpora, usual(offers).corpora) && same(next.sources, usual(offers).sources);
    remember(default_ ? null : next, offers);
    change({ ...next, chosen: !default_ });
  };
  const toggled = (names: string[], name: string): string[] => (names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  const shown = all ? offers.corpora : offers.corpora.slice(0, FIRST);
  return (
    <fieldset class="places" data-testid="places">
      <legend>Search in</legend>
      {shown.map((one) => (
        <Chip key={one.name} label={titleOf(one)} about={aboutCollection(one)} disabled={Boolean(one.problem)} checked={corpora.includes(one.name)} turn={() => set({ corpora: toggled(corpora, one.name) })} />
      ))}
      {shown.length < offers.corpora.length && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          {offers.corpora.length - shown.length} more
        </button>
      )}
      {offers.sources.map((name) => (
        <Chip key={name} label={sourceTitle(name)} about={[t`over the internet`, ""]} checked={sources.includes(name)} turn={() => set({ sources: toggled(sources, name) })} />
      ))}
      {nowhere(draft, offers) && (
        <p class="caution" role="alert">
          {offers.corpora.length ? (
            t`Nothing is selected to search. Select at least one.`
          ) : (
            <>
              There is nothing here to search yet. <a href="#/corpora">Build a collection from your files</a>
            </>
          )}
        </p>
      )}
    </fieldset>
  );
}

function Chip({ label, about, checked, disabled = false, turn }: { label: string; about: [string, string]; checked: boolean; disabled?: boolean; turn: () => void }): JSX.Element {
  return (
    <label class="chip">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={turn} />
      <span>
        {label} <span class="dim">{about[0]}<span class="date">{about[1]}</span></span>
      </span>
    </label>
  );
}
