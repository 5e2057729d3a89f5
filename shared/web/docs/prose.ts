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
    heading({ tokens, depth, text, id }: Tokens.Heading & { id?: string }) {
      const fragment = id === undefined ? '' : ` id="${headingId(id, text)}"`;
      return `<h${depth}${fragment}>${this.parser.parseInline(tokens)}</h${depth}>`;
    },
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

/** Where a text is on a page. */
export interface TextPlace {
  /** How many levels its headings are deeper on the page than in the text. */
  readonly deeper?: number;
  /** The fragment of the section that it is in. Each heading then has a fragment of its own, which begins with it. */
  readonly id?: string;
}

/** Returns the fragment of a heading. @param id the fragment of its section */
export const headingId = (id: string, text: string): string =>
  `${id}-${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}`;

/** Renders a text. */
export function prose(text: string, { deeper = 0, id }: TextPlace = {}): Markup {
  const rendered = marked.parse(text, {
    async: false,
    walkTokens: (token) => {
      if (token.type === 'heading') Object.assign(token, { id, depth: token.depth + deeper });
    },
  });
  return raw(rendered.trim());
}

/** Renders one line of text. */
export const inline = (text: string): Markup => raw(marked.parseInline(text, { async: false }));

/** Renders blocks as HTML. */
export const htmlOf = (blocks: readonly Block[], place?: TextPlace): Markup =>
  html`${blocks.map((block) => (typeof block === 'string' ? prose(block, place) : block.html))}`;

/** Returns the headings of blocks, without those of blocks that have a form of their own. */
export const headingsOf = (blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap((block) => (typeof block === 'string' ? (/^## (.+)$/.exec(block)?.[1] ?? []) : []));

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

/** Returns blocks that a page shows only while a language of the samples is chosen, by the class of `docs-style.ts`. */
export const inLanguage = (language: string, blocks: readonly Block[]): Block => ({
  markdown: markdownOf(blocks),
  html: html`<div class="${language}">${htmlOf(blocks)}</div>`,
});

/** Renders a block of code. The block can scroll, so it accepts the keyboard focus. */
export function codeBlock(text: string, label: string): Markup {
  // Quotation marks have no meaning between tags. Their escaped form would be a tenth of the page.
  const shown = raw(html`${text}`.toString().replaceAll('&quot;', '"'));
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${shown}</code></pre>`;
}
