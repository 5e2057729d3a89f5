/** Renders what all lists of the dashboard have in common: the filters, the rows, and the links to the other pages. */
import { html } from 'hono/html';
import type { ListOrder } from '../../../store/lists/pages/index-view.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderPagination } from '../elements.ts';
import { renderField, renderHiddenInput, renderSelect } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { exportLinkOf, type FileLinks } from './file-links.ts';
import { inPageWords, listLink } from './list-query.ts';
import { renderButtonLink, renderEmpty, renderFilters } from './record-elements.ts';
import { fileTexts, filterTexts } from './record-texts.ts';

/** A filter: a choice of values, a text, or a date. */
export interface Filter {
  readonly label: string;
  /** The value of the query. Undefined if the list is not filtered by it. */
  readonly value: string | undefined;
  /** Pairs of value and text, from `filterChoices`. */
  readonly choices?: readonly (readonly [string, string])[];
  readonly type?: 'date';
  readonly hint?: string;
}

type LinkTo = (parameters: Readonly<Record<string, string | number | undefined>>) => string;

interface RecordList {
  /** The link to the list without filters. */
  readonly link: string;
  /** The filters by the name of their parameter. */
  readonly filters: Readonly<Record<string, Filter>>;
  readonly errors?: FieldErrors;
  /** The links to files with all rows that match the filters. Undefined: there are none for this user. */
  readonly files?: FileLinks | undefined;
  readonly heading?: string;
  /** Undefined if there are no rows. */
  readonly table: Markup | undefined;
  /** Undefined if the list has only one order. */
  readonly order?: ListOrder | undefined;
  /** Renders the links to the other pages. `linkTo` keeps the filters and the order. */
  readonly pages: (linkTo: LinkTo) => Markup | '';
  /** This is not the first page, so the list has rows even if this page has none. */
  readonly isLaterPage?: boolean;
  /** Why there are no rows: nothing was created, or nothing matches the filters. */
  readonly empty: string;
  readonly noMatch: string;
}

/** Renders a list in a card. A list that is empty without filters has no filters. While a filter is refused, there are no rows and no files. */
export function renderList(options: RecordList): Markup {
  const { link, filters, heading, pages, isLaterPage, empty, noMatch, files } = options;
  const errors = inPageWords(options.errors ?? {}, filters);
  const isRefused = Object.keys(errors).length > 0;
  const table = isRefused ? undefined : options.table;
  const entries = Object.entries(filters);
  const values = Object.fromEntries(entries.map(([name, { value }]) => [name, value]));
  const isFiltered = [...Object.values(values), ...Object.keys(errors)].some((each) => each !== undefined);
  const fields = entries.map(([name, { label, value = '', choices, type, hint }]) => {
    const field = { name, label, value, hint, error: errors[name] };
    return choices ? renderSelect({ ...field, choices }) : renderField({ ...field, ...(type && { type }) });
  });
  const kept = options.order === 'oldest' ? { order: options.order } : {};
  const fieldsAndOrder = html`${fields}${kept.order && renderHiddenInput('order', kept.order)}`;
  const hasFilters = fields.length > 0 && (table !== undefined || isFiltered || isLaterPage);
  // The form of the filters has the link to all rows.
  const toAll = isRefused && !hasFilters ? renderButtonLink(link, filterTexts.reset) : undefined;
  const without = isRefused ? refusedTextOf(errors, filters) : isFiltered ? noMatch : empty;
  return html`<section class="card">${heading === undefined ? '' : html`<h2>${heading}</h2>`}${hasFilters ? renderFilters(link, fieldsAndOrder, isFiltered) : ''}
${table ?? renderEmpty(without, toAll)}${!isRefused && pages((parameters) => listLink(link, { ...values, ...kept, ...parameters }))}${table && files ? renderFiles(files, values) : ''}</section>`;
}

/** Says why there are no rows. An error of a parameter without a field is shown here. */
const refusedTextOf = (errors: FieldErrors, filters: RecordList['filters']): string =>
  Object.entries(errors).find(([name]) => !Object.hasOwn(filters, name))?.[1] ?? filterTexts.refused;

function renderFiles(files: FileLinks, values: Readonly<Record<string, string | undefined>>): Markup {
  const link = exportLinkOf(files, values);
  return html`<p class="buttons">${renderButtonLink(listLink(files.csv, values), fileTexts.csv)}${link === undefined ? '' : renderButtonLink(link, fileTexts.exports)}</p>`;
}

/**
 * Returns the part of a list by offset that a page shows, with the links to its other parts. An empty list has no table.
 * @param table shows `data`
 * @param order which records are first. Undefined: the list has only one order
 */
export function offsetPartOf(
  data: readonly unknown[],
  pagination: { readonly offset: number; readonly limit: number; readonly total: number },
  table: Markup,
  order?: ListOrder,
): Pick<RecordList, 'table' | 'pages' | 'order'> {
  if (pagination.total === 0) return { table: undefined, pages: () => '', order };
  const pages = (linkTo: LinkTo) =>
    renderPagination(
      { ...pagination, shown: data.length },
      (offset) => linkTo({ offset }),
      order && { is: order, linkToOther: linkTo({ order: order === 'newest' ? 'oldest' : undefined }) },
    );
  return { table, pages, order };
}

/** Renders the links of a list with a cursor: to its newest records, and to those before `next`. */
export function renderCursorPages(
  linkTo: LinkTo,
  { isLaterPage, next }: { readonly isLaterPage: boolean; readonly next: string | null | undefined },
  texts: { readonly title: string; readonly newest: string; readonly older: string },
): Markup {
  const newest = isLaterPage ? html`<a href="${linkTo({})}">${texts.newest}</a>` : html`<span></span>`;
  const older = next ? html`<a href="${linkTo({ before: next })}">${texts.older}</a>` : '';
  return html`<nav class="pages" aria-label="${texts.title}">${newest}${older}</nav>`;
}
