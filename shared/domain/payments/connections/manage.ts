/**
 * Connects accounts to hosted providers and replaces their credentials. All credentials are checked with a call to the
 * provider before they are stored.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AuditOrigin } from '../../../base/audit-origin.ts';
import type { Mode, Owner } from '../../../base/ids.ts';
import {
  type HostedProviderName,
  ProviderCallError,
  type ProviderCredentials,
} from '../provider/hosted-provider.ts';
import { hostedProviderFor } from '../provider/hosted-providers.ts';
import { type ConnectionChange, saveConnection } from './change-connection.ts';
import type { ConnectionDetails } from './connection.ts';
import { openProvider } from './open-provider.ts';
import { modeOfProviderKey, providerFacts } from './provider-facts.ts';
import {
  ConnectionError,
  type EnteredAmounts,
  type EnteredCredentials,
  readCurrencies,
  readEntered,
  readMaximumAmounts,
} from './read-entered.ts';

type Merchant = Pick<ConnectionChange, 'accountName' | 'accountReference' | 'accountCountry'>;

/** How many notification secrets of a connection are accepted at the same time. */
const maxNotificationSecrets = 3;

/**
 * Connects an account and mode to a provider.
 * @param currencies those that the merchant's account at the provider takes. Undefined: all that the provider can take.
 * @param maximumAmounts the largest payments that the merchant's account takes
 * @throws ConnectionError if a value is not valid, or if the account and mode is connected already
 */
export async function connectProvider(
  owner: Owner,
  name: HostedProviderName,
  {
    entered,
    currencies,
    maximumAmounts = {},
  }: {
    entered: EnteredCredentials;
    currencies?: readonly string[] | undefined;
    maximumAmounts?: EnteredAmounts;
  },
  origin: AuditOrigin,
): Promise<ConnectionDetails> {
  const { title } = providerFacts[name];
  const { apiKey, apiSecret, notificationSecret } = readEntered(name, entered, true);
  const credentials = {
    apiKey: apiKey ?? '',
    ...(apiSecret !== undefined && { apiSecret }),
    notificationSecrets: [notificationSecret ?? ''],
  };
  requireKeyOfMode(owner.mode, title, credentials);
  const taken = readCurrencies(name, currencies);
  const stated = readMaximumAmounts(name, taken, maximumAmounts);
  const merchant = await checkCredentials(owner.mode, name, credentials);
  return saveConnection(
    owner,
    name,
    (current) => {
      // A second click on the same form, or a command that is repeated after a lost answer.
      const chosen = { credentials, currencies: taken, maximumAmounts: stated };
      if (isConnected(current) && isDeepStrictEqual(chosenIn(current), chosen)) return undefined;
      if (isConnected(current))
        throw new ConnectionError(
          `${title} is already connected in ${owner.mode} mode. To replace its credentials, rotate them. To change its currencies or maximum amounts, or to connect another account, disconnect ${title} first.`,
        );
      requireSameMerchant(title, current, merchant);
      return { ...chosen, ...knownMerchant(current, merchant) };
    },
    origin,
  );
}

/**
 * Replaces credentials of a connection, also of one that is disconnected, because its payments can still be refunded. A new
 * key applies at once. A new notification secret is accepted in addition to the earlier ones, until `dropOld` removes those.
 * @param entered the parts that change
 * @throws ConnectionError if the account and mode has no connection, or if the credentials are not valid
 */
export async function rotateCredentials(
  owner: Owner,
  name: HostedProviderName,
  { entered, dropOld }: { entered: EnteredCredentials; dropOld: boolean },
  origin: AuditOrigin,
): Promise<ConnectionDetails> {
  const { title, credentials: facts } = providerFacts[name];
  const { apiKey, apiSecret, notificationSecret } = readEntered(name, entered, false);
  if (!apiKey && !apiSecret && !notificationSecret && !dropOld)
    throw new ConnectionError('Nothing changes. Enter a new key or a new notification secret.');
  if (facts.apiSecret && (apiKey === undefined) !== (apiSecret === undefined))
    throw new ConnectionError(
      `${facts.apiKey?.label} and ${facts.apiSecret.label} belong together. Enter both.`,
      apiKey === undefined ? 'apiKey' : 'apiSecret',
    );
  const newKey =
    apiKey === undefined
      ? undefined
      : { apiKey, ...(apiSecret !== undefined && { apiSecret }), notificationSecrets: [] };
  if (newKey) requireKeyOfMode(owner.mode, title, newKey);
  const merchant = newKey && (await checkCredentials(owner.mode, name, newKey));
  return saveConnection(
    owner,
    name,
    (current) => {
      if (!current)
        throw new ConnectionError(`${title} is not connected in ${owner.mode} mode. Connect it first.`);
      if (merchant) requireSameMerchant(title, current, merchant);
      const earlier = current.credentials.notificationSecrets;
      const added = [notificationSecret ?? earlier[0] ?? '', ...(dropOld ? [] : earlier)];
      const notificationSecrets = [...new Set(added)];
      if (notificationSecrets.length > maxNotificationSecrets)
        throw new ConnectionError(
          `The connection accepts ${earlier.length} notification secrets already. Drop the old ones first.`,
          'notificationSecret',
        );
      const credentials = { ...current.credentials, ...newKey, notificationSecrets };
      if (isDeepStrictEqual(credentials, current.credentials)) return undefined;
      return {
        credentials,
        currencies: current.currencies,
        maximumAmounts: current.maximumAmounts,
        keepsStatus: true,
        ...knownMerchant(current, merchant ?? current),
      };
    },
    origin,
  );
}

