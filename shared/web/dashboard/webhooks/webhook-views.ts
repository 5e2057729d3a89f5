/** Renders the pages with the forms of webhook endpoints, and the answers that show a secret or the result of a test. */
import { html } from 'hono/html';
import { eventTypes } from '../../../domain/events/event.ts';
import type { TestResult } from '../../../domain/webhooks/delivery.ts';
import { endpointTypeOf, knownTargets } from '../../../domain/webhooks/destination.ts';
import { formatFilter } from '../../../domain/webhooks/filter-text.ts';
import {
  type ShownWebhookWithSecret,
  showWebhook,
  type Webhook,
  webhookStatuses,
} from '../../../domain/webhooks/webhook.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderDefinitions } from '../elements.ts';
import { renderField, renderForm, renderHiddenInput, renderSelect } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { renderVersionField, versionTexts } from '../input/version-field.ts';
import { toDateTimeValue } from '../input/zoned-times.ts';
import { escapeInvisible } from '../records/json-text.ts';
import { renderButtonLink, renderCode, renderCopy, renderFailure } from '../records/record-elements.ts';
import { eventNames, fieldNames, statusTexts, textFor } from '../records/record-texts.ts';
import { renderTime } from '../times.ts';
import { renderEndpoint, renderOutcome } from './webhook-detail.ts';
import { webhookFields, webhookListTexts, webhookTexts } from './webhook-texts.ts';

type FailedWebhookForm = FailedForm<URLSearchParams>;

const newEndpoint = new URLSearchParams({ events: '*' });

/** Shows the form of a new endpoint. */
export function showNewWebhookForm(context: DashboardContext, failed?: FailedWebhookForm): DashboardView {
  const fields = failed?.fields ?? newEndpoint;
  const errors = failed?.failure.errors ?? {};
  const content = html`${renderTargetSelect(knownTargets(), fields, errors, [['', webhookTexts.toUrl]])}${renderUrlField(fields, errors)}
${renderFields(fields, errors)}`;
  const action = context.url('/webhooks/new');
  const form = renderForm(context, { action, submit: webhookListTexts.create, content });
  return toView(webhookListTexts.create, form, failed);
}

/** Shows the form that changes an endpoint. */
export function showWebhookEditForm(
  context: DashboardContext,
  webhook: Webhook,
  failed?: FailedWebhookForm,
): DashboardView {
  const fields = failed?.fields ?? fieldsOf(webhook);
  const errors = failed?.failure.errors ?? {};
  const { label } = webhookFields.status;
  const choices = webhookStatuses.map((status) => [status, textFor(statusTexts, status)] as const);
  const value = fields.get('status') ?? '';
  const content = html`${renderHiddenInput('seen', seenVersion(failed, String(webhook.updatedAt)))}${renderDestinationField(webhook, fields, errors)}
${renderFields(fields, errors)}
${renderSelect({ name: 'status', label, value, choices, hint: webhookTexts.enabledHint, error: errors.status })}`;
  const action = context.url(`/webhooks/${webhook.id}/edit`);
  const form = renderForm(context, { action, submit: webhookTexts.save, content });
  return toView(webhookTexts.editTitle, html`${form}${renderBack(context, webhook.id)}`, failed);
}

/** Shows the page that asks for confirmation of a deletion. */
export function showWebhookDeleteForm(
  context: DashboardContext,
  webhook: Webhook,
  failed?: FailedWebhookForm,
): DashboardView {
  const action = context.url(`/webhooks/${webhook.id}/delete`);
  const form = renderForm(context, { action, submit: webhookTexts.deleteSubmit, style: 'danger' });
  const content = html`${renderEndpoint(context, { webhook, health: undefined })}<p>${webhookTexts.deleteHint}</p>${form}${renderBack(context, webhook.id, webhookTexts.keep)}`;
  return toView(webhookTexts.deleteTitle, content, failed);
}

/** Shows the form that rotates the secret. */
export function showRotateForm(
  context: DashboardContext,
  webhook: Webhook,
  failed?: FailedWebhookForm,
): DashboardView {
  const { label, hint } = webhookFields.overlapHours;
  const value = failed?.fields.get('overlapHours') ?? '24';
  const error = failed?.failure.errors?.overlapHours;
  const content = renderField({ name: 'overlapHours', type: 'number', label, hint, value, error });
  const action = context.url(`/webhooks/${webhook.id}/rotate-secret`);
  const form = renderForm(context, { action, submit: webhookTexts.rotate, content });
  return toView(
    webhookTexts.rotateTitle,
    html`<p>${webhookTexts.rotateHint}</p>${form}${renderBack(context, webhook.id)}`,
    failed,
  );
}

/** Shows the form that sends missed events again. It proposes the last day. */
export function showRecoverForm(
  context: DashboardContext,
  webhook: Webhook,
  failed?: FailedWebhookForm,
): DashboardView {
  const { label } = webhookFields.since;
  const value = failed?.fields.get('since') ?? startOfLastDay(context);
  const error = failed?.failure.errors?.since;
  const content = renderField({ name: 'since', type: 'datetime-local', label, value, error });
  const action = context.url(`/webhooks/${webhook.id}/recover`);
  const form = renderForm(context, { action, submit: webhookTexts.recover, content });
  return toView(
    webhookTexts.recoverTitle,
    html`<p>${webhookTexts.recoverHint}</p>${form}${renderBack(context, webhook.id)}`,
    failed,
  );
}

/**
 * Shows the new secret of an endpoint, or that it has none.
 * @param webhook the answer of the creation or rotation
 */
