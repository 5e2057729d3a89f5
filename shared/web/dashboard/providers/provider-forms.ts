/** Renders the forms of payment providers. Their fields never contain credentials, also after an error. */
import { html } from 'hono/html';
import type { Currency } from '../../../base/money.ts';
import type { ConnectionDetails } from '../../../domain/payments/connections/connection.ts';
import { credentialFields, providerFacts } from '../../../domain/payments/connections/provider-facts.ts';
import type { HostedProviderName } from '../../../domain/payments/provider/hosted-provider.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import type { Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderField, renderForm } from '../forms.ts';
import type { FieldErrors } from '../input/form-fields.ts';
import { renderFailure } from '../records/record-elements.ts';
import { credentialHints, providerTexts } from './provider-texts.ts';
import { providersPath, renderNotifications } from './provider-views.ts';

/** Returns the name of the input of the maximum amount in a currency. */
export const maximumInputOf = (currency: Currency) => `maximum${currency}` as const;

/**
 * Shows the form that connects a provider.
 * @param failed what the user has sent before an error
 */
export function showConnectForm(
  context: DashboardContext,
  name: HostedProviderName,
  failed?: { readonly failure: Failure; readonly form: URLSearchParams },
): DashboardView {
  const { title, currencies } = providerFacts[name];
  const errors = failed?.failure.errors ?? {};
  const chosen = failed?.form.getAll('currencies') ?? currencies;
  const choices = currencies.map(
    (currency) =>
      html`<label class="choice"><input type="checkbox" name="currencies" value="${currency}"${chosen.includes(currency) ? html` checked` : ''}>${currency}</label>`,
  );
  const wrong = errors.currencies;
  const maximums = currencies.map((currency) => {
    const input = maximumInputOf(currency);
    const { maximumLabel, maximumHint } = providerTexts;
    const value = failed?.form.get(input) ?? '';
    return renderField({
      ...{ name: input, label: maximumLabel(currency), hint: maximumHint, value, error: errors[input] },
    });
  });
  const content = html`${renderCredentials(name, errors)}
<fieldset id="currencies" tabindex="-1"${wrong ? html` aria-describedby="currencies-error"` : ''}><legend>${providerTexts.currenciesLabel}</legend>
${wrong ? html`<p class="wrong" id="currencies-error">${wrong}</p>` : ''}${choices}</fieldset>
${maximums}`;
  const action = context.url(`${providersPath}/${name}/connect`);
  const form = renderForm(context, { action, submit: providerTexts.connect, content });
  return toView(
    context,
    providerTexts.connectTitle(title),
    html`<p>${providerTexts.connectHint}</p>${form}${renderNotifications(context, name, html`<h2>${providerTexts.notifications}</h2>`)}`,
    failed?.failure,
  );
}

/** Shows the form that replaces credentials. */
export function showReplaceForm(
  context: DashboardContext,
  name: HostedProviderName,
  failure?: Failure,
): DashboardView {
  const action = context.url(`${providersPath}/${name}/rotate`);
  const content = html`${renderCredentials(name, failure?.errors ?? {})}`;
  const form = renderForm(context, { action, submit: providerTexts.rotate, content });
  return toView(
    context,
    providerTexts.rotateTitle(providerFacts[name].title),
    html`<p>${providerTexts.rotateHint}</p>${form}`,
    failure,
  );
}

/** Shows the page that asks for confirmation of a disconnection. */
export function showDisconnectForm(
  context: DashboardContext,
  { provider, accountName }: ConnectionDetails,
  failure?: Failure,
): DashboardView {
  const action = context.url(`${providersPath}/${provider}/disconnect`);
  const form = renderForm(context, { action, submit: providerTexts.disconnect, style: 'danger' });
  return toView(
    context,
    providerTexts.disconnectTitle(providerFacts[provider].title),
    html`<p>${isolateDirection(accountName)}</p><p>${providerTexts.disconnectHint}</p>${form}`,
    failure,
    providerTexts.keep,
  );
}

function renderCredentials(name: HostedProviderName, errors: FieldErrors): Markup[] {
  return credentialFields.flatMap((field) => {
    const facts = providerFacts[name].credentials[field];
    if (!facts) return [];
    const hint = `${facts.hint} ${credentialHints[field]}`;
    return [renderField({ name: field, label: facts.label, hint, error: errors[field], type: 'password' })];
  });
}

function toView(
  context: DashboardContext,
  title: string,
  content: Markup,
  failure: Failure | undefined,
  back: string = providerTexts.back,
): DashboardView {
  return {
    title,
    section: 'settings',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<section class="card">${content}<p><a href="${context.url(providersPath)}">${back}</a></p></section>`,
  };
}
