/** Reads stored connections. */
import type { Owner } from '../../../base/ids.ts';
import type { Key } from '../../../store/keys.ts';
import type { Item } from '../../../store/records.ts';
import {
  arrayOf,
  count,
  defineItem,
  type Field,
  instant,
  mapOf,
  optional,
  positive,
  text,
  textOf,
} from '../../../store/stored-fields.ts';
import { hostedProviderNames } from '../provider/hosted-provider.ts';
import type { ConnectionDetails, MaximumAmounts } from './connection.ts';

const nameOf = ({ pk, sk }: Item) => `${pk}#${sk}`;

const parseDetails = defineItem<Omit<ConnectionDetails, keyof Owner | 'provider'>>(nameOf, {
  currencies: arrayOf(textOf<ConnectionDetails['currencies'][number]>()),
  maximumAmounts: optional(mapOf(count) as Field<object> as Field<MaximumAmounts>),
  accountName: text,
  accountReference: optional(text),
  connectedAt: instant,
  disconnectedAt: optional(instant),
  keyLast4: text,
  notificationSecretCount: count,
  rotatedAt: instant,
});

/** What only the functions read that may read credentials. */
interface SealedConnection {
  readonly credentials: string;
  readonly accountCountry: string | undefined;
  readonly version: number;
}

/** Returns the sealed credentials of an item, and what belongs to them. @throws MalformedItemError */
export const parseSealed: (item: Item) => SealedConnection = defineItem(nameOf, {
  credentials: text,
  accountCountry: optional(text),
  version: positive,
});

/**
 * Returns the connection in an item, or undefined if this release does not know the provider.
 * @throws MalformedItemError
 */
export function toConnection(owner: Owner, item: Item): ConnectionDetails | undefined {
  const provider = hostedProviderNames.find((name) => name === item.sk);
  if (!provider) return undefined;
  const { currencies, accountName, connectedAt, disconnectedAt, ...others } = parseDetails(item);
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

/** Returns what the credentials of an item are sealed for. */
export const sealingContext = ({ pk, sk }: Pick<Key, 'pk' | 'sk'> | Item): string => `${pk}#${sk}`;
