/** Shows the list of webhook endpoints. */
import { html } from 'hono/html';
import { showWebhook } from '../../../domain/webhooks/webhook.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderBadge, renderTable } from '../elements.ts';
import { renderButtonLink, renderEmpty, renderLine, renderStatus } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { type EndpointState, isFailing, readEndpoints } from './webhook-queries.ts';
import { webhookListTexts } from './webhook-texts.ts';

export const webhookListPage: DashboardPage = {
  path: '/webhooks',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const endpoints = await readEndpoints(requestOwnerOf(request));
    return {
      title: webhookListTexts.title,
      section: 'webhooks',
      aside: context.can('webhook-targets:write')
        ? renderButtonLink(context.url('/webhooks/new'), webhookListTexts.create, '')
        : undefined,
      content: html`<section class="card">${endpoints.length === 0 ? renderEmpty(webhookListTexts.empty) : renderEndpointTable(context, endpoints)}</section>`,
    };
  },
};

/** Renders endpoints as a table. */
export function renderEndpointTable(
  context: Pick<DashboardContext, 'url' | 'timeZone'>,
  endpoints: readonly EndpointState[],
): Markup {
  const columns = [
    webhookListTexts.destination,
    fieldNames.status,
    fieldNames.events,
    fieldNames.created,
  ].map((title) => ({
    title,
  }));
  const rows = endpoints.map((endpoint) => {
    const { webhook } = endpoint;
    return [
      html`<a href="${context.url(`/webhooks/${webhook.id}`)}">${renderLine(webhook.url, 120)}</a>${webhook.description === null ? '' : html`<br><span class="soft">${renderLine(webhook.description, 120)}</span>`}`,
      renderEndpointStatus(endpoint),
      renderLine(showWebhook(webhook).events.join(', '), 120),
      renderShortTime(context, webhook.createdAt),
    ];
  });
  return renderTable(webhookListTexts.table, columns, rows);
}

/** Renders the status of an endpoint. An enabled endpoint can be failing. */
export function renderEndpointStatus(endpoint: EndpointState): Markup {
  const { webhook } = endpoint;
  return webhook.status === 'enabled' && isFailing(endpoint)
    ? renderBadge(webhookListTexts.failing, 'bad')
    : renderStatus(webhook.status);
}
