/**
 * Converts the markup of the guides and of error codes to Markdown (CommonMark with tables), so that both forms have one source.
 * - It knows only the elements that these texts use, and throws on all others.
 */
import type { Markup } from '../pages/markup.ts';

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: Node[];
}

type Node = Element | string;

interface Context {
  /** Returns the address that a link of the page has outside of it. */
  readonly toUrl: (href: string) => string;
}

const transparent = ['div', 'section'];
const headings: Readonly<Record<string, string>> = {
  h1: '#',
  h2: '##',
  h3: '##',
  h4: '###',
  summary: '###',
};

/**
 * Returns the Markdown of a text, with a line feed at its end.
 * @param toUrl returns the address that a link of the page has outside of it
 */
export function markdownOf(markup: Markup, toUrl: Context['toUrl']): string {
  return `${blocksOf(parse(markup.toString()).children, { toUrl }).join('\n\n')}\n`;
}

/** Builds the tree of well-formed markup. */
function parse(text: string): Element {
  const root: Element = { name: 'root', attributes: '', children: [] };
  const open = [root];
  for (const [all, closing, name = '', attributes = ''] of text.matchAll(/<(\/?)(\w+)([^>]*)>|[^<]+/g)) {
    const parent = open.at(-1) ?? root;
    if (name === '') parent.children.push(decode(all));
    else if (closing === '/') open.pop();
    else {
      const element = { name, attributes, children: [] };
      parent.children.push(element);
      if (name !== 'br' && name !== 'wbr') open.push(element);
    }
  }
  return root;
}

function decode(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Returns the blocks of an element's children. Text between blocks is only white space. */
function blocksOf(children: readonly Node[], context: Context): string[] {
  return children.flatMap((child) => (typeof child === 'string' ? [] : blockOf(child, context)));
}

function blockOf(element: Element, context: Context): string[] {
  const { name, children } = element;
  const heading = headings[name];
  if (heading !== undefined) return [`${heading} ${inlineOf(children, context)}`];
  if (name === 'p') return [inlineOf(children, context)];
  if (name === 'pre') return [`\`\`\`\n${rawText(element)}\n\`\`\``];
  if (name === 'ul')
    return [
      listItems(element, context)
        .map((text) => `- ${text}`)
        .join('\n'),
    ];
  if (name === 'ol')
    return [
      listItems(element, context)
        .map((text, index) => `${index + 1}. ${text}`)
        .join('\n'),
    ];
  if (name === 'dl') return [children.flatMap((entry) => fieldItem(entry, context)).join('\n')];
  if (name === 'table') return [table(element, context)];
  if (name === 'details' || transparent.includes(name)) return blocksOf(children, context);
  throw new Error(`The element ${name} has no form in Markdown. Add it to shared/web/docs/markdown.ts.`);
}

function listItems({ children }: Element, context: Context): string[] {
  return children.flatMap((item) => (typeof item === 'string' ? [] : [inlineOf(item.children, context)]));
}

/** Returns a field as a list item: its name and type, its description, and the list of its own fields. */
function fieldItem(entry: Node, context: Context): string[] {
  if (typeof entry === 'string') return [];
  const [name = '', ...description] = entry.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.name === 'dt' ? [inlineOf(child.children, context)] : blocksOf(child.children, context);
  });
  const isList = (block: string) => block.startsWith('- ');
  const text = description.filter((block) => !isList(block)).join(' ');
  const lists = description.filter(isList).map((block) => block.replace(/^/gm, '  '));
  return [[`- ${name}${text === '' ? '' : `: ${text}`}`, ...lists].join('\n')];
}

function table(element: Element, context: Context): string {
  const [head = [], ...rows] = elementsOf(element, 'tr').map((row) =>
    row.children.flatMap((cell) =>
      typeof cell === 'string' ? [] : [inlineOf(cell.children, context).replaceAll('|', '\\|')],
    ),
  );
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function elementsOf(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    return child.name === name ? [child] : elementsOf(child, name);
  });
}

function inlineOf(nodes: readonly Node[], context: Context): string {
  return nodes
    .map((node) => inline(node, context))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}

function inline(node: Node, context: Context): string {
  // An underscore within a word or at its end has no meaning in Markdown.
  if (typeof node === 'string') return node.replace(/[\\`*[\]<]/g, '\\$&');
  const { name, attributes, children } = node;
  if (name === 'br') return ' ';
  if (name === 'wbr') return '';
  if (name === 'code') return `\`${rawText(node)}\``;
  const text = inlineOf(children, context);
  if (name === 'strong') return `**${text}**`;
  if (name === 'span') return text === '' ? '' : `*${text}*`;
  if (name === 'p') return ` ${text} `;
  if (name !== 'a')
    throw new Error(`The element ${name} has no form in Markdown. Add it to shared/web/docs/markdown.ts.`);
  const [, href = ''] = /href="([^"]*)"/.exec(attributes) ?? [];
  return `[${text}](${context.toUrl(decode(href))})`;
}

function rawText(node: Node): string {
  return typeof node === 'string' ? node : node.children.map(rawText).join('');
}
