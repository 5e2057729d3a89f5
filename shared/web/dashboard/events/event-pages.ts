/** Shows the list of events, and an event with its body and its deliveries. */
import { html } from 'hono/html';
import type * as v from 'valibot';
import { ApiError } from '../../../base/errors.ts';
import { type eventSchema, eventTypes, listEventsQuery, showEvent } from '../../../domain/events/event.ts';
import { type Markup, truncateToBytes } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardRequest } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { prettyJson } from '../records/json-text.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import {
  filterChoices,
  renderCode,
  renderIdLink,
  renderLine,
  renderShortIdLink,
  renderStatus,
} from '../records/record-elements.ts';
import { renderCursorPages, renderList } from '../records/record-list.ts';
import { cutText, eventNames, fieldNames, textFor } from '../records/record-texts.ts';
import { renderShortTime, renderTime } from '../times.ts';
import { type EventDetail, readEventDetail, readEvents } from './event-queries.ts';
import { eventPageTexts } from './event-texts.ts';

/** The room for the body of an event, in bytes of escaped UTF-8. */
const bodyBytes = 16_000;

type ShownEvent = v.InferOutput<typeof eventSchema>;

export const eventListPage: DashboardPage = {
  path: '/events',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const { data, cursor, before, errors } = await readRequestedEvents(request);
    const isLaterPage = before !== undefined;
    const next = cursor.hasMore ? cursor.next : undefined;
    return {
      title: eventPageTexts.title,
      section: 'events',
      content: renderList({
        link: context.url('/events'),
        filters: {
          type: {
            label: fieldNames.type,
            value: typedValue(request.query, 'type'),
            choices: filterChoices(eventTypes, eventNames),
          },
        },
        errors,
        table: data.length > 0 ? renderEventTable(context, data) : undefined,
        pages: (linkTo) => renderCursorPages(linkTo, { isLaterPage, next }, eventPageTexts),
        isLaterPage,
        empty: eventPageTexts.empty,
        noMatch: eventPageTexts.noMatch,
      }),
    };
  },
};

/** Reads the page that the query asks for. It has no events if the query is not valid, or names one that does not exist. */
async function readRequestedEvents(request: DashboardRequest) {
  const { query, errors } = parseListQuery(listEventsQuery, request, ['type', 'before']);
  const { before } = query;
  const nothing = { data: [], cursor: { hasMore: false, next: null } };
  if (Object.keys(errors).length > 0) return { ...nothing, before, errors };
  try {
    return { ...(await readEvents(requestOwnerOf(request), query, request.context.now)), before, errors };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...nothing, before, errors: { before: error.message } };
  }
}

export const eventPage: DashboardPage = {
  path: '/events/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const detail = await readEventDetail(requestOwnerOf(request), params.id ?? '', context.now);
    if (!detail) return undefined;
    const event = showEvent(detail.event);
    const body = prettyJson(detail.event.body);
    const shown = truncateToBytes(body, bodyBytes);
    return {
      title: eventPageTexts.one,
      section: 'events',
      content: html`<section class="card">${renderDefinitions([
        [
          fieldNames.type,
          html`${textFor(eventNames, event.type)} <span class="id soft">${event.type}</span>`,
        ],
        [fieldNames.time, renderTime(context, Date.parse(event.timestamp))],
        [eventPageTexts.record, renderRecordLink(context, event.data, renderIdLink)],
        detail.customer && [fieldNames.customer, renderCustomerName(context, detail.names, detail.customer)],
        [fieldNames.id, renderId(event.id)],
      ])}</section>
<section class="card"><h2>${eventPageTexts.deliveries}</h2>${renderDeliveries(context, detail)}</section>
<section class="card"><h2>${eventPageTexts.body}</h2>${renderCode(eventPageTexts.body, shown)}<p class="hint">${shown === body ? eventPageTexts.bodyHint : cutText}</p></section>`,
    };
  },
};

/** Renders events as a table. */
export function renderEventTable(context: DashboardContext, events: readonly ShownEvent[]): Markup {
  const columns = [eventPageTexts.one, fieldNames.type, eventPageTexts.record, fieldNames.time].map(
    (title) => ({
      title,
    }),
  );
  const rows = events.map((event) => [
    renderShortIdLink(context, '/events', event.id),
    textFor(eventNames, event.type),
    renderRecordLink(context, event.data, renderShortIdLink),
    renderShortTime(context, Date.parse(event.timestamp)),
  ]);
  return renderTable(eventPageTexts.table, columns, rows);
}

/** The records of events that have a page of their own. */
const pagesOfRecords = [
  ['inv_', '/invoices'],
  ['pay_', '/payments'],
  ['sch_', '/schedules'],
] as const;

/**
 * Links to the record of an event. A refund has no page of its own, so the link leads to its payment. That of a document or a mail leads to
 * its invoice, and that of a mail to the merchant to all mails.
 */
function renderRecordLink(
  { url, can }: Pick<DashboardContext, 'url' | 'can'>,
  { id, paymentId, invoiceId }: ShownEvent['data'],
  render: typeof renderIdLink,
): Markup {
  const [, page] = pagesOfRecords.find(([prefix]) => id.startsWith(prefix)) ?? [];
  if (page) return render({ url }, page, id);
  if (id.startsWith('exp_') && can('records:export')) return render({ url }, '/exports', id);
  if (typeof paymentId === 'string') return render({ url }, '/payments', paymentId);
  if (typeof invoiceId === 'string') return render({ url }, '/invoices', invoiceId);
  return id.startsWith('mail_') ? html`<a class="id" href="${url('/mails')}">${id}</a>` : renderId(id);
}

function renderDeliveries({ url }: DashboardContext, { deliveries }: EventDetail): Markup {
  if (deliveries.length === 0) return html`<p class="soft">${eventPageTexts.noDeliveries}</p>`;
  const columns = [eventPageTexts.endpoint, fieldNames.status].map((title) => ({ title }));
  const rows = deliveries.map(({ delivery, webhook }) => [
    html`<a href="${url(`/webhooks/${webhook.id}/deliveries/${delivery.id}`)}">${renderLine(webhook.url, 120)}</a>`,
    renderStatus(delivery.status),
  ]);
  return renderTable(eventPageTexts.deliveriesTable, columns, rows);
}
