/** Renders texts as markup: descriptions of the OpenAPI document, and blocks of code. */
import { html } from 'hono/html';
import type { Markup } from '../pages/markup.ts';

/**
 * Renders a text. Blank lines separate paragraphs, lines that begin with `- ` are list items, and backticks enclose code.
 * No other character has a special meaning.
 */
export function prose(text: string): Markup[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => (/^- /.test(block) ? list(block) : html`<p>${inline(block)}</p>`));
}

/** Renders one line of text, with code in backticks. */
export function inline(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
}

/** Renders a block of code. The block can scroll, so it accepts the keyboard focus. */
export function codeBlock(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
}

function list(block: string): Markup {
  const items = block.split(/^- /m).slice(1);
  return html`<ul>${items.map((item) => html`<li>${inline(item.trim())}</li>`)}</ul>`;
}
