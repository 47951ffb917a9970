// Light or dark: as the system says, unless the reader has chosen. Only this choice is kept in the browser.
export type Theme = "system" | "light" | "dark";
const KEY = "medground-theme";

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // storage may be blocked
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // storage may be blocked: the choice holds until a reload
  }
  applyTheme(theme);
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  document.documentElement.dataset.theme = theme;
}
