/** Shows connections to payment providers in the output of commands. */

import { toTimestamp } from '../shared/base/time.ts';
import {
  type ConnectionDetails,
  showMaximumAmounts,
} from '../shared/domain/payments/connections/connection.ts';
import { providerFacts } from '../shared/domain/payments/connections/provider-facts.ts';
import type { HostedProviderName } from '../shared/domain/payments/provider/hosted-provider.ts';

/** Returns what to do at the provider, so that it sends notifications to the address. */
export function notificationAdvice(name: HostedProviderName, address: string): string {
  const { title, events } = providerFacts[name];
  return `At ${title}, add a webhook endpoint with this address:
  ${address}
and select these events:
${events.map((event) => `  ${event}`).join('\n')}`;
}

/** Returns the rows of the table that shows a connection. */
export const connectionRows = (connection: ConnectionDetails): string[][] => [
  ['provider', providerFacts[connection.provider].title],
  ['mode', connection.mode],
  ['account name', connection.accountName],
  ['currencies', connection.currencies.join(', ')],
  ['maximum amounts', showMaximumAmounts(connection).join(', ') || 'as the provider publishes'],
  ['key', `…${connection.keyLast4}`],
  ['notification secrets', String(connection.notificationSecretCount)],
];

/** Returns a connection as JSON output shows it. */
export function connectionOutput({ connectedAt, disconnectedAt, rotatedAt, ...others }: ConnectionDetails) {
  return {
    ...others,
    connectedAt: toTimestamp(connectedAt),
    rotatedAt: toTimestamp(rotatedAt),
    disconnectedAt: disconnectedAt === undefined ? null : toTimestamp(disconnectedAt),
  };
}
