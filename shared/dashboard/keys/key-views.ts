/** Renders the pages of API keys. */
import { html } from 'hono/html';
import { type ApiKey, apiKeyStatus } from '../../accounts/account.ts';
import { permissions } from '../../auth/permissions.ts';
import { env } from '../../env.ts';
import type { Markup } from '../../pages/markup.ts';
import type { Instant } from '../../time.ts';
import type { Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderBadge, renderDefinitions, renderTable } from '../elements.ts';
import { renderField, renderForm } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import {
  renderButtonLink,
  renderCode,
  renderCopy,
  renderEmpty,
  renderFailure,
  renderLine,
  renderShortTime,
} from '../records/record-elements.ts';
import { keyFields, keyTexts, permissionTexts } from './key-texts.ts';

export const keysPath = '/settings/keys';

/** What the form shows after a failed attempt. */
interface FailedKeyForm {
  readonly fields: URLSearchParams;
  readonly failure: Failure;
}

/** Shows all keys of a mode, the newest first. */
export function showKeys(context: DashboardContext, keys: readonly ApiKey[]): DashboardView {
  const canWrite = context.can('keys:write');
  const { columns } = keyTexts;
  const titles = [
    columns.name,
    columns.value,
    columns.status,
    columns.permissions,
    columns.lastUsed,
    columns.expires,
    columns.created,
    ...(canWrite ? [columns.actions] : []),
  ];
  const rows = keys.map((key) => [
    renderLine(key.name),
    html`<span class="id">…${key.last4}</span>`,
    renderKeyStatus(key, context.now),
    renderPermissions(key),
    renderMoment(key.lastUsedAt),
    renderMoment(key.expiresAt),
    renderShortTime(key.createdAt),
    ...(canWrite ? [renderRevokeLink(context, key)] : []),
  ]);
  const table = renderTable(
    keyTexts.table,
    titles.map((title) => ({ title })),
    rows,
  );
  return {
    title: keyTexts.title,
    section: 'settings',
    aside: canWrite ? renderButtonLink(context.url(`${keysPath}/new`), keyTexts.create, '') : undefined,
    content: html`<p class="soft">${keyTexts.about[context.mode]}</p><section class="card">${keys.length === 0 ? renderEmpty(keyTexts.empty) : table}</section>`,
  };
}

/** Shows the form of a new key. */
export function showKeyForm(context: DashboardContext, failed?: FailedKeyForm): DashboardView {
  const fields = failed?.fields ?? new URLSearchParams();
  const errors = failed?.failure.errors ?? {};
  const { name, expiresOn } = keyFields;
  const content = html`${renderField({ name: 'name', ...name, value: fields.get('name') ?? '', error: errors.name })}
${renderAccess(fields, errors)}
${renderField({ name: 'expiresOn', type: 'date', ...expiresOn, value: fields.get('expiresOn') ?? '', error: errors.expiresOn })}`;
  const action = context.url(`${keysPath}/new`);
  const form = renderForm(context, { action, submit: keyTexts.create, content });
  return toView(keyTexts.create, form, failed?.failure);
}

/**
 * Shows a new key with its value, or only that it was shown.
 * @param value undefined to hide it
 */
export function showNewKey(context: DashboardContext, key: ApiKey, value: string | undefined): DashboardView {
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.back}</a></p>`;
  if (value === undefined)
    return toView(
      keyTexts.createdTitle,
      html`<p>${keyTexts.valueShown}</p>${renderKey(key, context.now)}${back}`,
    );
  const sample = `curl ${env.baseUrl()}/api/invoices -H 'Authorization: Bearer ${value}'`;
  return toView(
    keyTexts.createdTitle,
    html`<p>${keyTexts.valueHint}</p><p>${renderCopy(value, keyTexts.valueLabel, context.rootUrl)}</p>
${renderKey(key, context.now)}<p>${keyTexts.tryIt}</p>${renderCode(keyTexts.sample, sample)}${back}`,
  );
}

/** Shows the page that asks for confirmation of a revocation. */
export function showRevokeForm(context: DashboardContext, key: ApiKey, failure?: Failure): DashboardView {
  const action = context.url(`${keysPath}/${key.keyId}/revoke`);
  const form = renderForm(context, { action, submit: keyTexts.revoke, style: 'danger' });
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.keep}</a></p>`;
  const content = html`${renderKey(key, context.now)}<p>${keyTexts.revokeHint}</p>${form}${back}`;
  return toView(keyTexts.revokeTitle, content, failure);
}

function renderKey(key: ApiKey, now: Instant): Markup {
  const { columns } = keyTexts;
  return renderDefinitions([
    [columns.name, renderLine(key.name)],
    [columns.value, html`<span class="id">…${key.last4}</span>`],
    [columns.status, renderKeyStatus(key, now)],
    [columns.permissions, renderPermissions(key)],
    [columns.expires, renderMoment(key.expiresAt)],
  ]);
}

function renderKeyStatus(key: ApiKey, now: Instant): Markup {
  const status = apiKeyStatus(key, now);
  return renderBadge(keyTexts.statuses[status], status === 'active' ? 'good' : 'neutral');
}

const renderPermissions = ({ permissions: list }: ApiKey): Markup | string =>
  list === undefined ? keyTexts.all : renderLine(list.join(', '), 200);

const renderMoment = (instant: Instant | undefined): Markup | string =>
  instant === undefined ? keyTexts.never : renderShortTime(instant);

function renderRevokeLink(context: DashboardContext, key: ApiKey): Markup | string {
  if (apiKeyStatus(key, context.now) !== 'active') return '';
  const link = context.url(`${keysPath}/${key.keyId}/revoke`);
  return html`<a href="${link}" aria-label="${keyTexts.revokeLabel(key.name)}">${keyTexts.revoke}</a>`;
}

function renderAccess(fields: URLSearchParams, errors: FieldErrors): Markup {
  const { label, all, chosen } = keyFields.access;
  const access = fields.get('access') ?? 'all';
  const isChecked = (checked: boolean) => (checked ? html` checked` : '');
  const selected = fields.getAll('permissions');
  const choices = permissions.map(
    (permission) =>
      html`<label class="choice"><input type="checkbox" name="permissions" value="${permission}"${isChecked(selected.includes(permission))}>${permissionTexts[permission]}</label>`,
  );
  const error = errors.permissions;
  return html`<fieldset id="permissions" tabindex="-1"${error ? html` aria-describedby="permissions-error"` : ''}><legend>${label}</legend>
${error ? html`<p class="wrong" id="permissions-error">${error}</p>` : ''}
<label class="choice"><input type="radio" name="access" value="all"${isChecked(access !== 'chosen')}>${all}</label>
<label class="choice"><input type="radio" name="access" value="chosen"${isChecked(access === 'chosen')}>${chosen}</label>
${choices}</fieldset>`;
}

function toView(title: string, content: Markup, failure?: Failure): DashboardView {
  return {
    title,
    section: 'settings',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${content}</section>`,
  };
}
