/** Renders the pages of API keys. */
import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import { env } from '../../../base/env.ts';
import { canonicalJson } from '../../../base/strict-json.ts';
import type { Instant } from '../../../base/time.ts';
import { type ApiKey, apiKeyStatus } from '../../../domain/accounts/account.ts';
import { type KeySettings, settingsOfKey } from '../../../domain/accounts/key-update.ts';
import { permissions } from '../../../domain/auth/permissions.ts';
import type { Markup } from '../../pages/markup.ts';
import { type FailedForm, type Failure, seenVersion } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardRequest, DashboardView } from '../definitions.ts';
import { renderDefinitions, renderTable } from '../elements.ts';
import { renderField, renderForm, renderHiddenInput } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { renderVersionField, versionTexts } from '../input/version-field.ts';
import {
  renderButtonLink,
  renderCode,
  renderCopy,
  renderEmpty,
  renderFailure,
  renderLine,
  renderStatus,
} from '../records/record-elements.ts';
import { renderShortTime, type ZoneContext } from '../times.ts';
import { keyFields, keyTexts, permissionTexts } from './key-texts.ts';

export const keysPath = '/settings/keys';

/** Shows all keys of a mode, the newest first. */
export function showKeys(context: DashboardContext, keys: readonly ApiKey[]): DashboardView {
  const canWrite = context.can('keys:write');
  const { columns } = keyTexts;
  const titles = [
    columns.name,
    columns.value,
    columns.status,
    columns.permissions,
    columns.addresses,
    columns.lastUsed,
    columns.expires,
    columns.created,
    ...(canWrite ? [columns.actions] : []),
  ];
  const rows = keys.map((key) => [
    renderLine(key.name),
    html`<span class="id">…${key.last4}</span>`,
    html`${renderKeyStatus(key, context.now)}${renderReplacement(key, keys)}`,
    renderPermissions(key),
    renderAddresses(key),
    renderMoment(context, key.lastUsedAt),
    renderMoment(context, key.expiresAt),
    renderShortTime(context, key.createdAt),
    ...(canWrite ? [renderLinks(context, key)] : []),
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
export function showKeyForm(
  { context, sourceIp }: Pick<DashboardRequest, 'context' | 'sourceIp'>,
  failed?: FailedForm<URLSearchParams>,
): DashboardView {
  const fields = failed?.fields ?? new URLSearchParams();
  const errors = failed?.failure.errors ?? {};
  const { expiresOn } = keyFields;
  const content = html`${renderNameField(fields, errors)}
${renderAccess(fields, errors)}
${renderAddressField(fields, errors, sourceIp)}
${renderField({ name: 'expiresOn', type: 'date', ...expiresOn, value: fields.get('expiresOn') ?? '', error: errors.expiresOn })}
${renderVersionField(fields, errors, versionTexts.key)}
${renderNoteField(fields, errors)}`;
  const action = context.url(`${keysPath}/new`);
  const form = renderForm(context, { action, submit: keyTexts.create, content });
  return toKeyView(keyTexts.create, form, failed?.failure);
}

/**
 * Shows a new key with its value, or only that it was shown.
 * @param value undefined to hide it
 */
export function showNewKey(
  context: DashboardContext,
  key: ApiKey,
  value: string,
  title: string = keyTexts.createdTitle,
): DashboardView {
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.back}</a></p>`;
  const sample = `curl ${env.baseUrl()}/api/invoices -H 'Authorization: Bearer ${value}'`;
  return toKeyView(
    title,
    html`<p>${keyTexts.valueHint}</p><p>${renderCopy(value, keyTexts.valueLabel)}</p>
${renderKey(context, key)}<p>${keyTexts.tryIt}</p>${renderCode(keyTexts.sample, sample)}${back}`,
  );
}

/** Shows the form of the settings of a key that can change. */
export function showKeyEditForm(
  { context, sourceIp }: Pick<DashboardRequest, 'context' | 'sourceIp'>,
  key: ApiKey,
  failed?: FailedForm<URLSearchParams>,
): DashboardView {
  const present = new URLSearchParams({
    name: key.name,
    note: key.note ?? '',
    allowedAddresses: key.allowedAddresses?.join('\n') ?? '',
    apiVersion: key.apiVersion,
  });
  const fields = failed?.fields ?? present;
  const errors = failed?.failure.errors ?? {};
  const content = html`${renderHiddenInput('seen', seenVersion(failed, seenOf(key)))}${renderNameField(fields, errors)}
${renderAddressField(fields, errors, sourceIp)}
${renderVersionField(fields, errors, versionTexts.key)}
${renderNoteField(fields, errors)}`;
  const action = context.url(`${keysPath}/${key.keyId}/edit`);
  const form = renderForm(context, { action, submit: keyTexts.save, content });
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.back}</a></p>`;
  return toKeyView(keyTexts.editTitle, html`${renderKey(context, key)}${form}${back}`, failed?.failure);
}

/** Returns a short text that differs if a setting of the key differs. The form carries it. */
export function seenOf(key: KeySettings): string {
  return createHash('sha256')
    .update(canonicalJson(settingsOfKey(key)))
    .digest('base64url');
}

/** Shows the page that asks for confirmation of a revocation. */
export function showRevokeForm(context: DashboardContext, key: ApiKey, failure?: Failure): DashboardView {
  const action = context.url(`${keysPath}/${key.keyId}/revoke`);
  const form = renderForm(context, { action, submit: keyTexts.revoke, style: 'danger' });
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.keep}</a></p>`;
  const content = html`${renderKey(context, key)}<p>${keyTexts.revokeHint}</p>${form}${back}`;
  return toKeyView(keyTexts.revokeTitle, content, failure);
}

/** Renders what is known of a key. */
export function renderKey(context: Pick<DashboardContext, 'now' | 'timeZone'>, key: ApiKey): Markup {
  const { columns } = keyTexts;
  return renderDefinitions([
    [columns.name, renderLine(key.name)],
    [columns.value, html`<span class="id">…${key.last4}</span>`],
    [columns.status, renderKeyStatus(key, context.now)],
    [columns.permissions, renderPermissions(key)],
    [columns.addresses, renderAddresses(key)],
    [versionTexts.label, key.apiVersion],
    [columns.note, key.note === undefined ? keyTexts.none : renderLine(key.note, 500)],
    [columns.expires, renderMoment(context, key.expiresAt)],
    ...renderReplaced(keyTexts.replaces, key.replaces),
    ...renderReplaced(keyTexts.replacedBy, key.replacedBy),
  ]);
}

const renderReplaced = (label: string, keyId: string | undefined): [string, Markup][] =>
  keyId === undefined ? [] : [[label, html`<span class="id">${keyId}</span>`]];

function renderKeyStatus(key: ApiKey, now: Instant): Markup {
  const status = apiKeyStatus(key, now);
  return renderStatus(status, keyTexts.statuses);
}

const renderPermissions = ({ permissions: list }: ApiKey): Markup | string =>
  list === undefined ? keyTexts.all : renderLine(list.join(', '), 200);

/** Names the key that replaces a key, by the last characters of its value. */
function renderReplacement({ replacedBy }: ApiKey, keys: readonly ApiKey[]): Markup | string {
  const other = replacedBy && keys.find(({ keyId }) => keyId === replacedBy);
  return other ? html` <span class="soft">${keyTexts.replacedTable(other.last4)}</span>` : '';
}

const renderMoment = (zone: ZoneContext, instant: Instant | undefined): Markup | string =>
  instant === undefined ? keyTexts.never : renderShortTime(zone, instant);

const renderAddresses = ({ allowedAddresses: list }: ApiKey): Markup | string =>
  list === undefined ? keyTexts.all : renderLine(list.join(', '), 200);

function renderLinks(context: DashboardContext, key: ApiKey): Markup | string {
  if (apiKeyStatus(key, context.now) !== 'active') return '';
  const link = (page: string) => context.url(`${keysPath}/${key.keyId}/${page}`);
  const rollOver =
    key.replacedBy === undefined &&
    html`<a href="${link('roll-over')}" aria-label="${keyTexts.rollOverLabel(key.name)}">${keyTexts.rollOver}</a>`;
  return html`<span class="row-links"><a href="${link('edit')}" aria-label="${keyTexts.editLabel(key.name)}">${keyTexts.edit}</a>
${rollOver || ''}
<a href="${link('revoke')}" aria-label="${keyTexts.revokeLabel(key.name)}">${keyTexts.revoke}</a></span>`;
}

function renderNameField(fields: URLSearchParams, errors: FieldErrors): Markup {
  return renderField({
    name: 'name',
    ...keyFields.name,
    value: fields.get('name') ?? '',
    error: errors.name,
  });
}

function renderNoteField(fields: URLSearchParams, errors: FieldErrors): Markup {
  const { label, hint } = keyFields.note;
  const value = fields.get('note') ?? '';
  return renderField({ name: 'note', type: 'textarea', label, hint, value, error: errors.note });
}

function renderAddressField(fields: URLSearchParams, errors: FieldErrors, sourceIp: string): Markup {
  const name = 'allowedAddresses';
  const { label, hint } = keyFields.allowedAddresses;
  const value = fields.get(name) ?? '';
  return renderField({ name, type: 'textarea', label, hint: hint(sourceIp), value, error: errors[name] });
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
<label class="choice"><input type="radio" name="access" value="all"${isChecked(access === 'all')}>${all}</label>
<label class="choice"><input type="radio" name="access" value="chosen"${isChecked(access !== 'all')}>${chosen}</label>
${choices}</fieldset>`;
}

/** Returns the view of one of the pages with one card. */
export function toKeyView(title: string, content: Markup, failure?: Failure): DashboardView {
  return {
    title,
    section: 'settings',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${content}</section>`,
  };
}
