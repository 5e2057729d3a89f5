/**
 * Renders Markdown (CommonMark with tables) as HTML: the guides, and the descriptions of the OpenAPI document. All texts are our
 * own. HTML within them has no meaning, and neither has an address without the form of a link.
 */
import { html, raw } from 'hono/html';
import { Marked, Renderer, type Tokens } from 'marked';
import type { Markup } from '../pages/markup.ts';

/** A part of a text: Markdown, or Markdown with a form of its own in HTML. */
export type Block = string | { readonly markdown: string; readonly html: Markup };

const marked = new Marked({
  // Without these tokens, HTML is text, which is escaped. Only a cell of a table needs some: nothing else breaks its line.
  tokenizer: {
    url: () => undefined,
    html: () => undefined,
    tag: (source) => (source.startsWith('<br>') ? false : undefined),
  },
  renderer: {
    code: ({ text, lang = '' }) => codeBlock(text, lang.slice(lang.indexOf(' ') + 1)).toString(),
    em({ tokens }) {
      return `<span class="kind">${this.parser.parseInline(tokens)}</span>`;
    },
    table(token) {
      const label = token.header.map(({ text }) => text).join(', ');
      const shown = raw(Renderer.prototype.table.call(this, token));
      return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${shown}</div>`.toString();
    },
    // The row of an error code has a fragment, so that operations can link to it.
    tablerow({ text }: Tokens.TableRow) {
      const [, code] = /\/errors\/(\w+)"/.exec(text) ?? [];
      return `<tr${code === undefined ? '' : ` id="error-${code}"`}>${text}</tr>`;
    },
  },
});

/**
 * Renders a text.
 * @param deeper how many levels its headings are deeper on the page than in the text
 */
export function prose(text: string, deeper = 0): Markup {
  const rendered = marked.parse(text, {
    async: false,
    walkTokens: (token) => {
      if (token.type === 'heading') token.depth += deeper;
    },
  });
  return raw(rendered.trim());
}

/** Renders one line of text. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));

/** Renders blocks as HTML, with headings as in `prose`. */
export const htmlOf = (blocks: readonly Block[], deeper = 0): Markup =>
  html`${blocks.map((block) => (typeof block === 'string' ? prose(block, deeper) : block.html))}`;

export const markdownOf = (blocks: readonly Block[]): string =>
  blocks.map((block) => (typeof block === 'string' ? block : block.markdown)).join('\n\n');

/** Returns the Markdown of a text that is none, such as an error message. */
export const plain = (text: string): string => text.replace(/[\\`*[\]<|]/g, '\\$&');

export const list = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

export const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Returns a block of code. The label is for readers of the screen, and of the Markdown. */
export const fenced = (text: string, language: string, label: string): string =>
  `\`\`\`${language} ${label}\n${text}\n\`\`\``;

/** Returns blocks below a summary. On a page, they are folded at first, and `id` is their fragment. */
export const folded = (summary: string, blocks: readonly Block[], id?: string): Block => ({
  markdown: markdownOf([`### ${summary}`, ...blocks]),
  html: html`<details${id !== undefined && html` id="${id}"`}><summary>${inline(summary)}</summary>${htmlOf(blocks)}</details>`,
});

/** Renders a block of code. The block can scroll, so it accepts the keyboard focus. */
export function codeBlock(text: string, label: string): Markup {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text}</code></pre>`;
}
