/** Renders what several pages of the dashboard show: statuses, links to records, filters, texts to copy. */

import { html } from 'hono/html';
import type { Sum } from '../../../base/exact-sum.ts';
import { type Currency, formatAmount } from '../../../base/money.ts';
import { isolateDirection, type Markup, truncateToBytes } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { renderBadge } from '../elements.ts';
import { renderErrors } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { frameTexts } from '../texts.ts';
import { copyTexts, filterTexts, statusTexts, textFor } from './record-texts.ts';

const tones: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = {
  overdue: 'warn',
  paid: 'good',
  completed: 'good',
  processed: 'good',
  succeeded: 'good',
  enabled: 'good',
  active: 'good',
  paused: 'warn',
  stopped: 'bad',
  sent: 'good',
  delivered: 'good',
  unknown: 'warn',
  bounced: 'bad',
  complained: 'bad',
  failed: 'bad',
  voided: 'warn',
  credited: 'warn',
  disabled: 'bad',
};

/**
 * Renders a status as a badge.
 * @param texts those of the kind of records
 */
export function renderStatus(status: string, texts: Readonly<Record<string, string>> = statusTexts): Markup {
  return renderBadge(textFor(texts, status), tones[status]);
}

/** Renders the status of an invoice. A paid one that another one replaces is credited: no payment counts for it. */
export const renderInvoiceStatus = (invoice: {
  readonly status: string;
  readonly replacedBy?: string | null | undefined;
}): Markup =>
  renderStatus(invoice.status === 'paid' && invoice.replacedBy != null ? 'credited' : invoice.status);

type LinkContext = Pick<DashboardContext, 'url'>;

/** Renders the id of a record as a link to its page. */
export function renderIdLink({ url }: LinkContext, path: string, id: string): Markup {
  return html`<a class="id" href="${url(`${path}/${id}`)}">${id}</a>`;
}

/** Renders an id in a table: its end is cut from view, so that rows stay short. The link has the whole id. */
export function renderShortIdLink({ url }: LinkContext, path: string, id: string): Markup {
  return html`<a class="id" href="${url(`${path}/${id}`)}" title="${id}">${id.slice(0, 12)}…</a>`;
}

/** Renders a text of a client in one line of a table. A longer text is cut. */
export function renderLine(text: string, maxBytes = 72): Markup {
  return isolateDirection(truncateToBytes(text.replace(/\s+/g, ' '), maxBytes));
}

/** Renders a text of a client with its line breaks. A longer text is cut, which keeps the size of the page bounded. */
export function renderText(text: string, maxBytes = 10_000): Markup {
  return html`<p class="text" dir="auto">${truncateToBytes(text, maxBytes)}</p>`;
}

/** Renders an amount, given in the smallest currency unit. */
export function renderAmount(amountMinor: Sum, currency: Currency): Markup {
  return html`<span class="amount">${formatAmount(amountMinor, currency)}</span>`;
}

/** Renders a text that can be selected with one click, and a button that copies it if scripts run. */
export function renderCopy(text: string, label: string): Markup {
  return html`<span class="copy"><code class="whole">${text}</code><button type="button" class="plain small" hidden data-copy="${text}" data-done="${copyTexts.copied}" aria-label="${`${copyTexts.copy}: ${label}`}">${copyTexts.copy}</button></span>`;
}

/** Renders a link that looks like a button. */
export function renderButtonLink(link: string, text: string, style: 'plain' | '' = 'plain'): Markup {
  return html`<a class="button${style && ` ${style}`}" href="${link}">${text}</a>`;
}

/**
 * Renders the form that filters a list. It is folded until a filter is set, so that the rows are at the top of a phone.
 * @param list the link to the list without filters
 * @param isFiltered shows the link that removes the filters
 */
export function renderFilters(list: string, fields: Markup, isFiltered: boolean): Markup {
  const form = html`<form method="get" action="${list}" class="filter" role="search" aria-label="${filterTexts.label}">${fields}<div class="buttons"><button class="plain">${filterTexts.apply}</button>${isFiltered ? html`<a href="${list}">${filterTexts.reset}</a>` : ''}</div></form>`;
  return html`<details class="filters"${isFiltered && html` open`}><summary>${filterTexts.label}</summary>${form}</details>`;
}

/** The choices of a filter: all, or one of `values`. */
export function filterChoices(
  values: readonly string[],
  texts: Readonly<Record<string, string>> = statusTexts,
): readonly (readonly [string, string])[] {
  return [['', filterTexts.all], ...values.map((value) => [value, textFor(texts, value)] as const)];
}

/** Renders a list without rows: why it is empty, and what to do. */
export function renderEmpty(text: string, action?: Markup): Markup {
  return html`<div class="state"><p>${text}</p>${action}</div>`;
}

/** Renders why an attempt had no effect: the errors of the fields, or the one of the whole form. */
export function renderFailure(
  failure: { readonly errors?: FieldErrors; readonly alert?: string } | undefined,
): Markup | '' {
  if (failure?.alert !== undefined)
    return html`<div class="alert" role="alert"><p><strong>${frameTexts.problem}:</strong> ${failure.alert}</p></div>`;
  return renderErrors(failure?.errors ?? {});
}

/** Renders code that scrolls inside itself. Its `tabindex` makes it reachable by keyboard. */
export function renderCode(label: string, code: string): Markup {
  return html`<pre tabindex="0" role="group" aria-label="${label}">${code}</pre>`;
}
