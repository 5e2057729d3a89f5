/** Reads the bodies of stored events and answers, as the first version of the API shows them. Random clients use that version. */

import { eventBodyIn, showIn } from '../../shared/domain/versions/convert.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { fromStoredText } from '../../shared/store/stored-text.ts';
import type { TestItem } from './table.ts';

/** Returns the text of a stored event. */
export const eventTextOf = ({ body }: TestItem): string => eventBodyIn(firstApiVersion, fromStoredText(body));

const resources = { inv: 'invoices', pay: 'payments', ref: 'refunds' } as const;

/** Returns the text of the answer in an idempotency record. */
export function answerTextOf({ body }: TestItem): string {
  const text = fromStoredText(body);
  const answer = JSON.parse(text);
  const [prefix] = String(answer.id).split('_');
  const resource = resources[prefix as keyof typeof resources];
  return resource ? JSON.stringify(showIn(firstApiVersion, resource, answer)) : text;
}