export function showSecret(
  context: DashboardContext,
  { id, secret }: Pick<ShownWebhookWithSecret, 'id' | 'secret'>,
): DashboardView {
  const content =
    secret === null
      ? html`<p>${webhookTexts.noSecretHint}</p>`
      : html`<p>${webhookTexts.secretHint}</p><p>${renderCopy(secret, webhookTexts.secretLabel)}</p>`;
  const title = secret === null ? webhookTexts.createdTitle : webhookTexts.secretTitle;
  return toView(title, html`${content}${renderBack(context, id)}`);
}

/** Shows the result of a test event. */
export function showTestResult(
  context: DashboardContext,
  webhookId: string,
  result: TestResult,
): DashboardView {
  const { succeeded, at, durationMs, answer } = result;
  const outcome = succeeded ? webhookTexts.testSucceeded : webhookTexts.testFailed;
  const content = html`<p class="${succeeded ? 'notice' : 'alert'}" role="status">${outcome}</p>
${renderDefinitions([
  [fieldNames.status, renderOutcome(result)],
  [fieldNames.time, html`${renderTime(context, Date.parse(at))}, ${webhookTexts.duration(durationMs)}`],
])}${answer === '' ? html`<p class="soft">${webhookTexts.noAnswer}</p>` : renderCode(webhookTexts.answer, escapeInvisible(answer))}${renderBack(context, webhookId)}`;
  return toView(webhookTexts.testTitle, content);
}

/** Shows that an action of an endpoint had no effect, for actions without a form of their own. */
export function showWebhookFailure(
  context: DashboardContext,
  webhook: Webhook,
  failed: FailedWebhookForm,
): DashboardView {
  return toView(webhookTexts.one, renderBack(context, webhook.id), failed);
}

function toView(title: string, content: Markup, failed?: FailedWebhookForm): DashboardView {
  return {
    title,
    section: 'webhooks',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${content}</section>`,
  };
}

function fieldsOf(webhook: Webhook): URLSearchParams {
  const { url, target, events, description, apiVersion, status, filters } = showWebhook(webhook);
  const fields = new URLSearchParams({ description: description ?? '', apiVersion, status });
  fields.set(target === null ? 'url' : 'target', target ?? url ?? '');
  for (const event of events) fields.append('events', event);
  fields.set('filters', filters.map(formatFilter).join('\n'));
  return fields;
}

/** The value that the form sends for each choice of events, and its text. */
const eventChoices = () => [
  ['all', webhookTexts.allEvents] as const,
  ['*', webhookTexts.commonEvents] as const,
  ...eventTypes.map((type) => [type, `${eventNames[type]} (${type})`] as const),
];

/** Renders the field of where events go. The type of an endpoint does not change, so it has only one of them. */
function renderDestinationField({ url }: Webhook, fields: URLSearchParams, errors: FieldErrors): Markup {
  const type = endpointTypeOf(url);
  if (type === 'url') return html`${renderHiddenInput('target', '')}${renderUrlField(fields, errors)}`;
  const targets = [...new Set([url, ...knownTargets(type)])];
  return html`${renderHiddenInput('url', '')}${renderTargetSelect(targets, fields, errors)}`;
}

function renderUrlField(fields: URLSearchParams, errors: FieldErrors): Markup {
  const value = fields.get('url') ?? '';
  return renderField({ name: 'url', type: 'url', ...webhookFields.url, value, error: errors.url });
}

/** Renders the choice of a target, if the deployment has any. */
function renderTargetSelect(
  targets: readonly string[],
  fields: URLSearchParams,
  errors: FieldErrors,
  others: readonly (readonly [string, string])[] = [],
): Markup | '' {
  if (targets.length === 0) return '';
  const choices = targets.map((arn) => [arn, describeTarget(arn)] as const);
  const value = fields.get('target') ?? '';
  const field = { name: 'target', ...webhookFields.target, value, error: errors.target };
  return renderSelect({ ...field, choices: [...others, ...choices] });
}

function describeTarget(arn: string): string {
  const type = endpointTypeOf(arn);
  return type === 'url' ? arn : `${webhookTexts.targetTypes[type]}: ${arn}`;
}

function renderFields(fields: URLSearchParams, errors: FieldErrors): Markup {
  const value = (name: string) => fields.get(name) ?? '';
  const { description, events, filters } = webhookFields;
  const chosen = new Set(fields.getAll('events'));
  const choices = eventChoices().map(
    ([event, text]) =>
      html`<label class="choice"><input type="checkbox" name="events" value="${event}"${chosen.has(event) ? html` checked` : ''}>${text}</label>`,
  );
  const error = errors.events;
  return html`${renderField({ name: 'description', ...description, value: value('description'), error: errors.description })}
${renderVersionField(fields, errors, versionTexts.endpoint)}
<fieldset id="events" tabindex="-1"${error ? html` aria-describedby="events-error"` : ''}><legend>${events.label}</legend>${error ? html`<p class="wrong" id="events-error">${error}</p>` : ''}${choices}</fieldset>
${renderField({ name: 'filters', type: 'textarea', ...filters, value: value('filters'), error: errors.filters })}`;
}

const renderBack = (context: DashboardContext, id: string, text: string = webhookTexts.back) =>
  html`<p>${renderButtonLink(context.url(`/webhooks/${id}`), text)}</p>`;

const dayMs = 24 * 60 * 60 * 1000;
const startOfLastDay = (context: DashboardContext) => toDateTimeValue(context, context.now - dayMs);
