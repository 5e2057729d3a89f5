/** Texts as markup: descriptions of the OpenAPI document, and blocks of code. */
import { html } from 'hono/html';
import type { Markup } from '../pages/markup.ts';

/**
 * A text of paragraphs with an empty line between them, lists of lines that begin with `- `, and `code` in backticks.
 * Nothing else in it is a sign.
 */
export function prose(text: string): Markup[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => (/^- /.test(block) ? list(block) : html`<p>${inline(block)}</p>`));
}

/** One line of text. */
export function inline(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** A block of code. It can be scrolled, so the keyboard must reach it. */
export function codeBlock(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
}

function list(block: string): Markup {
  const items = block.split(/^- /m).slice(1);
  return html`<ul>${items.map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`;
}
