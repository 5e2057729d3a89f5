/** Reads the seller profile of an account: one item for both modes. `seller-change-store.ts` writes it. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { count, defineItem } from '../../store/stored-fields.ts';
import type { OwnTax } from '../charges/own-taxes.ts';
import { showAddress } from '../parties/party.ts';
import type { Logo } from './logo.ts';
import type { Seller, Series } from './seller.ts';
import { toSeller } from './seller-item.ts';

const versionOf = defineItem<{ readonly version: number }>(({ pk }) => String(pk), { version: count });

/**
 * Reads the seller profile of an account, strongly consistent.
 * @returns undefined if the account has none
 * @throws MalformedItemError
 */
export async function readSeller(account: string): Promise<Seller | undefined> {
  return (await readSellerWithVersion(account))?.seller;
}

/** A profile as it was read, with what a change of it needs. */
export interface ReadSeller {
  readonly seller: Seller;
  readonly version: number;
  readonly item: Item;
}

/** Reads the profile for a change of it. @throws MalformedItemError */
export async function readSellerWithVersion(account: string): Promise<ReadSeller | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.seller(account), ConsistentRead: true }),
  );
  if (!item) return undefined;
  const { version } = versionOf(item);
  const { legalName, address, taxIds, timeZone, fiscalYearStart, series, ...texts } = toSeller(item);
  const {
    paymentDays,
    acceptPartial,
    writeOffPercent,
    defaultTax,
    taxes,
    terms,
    footer,
    signatory,
    color,
    logo,
  } = texts;
  const seller: Seller = {
    legalName,
    address: showAddress(address),
    taxIds: taxIds.map(({ type, value }) => ({ type, value })),
    timeZone,
    fiscalYearStart,
    series: {
      invoice: showSeries(series.invoice),
      creditNote: showSeries(series.creditNote),
      receipt: showSeries(series.receipt),
    },
    paymentDays,
    acceptPartial,
    writeOffPercent,
    defaultTax,
    taxes: taxes.map(showTax),
    terms,
    footer,
    signatory,
    color,
    logo: logo && showLogo(logo),
  };
  return { seller, version, item };
}

/** The table does not keep the order of the fields. */
const showLogo = ({ sha256, type, width, height }: Logo): Logo => ({ sha256, type, width, height });
const showTax = ({ code, name, rates }: OwnTax): OwnTax => ({
  code,
  name,
  rates: rates.map(({ from, percent }) => ({ from, percent })),
});
const showSeries = ({ prefix, digits, restart }: Series): Series => ({ prefix, digits, restart });
