/** Renders the page that shows the payment providers of an account and mode. It contains no credentials. */
import { html } from 'hono/html';
import { env } from '../../../base/env.ts';
import {
  type ConnectionDetails,
  showMaximumAmounts,
} from '../../../domain/payments/connections/connection.ts';
import { notificationAddress, providerFacts } from '../../../domain/payments/connections/provider-facts.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../../domain/payments/provider/hosted-provider.ts';
import { isolateDirection, type Markup } from '../../pages/markup.ts';
import type { Failure } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardView } from '../definitions.ts';
import { renderBadge, renderDefinitions } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { renderButtonLink, renderCode, renderCopy, renderFailure } from '../records/record-elements.ts';
import { renderTime, type ZoneContext } from '../times.ts';
import { providerTexts } from './provider-texts.ts';

export const providersPath = '/settings/providers';

/** Shows each provider with its connection, if there is one. */
export function showProviders(
  context: DashboardContext,
  connections: readonly ConnectionDetails[],
  failure?: Failure,
): DashboardView {
  const cards = hostedProviderNames.map((name) =>
    renderProvider(
      context,
      name,
      connections.find(({ provider }) => provider === name),
    ),
  );
  const hint = context.can('providers:write') ? '' : html`<p class="soft">${providerTexts.ownersOnly}</p>`;
  return {
    title: providerTexts.title,
    section: 'settings',
    status: failure?.status ?? 200,
    content: html`${renderFailure(failure)}<p class="soft">${providerTexts.about[context.mode]}</p>${hint}${cards}`,
  };
}

function renderProvider(
  context: DashboardContext,
  name: HostedProviderName,
  connection: ConnectionDetails | undefined,
): Markup {
  const { title } = providerFacts[name];
  const isConnected = connection !== undefined && connection.disconnectedAt === undefined;
  const { connected, disconnected, absent } = providerTexts.statuses;
  const badge = isConnected
    ? renderBadge(connected, 'good')
    : renderBadge(connection ? disconnected : absent, 'neutral');
  return html`<section class="card"><h2>${title} ${badge}</h2>
${connection && renderConnection(context, connection)}${context.can('providers:write') ? renderButtons(context, name, connection) : ''}
${isConnected ? renderNotifications(context, name, html`<h3>${providerTexts.notifications}</h3>`) : ''}</section>`;
}

function renderConnection(zone: ZoneContext, connection: ConnectionDetails): Markup {
  const { names } = providerTexts;
  const { disconnectedAt } = connection;
  const maximums = showMaximumAmounts(connection);
  return renderDefinitions([
    [names.account, isolateDirection(connection.accountName)],
    [names.currencies, connection.currencies.join(', ')],
    maximums.length > 0 ? [names.maximums, maximums.join(', ')] : undefined,
    [names.key, html`<span class="id">…${connection.keyLast4}</span>`],
    [names.secrets, providerTexts.secretCount(connection.notificationSecretCount)],
    [names.replaced, renderTime(zone, connection.rotatedAt)],
    disconnectedAt === undefined ? undefined : [names.disconnected, renderTime(zone, disconnectedAt)],
  ]);
}

function renderButtons(
  context: DashboardContext,
  name: HostedProviderName,
  connection: ConnectionDetails | undefined,
): Markup {
  const { title } = providerFacts[name];
  const link = (path: string) => context.url(`${providersPath}/${name}/${path}`);
  const connect = html`<a class="button" href="${link('connect')}" aria-label="${providerTexts.connectTitle(title)}">${providerTexts.connect}</a>`;
  if (!connection) return html`<p>${connect}</p>`;
  const isConnected = connection.disconnectedAt === undefined;
  const form = (path: string, submit: string) =>
    renderForm(context, { action: link(path), submit, style: 'plain', label: `${submit}: ${title}` });
  return html`<div class="buttons">${isConnected ? '' : connect}${renderButtonLink(link('rotate'), providerTexts.rotate)}${isConnected ? renderButtonLink(link('disconnect'), providerTexts.disconnect) : ''}${form('check', providerTexts.check)}${connection.notificationSecretCount > 1 ? form('drop-old', providerTexts.drop) : ''}</div>`;
}

/** Renders the address and the events that the merchant enters at the provider. */
export function renderNotifications(
  { account }: Pick<DashboardContext, 'account'>,
  name: HostedProviderName,
  heading: Markup,
): Markup {
  const { title, events } = providerFacts[name];
  const address = notificationAddress(env.baseUrl(), name, account);
  return html`${heading}<p>${providerTexts.notificationsHint(title)}</p>
<p>${renderCopy(address, providerTexts.address)}</p>
${renderCode(providerTexts.events, events.join('\n'))}`;
}
