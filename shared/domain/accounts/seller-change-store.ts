/**
 * Changes the seller profile of an account: one item for both modes. Its summary is a part of both account states, so requests
 * know it without another read.
 *
 * - The profile changes only in the version that was read.
 * - It decides the time zone of the account. The transaction that changes the one changes the other.
 * - A logo is stored after all checks, and before the profile names it. What an interrupted change leaves is stored again, or deleted with the account.
 * - The summaries follow the profile, because no transaction writes an account state. A change that finds nothing to change writes
 *   them again. So an interrupted change is completed by its repetition.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type AuditOrigin, changedSettings, type SettingValues } from '../../base/audit-origin.ts';
import { realClock } from '../../base/clock.ts';
import { env } from '../../base/env.ts';
import { modes, type Owner } from '../../base/ids.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { now } from '../../base/time.ts';
import { accountStateAttributes, type StoredSeller } from '../../store/account-state.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { textsOfTaxes } from '../charges/own-taxes.ts';
import { gstCodeOf } from '../parties/indian-states.ts';
import type { Account } from './account.ts';
import { readAccount } from './account-store.ts';
import { changedLogo } from './logo-change.ts';
import { storeLogo } from './logo-store.ts';
import { type Seller, type SellerChange, seriesKinds } from './seller.ts';
import { changedSeller } from './seller-rules.ts';
import { type ReadSeller, readSellerWithVersion } from './seller-store.ts';
import { requireOwnNumbers, type SeriesStart, seriesStartsOf } from './series-start-store.ts';

/** How often a change is tried that other changes overtake. */
const maxAttempts = 10;

/** Who changes a seller profile, and what they have seen. */
interface SellerOptions {
  /** Undefined: the audit log does not record the change. */
  readonly origin?: AuditOrigin | undefined;
  /** Throws if the change must not be made to this profile. Undefined: the account has none. */
  readonly require?: (current: Seller | undefined) => void;
  /** The mode whose numbers the `next` of a series sets. Default: live mode, now. */
  readonly start?: SeriesStart;
}

/**
 * Changes the seller profile of an account, with the entry in the audit log of both modes.
 * @returns the profile after the change. Undefined, with nothing changed, if no account has this id.
 * @throws ApiError `invalid_seller` if the changed profile would not be valid
 * @throws Error if other writers change the profile ten times in between, or what `require` throws
 */
export async function changeSeller(
  account: string,
  change: SellerChange,
  {
    origin,
    require,
    start = { owner: { account, mode: 'live' }, at: realClock(now()).account },
  }: SellerOptions = {},
): Promise<Seller | undefined> {
  const owners = modes.map((mode) => ({ account, mode }));
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [current, profile] = await Promise.all([readSellerWithVersion(account), readAccount(account)]);
    if (!profile) return undefined;
    require?.(current?.seller);
    const seller = changedSeller(current?.seller, change, profile.timeZone);
    await requireOwnNumbers(current?.seller, seller, start);
    const starts = await seriesStartsOf(change, seller, start);
    // Also if the profile names it already. So the logo is there again if the bucket has lost it.
    await storeNewLogo(account, current?.seller, change);
    const changes = [
      ...changedSettings(current && settingsOf(current.seller), settingsOf(seller)),
      ...starts.changes,
    ];
    const version = current?.version ?? 0;
    if (current && changes.length === 0) {
      await writeSummaries(owners, seller, version);
      return seller;
    }
    const entries = entryActions(owners, origin, { resource: account, changes, at: now() });
    const { written } = await writeTransaction([
      replaceProfile(account, current, seller),
      ...timeZoneActions(profile, seller),
      ...starts.actions,
      ...entries,
    ]);
    if (!written) continue;
    await writeSummaries(owners, seller, version + 1);
    return seller;
  }
  throw new Error(`Other writers change the seller profile of ${account} at the same time. Try again.`);
}

async function storeNewLogo(
  account: string,
  current: Seller | undefined,
  { logo }: SellerChange,
): Promise<void> {
  const changed = changedLogo(current?.logo, logo);
  if ('bytes' in changed && changed.logo) await storeLogo(account, changed.logo, changed.bytes);
}

/** Keeps attributes that only another release knows. */
function replaceProfile(account: string, current: ReadSeller | undefined, seller: Seller) {
  const Item = {
    ...current?.item,
    ...seller,
    ...tableKeys.seller(account),
    version: (current?.version ?? 0) + 1,
  };
  const unchanged = current
    ? {
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': current.version },
      }
    : { ConditionExpression: 'attribute_not_exists(pk)' };
  return { Put: { TableName: env.tableName(), Item, ...unchanged } };
}

/** Returns the action that gives the account the time zone of its seller. None: it has it. */
function timeZoneActions(account: Account, { timeZone }: Seller): readonly TransactionItem[] {
  if (account.hasSeller && account.timeZone === timeZone) return [];
  return [
    {
      Update: {
        TableName: env.tableName(),
        Key: tableKeys.account(account.accountId),
        UpdateExpression: 'SET #timeZone = :timeZone, hasSeller = :true',
        // A new profile without a time zone takes that of the account.
        ConditionExpression:
          account.timeZone === undefined ? 'attribute_not_exists(#timeZone)' : '#timeZone = :old',
        ExpressionAttributeNames: { '#timeZone': 'timeZone' },
        ExpressionAttributeValues: {
          ':timeZone': timeZone,
          ':true': true,
          ...(account.timeZone !== undefined && { ':old': account.timeZone }),
        },
      },
    },
  ];
}

/** The fields of a profile as the audit log names them. */
function settingsOf({ address, taxIds, taxes, logo, series, ...fields }: Seller): SettingValues {
  const { line1, line2, city, state, postalCode, country } = address;
  const flat = {
    ...fields,
    address: [line1, line2, city, state, postalCode, country].filter((each) => each !== null),
    taxIds: taxIds.map(({ type, value }) => `${type} ${value}`),
    taxes: textsOfTaxes(taxes),
    logo: logo?.sha256 ?? null,
    ...Object.fromEntries(
      seriesKinds.flatMap((kind): [string, string | number][] => [
        [`series.${kind}.prefix`, series[kind].prefix],
        [`series.${kind}.digits`, series[kind].digits],
        [`series.${kind}.restart`, series[kind].restart],
      ]),
    ),
  };
  return Object.fromEntries(Object.entries(flat).map(([name, value]) => [`seller.${name}`, value]));
}

function writeSummaries(owners: readonly Owner[], seller: Seller, version: number): Promise<unknown> {
  const state = gstCodeOf(seller.address);
  const summary: StoredSeller = {
    c: seller.address.country ?? '',
    ...(state !== undefined && { s: state }),
    z: seller.timeZone,
    ...(seller.paymentDays !== null && { d: seller.paymentDays }),
    ...(seller.acceptPartial && { p: true }),
    ...(seller.writeOffPercent > 0 && { w: seller.writeOffPercent }),
    ...(seller.defaultTax !== null && { x: seller.defaultTax }),
    v: version,
  };
  return throwAfterAllSettled(owners.map((owner) => writeSummary(owner, summary)));
}

/** A newer summary stays: then another change has made the profile newer. */
async function writeSummary(owner: Owner, summary: StoredSeller): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        UpdateExpression: 'SET #seller = :summary',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(#seller) OR #seller.v <= :version)',
        ExpressionAttributeNames: { '#seller': accountStateAttributes.seller },
        ExpressionAttributeValues: { ':summary': summary, ':version': summary.v },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
