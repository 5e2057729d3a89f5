/** What the pages are made of: HTML whose interpolations were escaped when it was put together. */
import { html, raw } from 'hono/html';

export type Markup = ReturnType<typeof html>;

/** Text of another's making: its writing direction is its own and stays within it. */
export function isolated(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** A sentence with `{payee}` in it, and the name in its place. */
export function withPayee(sentence: string, payee: string): Markup[] {
  return sentence
    .split('{payee}')
    .flatMap((part, index) => (index === 0 ? [html`${part}`] : [isolated(payee), html`${part}`]));
}

/**
 * As much of `text` as takes at most `maxBytes` in the document, in UTF-8 and escaped, with `…` where it is cut:
 * a page has a bound whatever it is given.
 */
export function bounded(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  let bytes = bytesOf('…');
  let end = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > maxBytes) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(html`${text}`.toString());
}

/** An icon of its own keeps browsers from asking for `/favicon.ico`. */
export const favicon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b6956%22/%3E%3Cpath d=%22m4 8.3 2.7 2.7L12 5.6%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%221.8%22/%3E%3C/svg%3E';

const paths = {
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  clock: '<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3.5 2"/>',
  cross: '<path d="m7 7 10 10M17 7 7 17"/>',
  alert: '<path d="M12 5.5v8M12 17.5v.5"/>',
} as const;

export type IconName = keyof typeof paths;

/** A sign beside words that say the same. */
export function icon(name: IconName): Markup {
  return html`<svg class="icon ${name}" viewBox="0 0 24 24" aria-hidden="true">${raw(paths[name])}</svg>`;
}