/**
 * Checks a stored connection with a call to the provider.
 * @returns undefined if the provider accepts the credentials, otherwise why not
 */
export async function findConnectionFault(
  owner: Owner,
  name: HostedProviderName,
): Promise<string | undefined> {
  const provider = await openProvider(owner, name);
  if (!provider) return `${providerFacts[name].title} is not connected in ${owner.mode} mode.`;
  try {
    const checked = await provider.check();
    return checked.kind === 'ok' ? undefined : checked.message;
  } catch (error) {
    return explainFailure(name, error);
  }
}

const chosenIn = ({ credentials, currencies, maximumAmounts }: ConnectionChange) => ({
  credentials,
  currencies,
  maximumAmounts,
});

const isConnected = <C extends Pick<ConnectionDetails, 'disconnectedAt'>>(
  current: C | undefined,
): current is C => current !== undefined && current.disconnectedAt === undefined;

/** @throws ConnectionError if the form of the key shows that it belongs to the other mode */
function requireKeyOfMode(mode: Mode, title: string, { apiKey }: ProviderCredentials): void {
  const keyMode = modeOfProviderKey(apiKey);
  if (keyMode !== undefined && keyMode !== mode) throw wrongMode(mode, title);
}

const wrongMode = (mode: Mode, title: string) =>
  new ConnectionError(
    mode === 'live'
      ? `This is a test key of ${title}. Live mode needs a live key. Use it in test mode, or enter a live key.`
      : `This is a live key of ${title}, which moves real money. Test mode needs a test key. Use it in live mode, or enter a test key.`,
    'apiKey',
  );

/** Payments belong to the account that received them, so another account could not refund them. */
function requireSameMerchant(title: string, current: Merchant | undefined, next: Merchant): void {
  const [before, after] = [current?.accountReference, next.accountReference];
  if (before === undefined || after === undefined || before === after) return;
  throw new ConnectionError(
    `This key belongs to the account ${after} at ${title}, but the connection is with ${before}, which received the earlier payments. Enter a key of ${before}, or use another account of Remit for ${after}.`,
    'apiKey',
  );
}

/** Returns what is known of the merchant: the account of the new key, or the present one if the new key cannot read its account. */
function knownMerchant(current: Merchant | undefined, next: Merchant): Merchant {
  const { accountName, accountReference, accountCountry } =
    next.accountReference === undefined ? (current ?? next) : next;
  return { accountName, accountReference, accountCountry };
}

/** Returns the merchant's account. @throws ConnectionError if the provider does not accept the credentials */
async function checkCredentials(
  mode: Mode,
  name: HostedProviderName,
  credentials: ProviderCredentials,
): Promise<Merchant> {
  const { title } = providerFacts[name];
  const checked = await hostedProviderFor(name, credentials)
    .check()
    .catch((error) => {
      throw new ConnectionError(explainFailure(name, error));
    });
  if (checked.kind === 'refused') throw new ConnectionError(checked.message, 'apiKey');
  if (checked.isLive !== (mode === 'live')) throw wrongMode(mode, title);
  const { accountName, accountReference, accountCountry } = checked;
  return { accountName, accountReference, accountCountry };
}

/** @throws `error` if it is not about the call */
function explainFailure(name: HostedProviderName, error: unknown): string {
  if (!(error instanceof ProviderCallError)) throw error;
  const { title } = providerFacts[name];
  const status = error.status === undefined ? '' : ` (HTTP status ${error.status})`;
  return `${title} could not be asked about the credentials${status}. Nothing was changed. Check the status of ${title}, and try again.`;
}
