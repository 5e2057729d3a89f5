/** Finds the invoice that a user names in the form of a row: by its ID, number, payment reference or own reference. */

import { validate } from '../../../api/http/validate.ts';
import { invoiceType } from '../../../domain/invoices/record.ts';
import { searchQuery } from '../../../domain/search/search.ts';
import { lookUp, readResults } from '../../../domain/search/search-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import { FieldsError, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest } from '../definitions.ts';
import { rowTexts } from './bank-statement-texts.ts';

/** What names an invoice alone. Names and amounts do not. */
const naming: readonly string[] = ['id', 'number', 'payment_reference', 'reference'];

/** Returns the id of the invoice. An id is returned as it is. @throws FieldsError if none or several have the text */
export async function findNamedInvoice(request: ActionRequest, text: string): Promise<string> {
  if (invoiceType.isId(text)) return text;
  const sent = validate(searchQuery, { q: text });
  if (!sent.ok) throw new FieldsError({ invoice: rowTexts.notFound });
  const owner = requestOwnerOf(request);
  const [{ principal }, found] = await Promise.all([
    readAccountUsage(owner, request.context.now),
    lookUp(owner, sent.output.q),
  ]);
  const { data } = await readResults(principal, found, ['invoice']);
  const [one, other] = data.filter(({ matchedBy }) => naming.includes(matchedBy));
  if (!one || other) throw new FieldsError({ invoice: one ? rowTexts.several : rowTexts.notFound });
  return one.id;
}
