/** Renders the page on which a user rolls an API key over. */
import { html } from 'hono/html';
import { defaultOverlapHours } from '../../../base/overlap-hours.ts';
import type { ApiKey } from '../../../domain/accounts/account.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderField, renderForm } from '../forms.ts';
import { keyFields, keyTexts } from './key-texts.ts';
import { keysPath, renderKey, toKeyView } from './key-views.ts';

/** Shows the form that replaces a key by a new one. */
export function showRollOverForm(
  context: DashboardContext,
  key: ApiKey,
  failed?: FailedForm<URLSearchParams>,
): DashboardView {
  const fields = failed?.fields ?? new URLSearchParams({ overlapHours: String(defaultOverlapHours) });
  const errors = failed?.failure.errors ?? {};
  const { overlapHours, expiresOn, rollOverExpiresOn } = keyFields;
  const content = html`${renderField({ name: 'overlapHours', ...overlapHours, value: fields.get('overlapHours') ?? '', error: errors.overlapHours })}
${renderField({ name: 'expiresOn', type: 'date', label: expiresOn.label, hint: rollOverExpiresOn, value: fields.get('expiresOn') ?? '', error: errors.expiresOn })}`;
  const action = context.url(`${keysPath}/${key.keyId}/roll-over`);
  const form = renderForm(context, { action, submit: keyTexts.rollOver, content });
  const back = html`<p><a href="${context.url(keysPath)}">${keyTexts.back}</a></p>`;
  return toKeyView(
    keyTexts.rollOverTitle,
    html`${renderKey(context, key)}<p>${keyTexts.rollOverHint}</p>${form}${back}`,
    failed?.failure,
  );
}
