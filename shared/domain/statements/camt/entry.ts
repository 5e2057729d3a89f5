/**
 * Reads the rows of one entry (`Ntry`) of a camt.053 file. Pure.
 *
 * - An entry with several transactions (`TxDtls`) is a batch. Its transactions are the rows if all of them have amounts, and these add up
 *   to the entry. Otherwise the entry is one row, and a person decides about it.
 * - `CdtDbtInd` says where the money of the entry went, also of a reversal: a reversal of a debit is a credit.
 * - `NtryRef` is never the reference of a row. Banks number the entries of a file with it, so two files can have the same one.
 */
import { isPlainDate, parseDueDate } from '../../../base/due-date.ts';
import type { Currency } from '../../../base/money.ts';
import { isPlainText } from '../../../base/text.ts';
import { readAmount } from '../csv/cells.ts';
import type { NewRow } from '../statement.ts';
import { nodesAt, type XmlNode, xmlTextAt, xmlTextsAt } from './xml-node.ts';

const maxLengths = { reference: 255, text: 500, name: 200 } as const;

/**
 * Returns the rows of an entry, none if it is not booked, or what is wrong with it.
 * @param position that of the entry in the file, from 1
 */
export function rowsOfEntry(entry: XmlNode, position: number, currency: Currency): NewRow[] | string {
  const at = `Entry ${position}:`;
  // Up to version .07 the status is a text, and from .08 on a code in an element.
  const status = xmlTextAt(entry, 'Sts', 'Cd') ?? xmlTextAt(entry, 'Sts');
  if (status !== 'BOOK') return [];
  const other = xmlTextAt(entry, 'Amt', '@Ccy');
  if (other !== currency)
    return `${at} the currency is ${other ?? 'missing'}, and the statement is imported in ${currency}. Import each currency alone.`;
  const amount = amountIn(xmlTextAt(entry, 'Amt'));
  if (amount === undefined)
    return `${at} ${xmlTextAt(entry, 'Amt') ?? 'the amount'} is not an amount with at most two decimal places. Correct it.`;
  if (amount === 0) return [];
  const direction = xmlTextAt(entry, 'CdtDbtInd');
  if (direction !== 'CRDT' && direction !== 'DBIT')
    return `${at} CdtDbtInd must be CRDT or DBIT. Download the statement from your bank again.`;
  const day = dayOf(entry);
  if (day === undefined)
    return `${at} the day is missing, or does not exist. Correct BookgDt, such as 2026-03-31.`;
  const isOut = direction === 'DBIT';
  const rows = partsOf(entry, amount, currency).map((part) => ({
    day,
    amount: isOut ? -part.amount : part.amount,
    ...textsOf(entry, part, isOut),
  }));
  const wrong = rows.flatMap(problemOf)[0];
  return wrong === undefined ? rows : `${at} ${wrong}`;
}

/** A part of an entry that is a row, with its transaction if one is known. */
interface Part {
  readonly amount: number;
  readonly transaction?: XmlNode | undefined;
  /** The references of the batch. Undefined: the part is the whole entry. */
  readonly shared?: ReadonlySet<string> | undefined;
}

function partsOf(entry: XmlNode, amount: number, currency: Currency): Part[] {
  const batch = nodesAt(entry, 'NtryDtls', 'TxDtls');
  if (batch.length <= 1) return [{ amount, transaction: batch[0] }];
  const entryDirection = xmlTextAt(entry, 'CdtDbtInd');
  const amounts = batch.map((transaction) => {
    // Up to version .02 the amount of a transaction is only in its details.
    const holder = [transaction, ...nodesAt(transaction, 'AmtDtls', 'TxAmt')].find(
      (each) => xmlTextAt(each, 'Amt') !== undefined,
    );
    const isSame =
      holder !== undefined &&
      xmlTextAt(holder, 'Amt', '@Ccy') === currency &&
      (xmlTextAt(transaction, 'CdtDbtInd') ?? entryDirection) === entryDirection;
    return isSame ? amountIn(xmlTextAt(holder, 'Amt')) : undefined;
  });
  const sum = amounts.reduce<number>((total, each) => total + (each || Number.NaN), 0);
  if (sum !== amount) return [{ amount }];
  const shared = sharedReferences(entry, batch);
  return batch.map((transaction, index) => ({ amount: amounts[index] ?? 0, transaction, shared }));
}

