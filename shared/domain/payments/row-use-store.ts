/** Defines how it is stored what came of a row of a bank statement, and reads it. */
import { isRecordId, type Owner } from '../../base/ids.ts';
import { tableKeys } from '../../store/keys.ts';
import { defineRecordType, fromItem, type Item, type LoadedRecord, readItem } from '../../store/records.ts';
import {
  arrayOf,
  instant,
  MalformedItemError,
  objectOf,
  optional,
  positive,
  text,
} from '../../store/stored-fields.ts';
import type { RowPayment, RowRefund, RowUse } from './row-use.ts';

export const rowUseType = defineRecordType<RowUse>({
  isId: (id) => isRecordId('statementRow', id),
  keyOf: tableKeys.rowUse,
  idIn: 'sk',
  attributes: {
    statementId: text,
    payments: arrayOf(objectOf<RowPayment>({ paymentId: text, invoiceId: text, amount: positive })),
    referenceHash: optional(text),
    refund: optional(objectOf<RowRefund>({ refundId: text, paymentId: text, createdAt: instant })),
  },
});

/** Reads what came of a row. One call, strongly consistent. @throws MalformedItemError */
export async function readRowUse(owner: Owner, id: string): Promise<LoadedRecord<RowUse>> {
  const item = rowUseType.isId(id) ? await readItem(tableKeys.rowUse(owner, id)) : undefined;
  return { type: rowUseType, owner, id, record: item && parseRowUse(owner, item) };
}

/** Returns what an item of an owner says of a row. Its key has the owner, so another one in it is a mistake. @throws MalformedItemError */
export function parseRowUse(owner: Owner, item: Item): RowUse {
  const use = fromItem(rowUseType, owner, item);
  if (!use) throw new MalformedItemError(String(item.sk), 'its attributes do not fit its key');
  return use;
}
