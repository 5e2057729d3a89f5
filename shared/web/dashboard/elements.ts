/** Renders the parts that pages of the dashboard have in common: tables, details, badges, page links and empty states. */
import { html } from 'hono/html';
import type { ListOrder } from '../../store/lists/pages/index-view.ts';
import type { Markup } from '../pages/markup.ts';
import { frameTexts } from './texts.ts';

/** The content of a cell or a detail. */
type Content = Markup | string;

interface Column {
  readonly title: string;
  /** Numbers and amounts are aligned to the right. */
  readonly isNumber?: true;
}

/**
 * Renders a table. On a phone, each row is a card, and each cell has the title of its column. The roles keep it a table for screen
 * readers, also where its cells are shown as blocks.
 * @param label names the table for screen readers
 */
export function renderTable(
  label: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
): Markup {
  const classOf = (index: number) => (columns[index]?.isNumber ? html` class="number"` : '');
  const cellOf = (cell: Content, index: number) =>
    html`<td role="cell" data-title="${columns[index]?.title ?? ''}"${classOf(index)}>${cell}</td>`;
  const table = html`<table class="rows" role="table">
<thead><tr>${columns.map(({ title }, index) => html`<th scope="col"${classOf(index)}>${title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map(cellOf)}</tr>`)}</tbody></table>`;
  return renderScrolled(label, table);
}

/** Renders content that scrolls inside itself on a narrow screen, also by keyboard. @param label names it for screen readers */
export function renderScrolled(label: string, content: Markup): Markup {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0">${content}</div>`;
}

/** Renders names with their values. A pair that is undefined has no row. */
export function renderDefinitions(
  rows: readonly (readonly [name: Content, value: Content] | undefined)[],
): Markup {
  return html`<dl>${rows.map((row) => row && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}</dl>`;
}

/** Renders a status as a badge. Its meaning is in the text, and the tone repeats it as a color. */
export function renderBadge(text: string, tone: 'good' | 'warn' | 'bad' | 'neutral' = 'neutral'): Markup {
  return html`<strong class="badge ${tone}">${text}</strong>`;
}

/** Renders an id, in letters that are easy to compare. */
export function renderId(id: string): Markup {
  return html`<span class="id">${id}</span>`;
}

/**
 * Renders the links to the newer and older records of a list, to its pages by number, and to the list in the other order.
 * @param linkTo returns the link to the page at an offset
 * @param order which records are first, and the link to the list in the other order. Undefined: the list has only one order
 * @public
 */
export function renderPagination(
  { offset, limit, shown, total }: { offset: number; limit: number; shown: number; total: number },
  linkTo: (offset: number) => string,
  order?: { readonly is: ListOrder; readonly linkToOther: string },
): Markup {
  const { newer, older, orders } = frameTexts;
  const [previous, next] = order?.is === 'oldest' ? [older, newer] : [newer, older];
  const before = offset > 0 && html`<a href="${linkTo(Math.max(0, offset - limit))}">${previous}</a>`;
  const after = offset + shown < total && html`<a href="${linkTo(offset + limit)}">${next}</a>`;
  const range = shown > 0 ? frameTexts.range(offset + 1, offset + shown, total) : '';
  const other =
    order &&
    total > 1 &&
    html` <a href="${order.linkToOther}">${order.is === 'oldest' ? orders.newest : orders.oldest}</a>`;
  return html`<nav class="pages" aria-label="${frameTexts.pages}"><span class="soft">${range}${other}</span><span class="buttons">${before}${renderPageNumbers(offset / limit + 1, Math.ceil(total / limit), (page) => linkTo((page - 1) * limit))}${after}</span></nav>`;
}

/** Renders links to the first and the last page, and to those beside the current one. A list whose rows do not begin with a page has none. */
function renderPageNumbers(current: number, last: number, linkTo: (page: number) => string): Markup | '' {
  if (last < 2 || !Number.isInteger(current) || current > last) return '';
  const pages = [...new Set([1, current - 1, current, current + 1, last])]
    .filter((page) => page >= 1 && page <= last)
    .sort((one, other) => one - other);
  return html`${pages.map((page, index) => {
    const gap = index > 0 && page - (pages[index - 1] ?? 0) > 1 && html`<span class="soft">…</span>`;
    const label = frameTexts.page(page);
    return html`${gap}${page === current ? html`<strong aria-current="page" aria-label="${label}">${page}</strong>` : html`<a href="${linkTo(page)}" aria-label="${label}">${page}</a>`}`;
  })}`;
}
