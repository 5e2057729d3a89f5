/**
 * Type tests, which `npm run check` runs. Each `@ts-expect-error` fails the check if its line compiles: then a
 * change that a developer forgets in one place would no longer be found.
 */
import * as v from 'valibot';
import { endpoint } from '../../shared/api/http/endpoint.ts';
import type { FieldOf, RequireErrorCodes } from '../../shared/api/http/field-error-codes.ts';
import { createInvoice, getInvoice, listInvoices } from '../../shared/api/routes.ts';
import { type Clock, toRealTime } from '../../shared/base/clock.ts';
import { ApiError } from '../../shared/base/errors.ts';
import type { statuses } from '../../shared/base/statuses.ts';
import type { RealTime } from '../../shared/base/time.ts';
import { createInvoiceBody, type Invoice } from '../../shared/domain/invoices/invoice.ts';
import { Command } from '../../shared/store/commit/command.ts';
import { eraseText, type FieldErasures, keepValue, replaceWith } from '../../shared/store/field-erasure.ts';
import { type IndexStates, indexStates } from '../../shared/store/lists/index-states.ts';
import { defineNumberedType } from '../../shared/store/records.ts';

// A property that is added to a record must be stored.
type Stored<T extends Invoice> = Parameters<typeof defineNumberedType<T, 'paymentUrl'>>[1];
type InvoiceWithAddedField = Invoice & { readonly addedField: string };
declare const storedInvoice: Stored<Invoice>;
defineNumberedType<Invoice, 'paymentUrl'>('invoice', storedInvoice);
// @ts-expect-error `addedField` is not stored
defineNumberedType<InvoiceWithAddedField, 'paymentUrl'>('invoice', storedInvoice);

// An erasure must be decided for a field that is added to a record.
declare const invoiceErasures: FieldErasures<Invoice>;
export const erasures: FieldErasures<Invoice> = invoiceErasures;
// @ts-expect-error nobody decided what an erasure leaves of `addedField`
export const undecided: FieldErasures<InvoiceWithAddedField> = invoiceErasures;
interface WithObject {
  readonly dispute?: { readonly status: string; readonly reason: string | null } | undefined;
}
export const parts: FieldErasures<WithObject> = { dispute: { status: keepValue, reason: eraseText } };
export const whole: FieldErasures<WithObject> = { dispute: replaceWith(undefined) };
// @ts-expect-error nobody decided on the part `reason`
export const undecidedPart: FieldErasures<WithObject> = { dispute: { status: keepValue } };
// @ts-expect-error an object cannot be kept as a whole, because nobody would decide on the parts that are added to it
export const keptWhole: FieldErasures<WithObject> = { dispute: keepValue };

// A field that is added to a request must have an error code, and error codes are never any text.
const bodyWithAddedField = v.strictObject({
  ...createInvoiceBody.entries,
  addedField: v.optional(v.string()),
});
const bodyWithNestedField = v.strictObject({ added: v.nullish(v.strictObject({ holder: v.string() })) });
export type Known = RequireErrorCodes<FieldOf<typeof createInvoiceBody>>;
// @ts-expect-error `addedField` has no error code
export type Unknown = RequireErrorCodes<FieldOf<typeof bodyWithAddedField>>;
// @ts-expect-error neither `added` nor `added.holder` has an error code
export type UnknownNested = RequireErrorCodes<FieldOf<typeof bodyWithNestedField>>;
// @ts-expect-error a text is not an error code
new ApiError('invalid_added_field' as string);

// A status that is added to a resource must have an index state.
type StatusesWithDisputed = Omit<typeof statuses, 'invoice'> & {
  readonly invoice: readonly [...(typeof statuses)['invoice'], 'disputed'];
};
export const states: IndexStates = indexStates;
// @ts-expect-error `disputed` has no index state
export const statesWithDisputed: IndexStates<StatusesWithDisputed> = indexStates;

// The answer of a handler must have the shape of its route's response.
// @ts-expect-error not a list of invoices
endpoint(listInvoices, { handle: () => ({ nonsense: true }) });
// @ts-expect-error not an invoice
endpoint(getInvoice, { handle: async () => ({ id: 'inv_1' }) });
const nonsense = new Command([], () => ({ changes: [], answer: { nonsense: true } }));
// @ts-expect-error the command does not lead to an invoice
endpoint(createInvoice, { handle: () => nonsense });

// An instant of one clock is not one of the other.
declare const moment: Clock;
export const asReal: RealTime = toRealTime(moment, moment.account);
// @ts-expect-error the time of the account
export const notReal: RealTime = moment.account;
// @ts-expect-error the real time
toRealTime(moment, moment.real);