/** Reads a decimal number of XML. Zeros after the hundredths say nothing. Undefined: it is no amount. */
function amountIn(text: string | undefined): number | undefined {
  const [, whole = '', fraction = ''] = /^\+?(\d*)(?:\.(\d*))?$/.exec(text ?? '') ?? [];
  if (whole + fraction === '') return undefined;
  return readAmount(`${whole || '0'}.${fraction.replace(/0+$/, '')}`, '.');
}

/** The day of the booking, or the value date of an entry without one. A time has its day as the bank wrote it. */
function dayOf(entry: XmlNode): string | undefined {
  const text = ['BookgDt', 'ValDt']
    .flatMap((name) => [xmlTextAt(entry, name, 'Dt'), xmlTextAt(entry, name, 'DtTm')])
    .find((each) => each !== undefined);
  const day = text?.slice(0, 10) ?? '';
  return isPlainDate(day) && parseDueDate(day) !== undefined ? day : undefined;
}

type RowTexts = Pick<NewRow, 'reference' | 'text' | 'name'>;

function textsOf(entry: XmlNode, part: Part, isOut: boolean): RowTexts {
  const { transaction, shared } = part;
  const reference = referenceOf(entry, part);
  const name = transaction && nameOf(transaction, isOut);
  const own = transaction ? remittanceOf(transaction) : [];
  const text = joinWhole(
    own.length > 0 && shared ? own : [...own, ...xmlTextsAt(entry, 'AddtlNtryInf')],
    maxLengths.text,
  );
  return { ...(reference && { reference }), ...(text !== '' && { text }), ...(name && { name }) };
}

const referenceNames = ['AcctSvcrRef', 'TxId', 'UETR', 'ChqNb'] as const;

const referencesOf = (transaction: XmlNode): string[] => [
  ...new Set(referenceNames.flatMap((name) => xmlTextAt(transaction, 'Refs', name) ?? [])),
];

/**
 * Returns the numbers of a batch: those that the entry or several transfers have. A reference pays once, so it is none of a transfer.
 */
function sharedReferences(entry: XmlNode, batch: readonly XmlNode[]): ReadonlySet<string> {
  const seen = new Set([xmlTextAt(entry, 'AcctSvcrRef') ?? '']);
  const shared = new Set(seen);
  for (const text of batch.flatMap(referencesOf)) (seen.has(text) ? shared : seen).add(text);
  return shared;
}

/** Returns the number that the bank gave to a transfer. */
function referenceOf(entry: XmlNode, { transaction, shared }: Part): string | undefined {
  const own = transaction ? referencesOf(transaction).find((text) => !shared?.has(text)) : undefined;
  return own ?? (shared ? undefined : xmlTextAt(entry, 'AcctSvcrRef'));
}

/** Returns what the payer wrote, the most telling first. `NOTPROVIDED` fills an element that must not be missing. */
function remittanceOf(transaction: XmlNode): string[] {
  const texts = [
    ...xmlTextsAt(transaction, 'RmtInf', 'Ustrd'),
    ...xmlTextsAt(transaction, 'RmtInf', 'Strd', 'CdtrRefInf', 'Ref'),
    ...xmlTextsAt(transaction, 'Refs', 'EndToEndId'),
    ...xmlTextsAt(transaction, 'AddtlTxInf'),
  ];
  return [...new Set(texts)].filter((text) => text !== 'NOTPROVIDED');
}

/** The other side: who paid, or who was paid. From version .08 on, a party is in `Pty`. */
function nameOf(transaction: XmlNode, isOut: boolean): string | undefined {
  const parties = isOut ? ['Cdtr', 'UltmtCdtr'] : ['Dbtr', 'UltmtDbtr'];
  return parties
    .flatMap((party) => [
      xmlTextAt(transaction, 'RltdPties', party, 'Pty', 'Nm'),
      xmlTextAt(transaction, 'RltdPties', party, 'Nm'),
    ])
    .find((text) => text !== undefined);
}

/** Joins texts as long as they fit whole, so no payment reference is cut. */
function joinWhole(texts: readonly string[], max: number): string {
  return texts.reduce((joined, text) => {
    const longer = joined === '' ? text : `${joined} ${text}`;
    return longer.length <= max ? longer : joined;
  }, '');
}

function problemOf(row: RowTexts): string[] {
  return (Object.keys(maxLengths) as (keyof typeof maxLengths)[]).flatMap((field) => {
    const value = row[field];
    if (value == null || isPlainText(value, maxLengths[field])) return [];
    return `the ${field} is longer than ${maxLengths[field]} characters, or has characters that cannot be stored. Shorten it.`;
  });
}
