/** Reads stored connections. */
import type { Owner } from '../../../base/ids.ts';
import type { Key } from '../../../store/keys.ts';
import type { Item } from '../../../store/records.ts';
import { hostedProviderNames } from '../provider/hosted-provider.ts';
import type { ConnectionDetails } from './connection.ts';

/** Returns the connection in an item, or undefined if this release does not know the provider. */
export function toConnection(owner: Owner, item: Item): ConnectionDetails | undefined {
  const provider = hostedProviderNames.find((name) => name === item.sk);
  if (!provider) return undefined;
  const { currencies, accountName, connectedAt, disconnectedAt, ...others } =
    item as unknown as StoredConnection;
  const { maximumAmounts, accountReference, keyLast4, notificationSecretCount, rotatedAt } = others;
  return {
    ...owner,
    provider,
    currencies,
    ...(maximumAmounts && { maximumAmounts }),
    accountName,
    connectedAt,
    disconnectedAt,
    accountReference,
    keyLast4,
    notificationSecretCount,
    rotatedAt,
  };
}

type StoredConnection = Omit<ConnectionDetails, keyof Owner | 'provider'>;

/** Returns what the credentials of an item are sealed for. */
export const sealingContext = ({ pk, sk }: Pick<Key, 'pk' | 'sk'> | Item): string => `${pk}#${sk}`;
