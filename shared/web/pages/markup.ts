/** Provides the building blocks of pages: escaped HTML, texts of other people, and icons. */
import { html, raw } from 'hono/html';
import type { PageLanguage } from './page-language.ts';

/** HTML whose interpolated values are already escaped. */
export type Markup = ReturnType<typeof html>;

/** A name and a value of a list of details; undefined: no row. */
export type DetailRow = readonly [name: string, value: Markup] | undefined;

/** Isolates text from a user, so that its writing direction does not affect the text around it. */
export function isolateDirection(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** Replaces each `{payee}` in `sentence` with the payee's name, or with the words for a payee without a name. */
export function fillInPayee(sentence: string, payee: string | undefined, { texts }: PageLanguage): Markup[] {
  const name = payee === undefined ? html`${texts.unnamedPayee.noun}` : isolateDirection(payee);
  return sentence
    .split('{payee}')
    .flatMap((part, index) => (index === 0 ? [html`${part}`] : [name, html`${part}`]));
}

/**
 * Truncates `text` to at most `maxBytes` of escaped UTF-8, and marks the cut with `…`. It keeps the size of a page
 * bounded for every input.
 */
export function truncateToBytes(text: string, maxBytes: number): string {
  if (countEscapedBytes(text) <= maxBytes) return text;
  let bytes = countEscapedBytes('…');
  let end = 0;
  for (const character of text) {
    bytes += countEscapedBytes(character);
    if (bytes > maxBytes) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}

function countEscapedBytes(text: string): number {
  return Buffer.byteLength(html`${text}`.toString());
}

/** An inline icon: with it, browsers do not request `/favicon.ico`. */
export const favicon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b6956%22/%3E%3Cpath d=%22m4 8.3 2.7 2.7L12 5.6%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%221.8%22/%3E%3C/svg%3E';

const paths = {
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>',
  cross: '<path d="m7 7 10 10M17 7 7 17"/>',
  back: '<path d="M9 6 5 10l4 4M5 10h9a5 5 0 0 1 0 10h-2"/>',
  link: '<path d="M10 14a4 4 0 0 0 6 .4l2.5-2.5a4 4 0 0 0-5.7-5.7l-1.3 1.3M14 10a4 4 0 0 0-6-.4l-2.5 2.5a4 4 0 0 0 5.7 5.7l1.3-1.3"/>',
  alert: '<path d="M12 5.5v8M12 17.5v.5"/>',
} as const;

export type IconName = keyof typeof paths;

/** Renders an icon. Screen readers skip it, because the text beside it has the same meaning. */
export function renderIcon(name: IconName): Markup {
  return html`<svg class="icon ${name}" viewBox="0 0 24 24" aria-hidden="true">${raw(paths[name])}</svg>`;
}
