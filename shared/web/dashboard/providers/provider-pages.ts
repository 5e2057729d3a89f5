/** Serves the pages of payment providers: the list, the forms of credentials, and the confirmation of a disconnection. */
import type { ConnectionDetails } from '../../../domain/payments/connections/connection.ts';
import { readConnections } from '../../../domain/payments/connections/connection-store.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../../domain/payments/provider/hosted-provider.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage, DashboardRequest, DashboardView } from '../definitions.ts';
import { showConnectForm, showDisconnectForm, showReplaceForm } from './provider-forms.ts';
import { providersPath, showProviders } from './provider-views.ts';

/** Returns the provider that a path names. */
export function providerIn({ params }: Pick<DashboardRequest, 'params'>): HostedProviderName | undefined {
  return hostedProviderNames.find((name) => name === params.provider);
}

/** Reads the connection that a path names. Undefined if the account and mode has none. */
export async function readNamedConnection(
  request: Pick<DashboardRequest, 'params' | 'context'>,
): Promise<ConnectionDetails | undefined> {
  const name = providerIn(request);
  const connections = name && (await readConnections(requestOwnerOf(request)));
  return connections?.find(({ provider }) => provider === name);
}

const formPage = (
  name: string,
  show: (request: DashboardRequest) => Promise<DashboardView | undefined>,
): DashboardPage => ({
  path: `${providersPath}/:provider/${name}`,
  ability: 'providers:write',
  handle: show,
});

export const providerPages: readonly DashboardPage[] = [
  {
    path: providersPath,
    ability: 'account:read',
    handle: async (request) => showProviders(request.context, await readConnections(requestOwnerOf(request))),
  },
  formPage('connect', async (request) => {
    const name = providerIn(request);
    return name && showConnectForm(request.context, name);
  }),
  formPage('rotate', async (request) => {
    const connection = await readNamedConnection(request);
    return connection && showReplaceForm(request.context, connection.provider);
  }),
  formPage('disconnect', async (request) => {
    const connection = await readNamedConnection(request);
    return connection && showDisconnectForm(request.context, connection);
  }),
];
