/** Shows a webhook endpoint with its deliveries. */
import { html } from 'hono/html';
import {
  deliveryStatuses,
  listDeliveriesQuery,
  type ShownDelivery,
} from '../../../domain/webhooks/delivery.ts';
import { endpointTypeOf } from '../../../domain/webhooks/destination.ts';
import { formatFilter } from '../../../domain/webhooks/filter-text.ts';
import { showWebhook, type Webhook } from '../../../domain/webhooks/webhook.ts';
import { isolateDirection, type Markup, truncateToBytes } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderId, renderTable } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { versionTexts } from '../input/version-field.ts';
import { parseListQuery, typedValue } from '../records/list-query.ts';
import {
  filterChoices,
  renderButtonLink,
  renderShortIdLink,
  renderStatus,
  renderText,
} from '../records/record-elements.ts';
import { renderCursorPages, renderList } from '../records/record-list.ts';
import { eventNames, fieldNames, textFor } from '../records/record-texts.ts';
import { renderShortTime, renderTime, type ZoneContext } from '../times.ts';
import { renderEndpointStatus } from './webhook-list.ts';
import { type EndpointState, readEndpointDeliveries } from './webhook-queries.ts';
import { webhookFields, webhookTexts } from './webhook-texts.ts';

export const webhookPage: DashboardPage = {
  path: '/webhooks/:id',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const id = request.params.id ?? '';
    const { query, errors } = parseListQuery(listDeliveriesQuery, request, ['status', 'before']);
    const found = await readEndpointDeliveries(requestOwnerOf(request), id, query);
    if (!found) return undefined;
    const { data, cursor } = found;
    const isLaterPage = query.before !== undefined;
    const texts = { title: webhookTexts.deliveries, newest: webhookTexts.newest, older: webhookTexts.older };
    return {
      title: webhookTexts.one,
      section: 'webhooks',
      aside: renderEndpointActions(context, found),
      content: html`<section class="card">${renderEndpoint(context, found)}</section>
${renderList({
  link: context.url(`/webhooks/${id}`),
  filters: {
    status: {
      label: fieldNames.status,
      value: typedValue(request.query, 'status'),
      choices: filterChoices(deliveryStatuses),
    },
  },
  errors,
  heading: webhookTexts.deliveries,
  table: data.length > 0 ? renderDeliveryTable(context, id, data) : undefined,
  pages: (linkTo) => renderCursorPages(linkTo, { isLaterPage, next: cursor.next }, texts),
  isLaterPage,
  empty: webhookTexts.noDeliveries,
  noMatch: webhookTexts.noDeliveryMatch,
})}`,
    };
  },
};

/** Renders the fields of an endpoint. */
export function renderEndpoint(zone: ZoneContext, endpoint: EndpointState): Markup {
  const { webhook, health } = endpoint;
  const { disabledReason, description } = webhook;
  const { events, apiVersion, filters } = showWebhook(webhook);
  return renderDefinitions([
    renderDestination(webhook),
    [
      fieldNames.status,
      html`${renderEndpointStatus(endpoint)}${disabledReason === null ? '' : html` ${webhookTexts.disabledReasons[disabledReason]}`}`,
    ],
    health && [webhookTexts.failingSince, renderTime(zone, health.failingSince)],
    [fieldNames.events, events.join(', ')],
    filters.length === 0
      ? undefined
      : [webhookFields.filters.label, renderText(filters.map(formatFilter).join('\n'))],
    [versionTexts.label, apiVersion],
    description === null ? undefined : [fieldNames.description, isolateDirection(description)],
    [fieldNames.id, renderId(webhook.id)],
    [fieldNames.created, renderTime(zone, webhook.createdAt)],
  ]);
}

/** Names where the events go, and renders it. */
export function renderDestination({ url }: Webhook): readonly [string, Markup] {
  const type = endpointTypeOf(url);
  const label = type === 'url' ? fieldNames.url : webhookTexts.targetTypes[type];
  return [label, isolateDirection(url)];
}

function renderEndpointActions(context: DashboardContext, { webhook }: EndpointState): Markup | undefined {
  const { can, url } = context;
  if (!can('webhooks:write')) return undefined;
  const path = url(`/webhooks/${webhook.id}`);
  const action = url(`/webhook-sends/${webhook.id}/test`);
  const test = renderForm(context, { action, submit: webhookTexts.test, style: 'plain' });
  return html`<div class="buttons">${test}${renderButtonLink(`${path}/edit`, webhookTexts.edit)}${endpointTypeOf(webhook.url) === 'url' && renderButtonLink(`${path}/rotate-secret`, webhookTexts.rotate)}${renderButtonLink(`${path}/recover`, webhookTexts.recover)}${renderButtonLink(`${path}/delete`, webhookTexts.delete)}</div>`;
}

function renderDeliveryTable(
  context: DashboardContext,
  webhookId: string,
  deliveries: readonly ShownDelivery[],
): Markup {
  const columns = [
    { title: webhookTexts.delivery },
    { title: fieldNames.type },
    { title: fieldNames.status },
    { title: webhookTexts.attempts, isNumber: true as const },
    { title: webhookTexts.lastAttempt },
    { title: fieldNames.time },
  ];
  const rows = deliveries.map((delivery) => {
    const last = delivery.attempts.at(-1);
    return [
      renderShortIdLink(context, `/webhooks/${webhookId}/deliveries`, delivery.id),
      textFor(eventNames, delivery.eventType),
      renderStatus(delivery.status),
      String(last?.number ?? 0),
      last ? renderOutcome(last) : '',
      renderShortTime(context, Date.parse(delivery.createdAt)),
    ];
  });
  return renderTable(webhookTexts.deliveriesTable, columns, rows);
}

/** Renders the result of an attempt: the receiver's status, or the error code with its cause. */
export function renderOutcome({
  status,
  error,
  cause,
}: {
  readonly status?: number | null | undefined;
  readonly error?: string | null | undefined;
  readonly cause?: string | null | undefined;
}): string {
  if (status != null) return webhookTexts.httpStatus(status);
  const reason = cause && (webhookTexts.tlsCauses[cause] ?? cause);
  const name = webhookTexts.targetErrors[error ?? ''] ?? error ?? '';
  return truncateToBytes(reason ? `${name}: ${reason}` : name, 160);
}
