// Numbers as people read them.
import { locale, t } from "../words";

export { many } from "../words";
export const count = (value: number): string => value.toLocaleString(locale);
export const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
export const interval = (low: number, high: number): string => t`${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %`;

export function size(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${units[unit]}`;
}

/** A time of the server, in the reader's own time zone. */
export function day(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toLocaleString(locale, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}
