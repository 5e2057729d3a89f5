/** Shows a delivery: the request as it is sent, and each attempt with the response as it is stored. */
import { html } from 'hono/html';
import type { Delivery, DeliveryAttempt } from '../../../domain/webhooks/delivery.ts';
import { endpointTypeOf } from '../../../domain/webhooks/destination.ts';
import { isolateDirection, type Markup, truncateToBytes } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderDefinitions, renderId } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { escapeInvisible, prettyJson } from '../records/json-text.ts';
import { renderButtonLink, renderCode, renderStatus } from '../records/record-elements.ts';
import { eventNames, fieldNames, statusTexts, textFor } from '../records/record-texts.ts';
import { renderTime, type ZoneContext } from '../times.ts';
import { renderDestination, renderOutcome } from './webhook-detail.ts';
import { type DeliveryDetail, readDeliveryDetail } from './webhook-queries.ts';
import { webhookTexts } from './webhook-texts.ts';

/** The room for the body of the request, and for the responses of all attempts together, in bytes. */
const bodyBytes = 7_000;
const answersBytes = 9_000;

export const deliveryPage: DashboardPage = {
  path: '/webhooks/:id/deliveries/:deliveryId',
  ability: 'account:read',
  handle: async (request) => {
    const { context, params } = request;
    const detail = await readDeliveryDetail(
      requestOwnerOf(request),
      params.id ?? '',
      params.deliveryId ?? '',
    );
    if (!detail) return undefined;
    const { webhook, delivery } = detail;
    return {
      title: webhookTexts.delivery,
      section: 'webhooks',
      aside: renderSendAgain(context, detail),
      content: html`<section class="card">${renderDelivery(context, delivery)}<p>${renderButtonLink(context.url(`/webhooks/${webhook.id}`), webhookTexts.back)}</p></section>
<section class="card"><h2>${webhookTexts.attempts}</h2>${renderAttempts(context, delivery.attempts)}</section>
<section class="card"><h2>${webhookTexts.request}</h2>${renderRequest(detail)}</section>`,
    };
  },
};

function renderSendAgain(context: DashboardContext, { webhook, delivery, body }: DeliveryDetail) {
  if (!context.can('webhooks:write') || body === undefined) return undefined;
  const action = context.url(`/webhook-sends/${webhook.id}/deliveries/${delivery.id}`);
  return renderForm(context, { action, submit: webhookTexts.sendAgain });
}

function renderDelivery(context: DashboardContext, delivery: Delivery): Markup {
  const { eventId, eventType, nextAttemptAt } = delivery;
  return renderDefinitions([
    [fieldNames.status, renderStatus(delivery.status)],
    [fieldNames.type, textFor(eventNames, eventType)],
    [fieldNames.event, html`<a class="id" href="${context.url(`/events/${eventId}`)}">${eventId}</a>`],
    nextAttemptAt === undefined ? undefined : [webhookTexts.nextAttempt, renderTime(context, nextAttemptAt)],
    [fieldNames.id, renderId(delivery.id)],
  ]);
}

function renderAttempts(zone: ZoneContext, attempts: readonly DeliveryAttempt[]): Markup {
  if (attempts.length === 0) return html`<p class="soft">${webhookTexts.noAttempts}</p>`;
  const room = Math.floor(answersBytes / attempts.length);
  return html`<ol class="timeline">${attempts.toReversed().map((attempt) => renderAttempt(zone, attempt, room))}</ol>`;
}

function renderAttempt(zone: ZoneContext, attempt: DeliveryAttempt, room: number): Markup {
  const { number, at, durationMs, status = 0, answer } = attempt;
  const succeeded = status >= 200 && status < 300;
  return html`<li class="${succeeded ? 'completed' : 'failed'}"><p><strong>${webhookTexts.attempt(number)}: ${statusTexts[succeeded ? 'succeeded' : 'failed']}</strong> ${renderOutcome(attempt)}</p>
<p class="soft">${renderTime(zone, at)}, ${webhookTexts.duration(durationMs)}</p>${answer === '' ? '' : renderCode(webhookTexts.answer, truncateToBytes(escapeInvisible(answer), room))}</li>`;
}

function renderRequest({ webhook, delivery, body }: DeliveryDetail): Markup {
  const isTarget = endpointTypeOf(webhook.url) !== 'url';
  return html`${renderDefinitions([
    isTarget ? renderDestination(webhook) : ['POST', isolateDirection(webhook.url)],
    ['webhook-id', renderId(delivery.eventId)],
  ])}
${body === undefined ? html`<p class="soft">${webhookTexts.expired}</p>` : html`${renderCode(webhookTexts.request, truncateToBytes(prettyJson(body), bodyBytes))}<p class="hint">${isTarget ? webhookTexts.targetRequestHint : webhookTexts.requestHint}</p>`}`;
}
