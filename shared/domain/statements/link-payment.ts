/**
 * Creates the command by which a person says that a row of a statement is the money of a payment that people have recorded. No money is
 * counted again. One transaction writes the payment, its invoice and what came of the row, so the money of a row and a payment are used
 * once, also after a crash and beside another decision. If the payer has claimed this money, the payment confirms the claim. A void of the payment takes it from the row, as any payment of the row.
 */
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { Command, type Reservation } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { readInvoice } from '../invoices/invoice-store.ts';
import { showTransfer } from '../invoices/transitions.ts';
import { allowingDuplicate, reserveBankReference } from '../payments/bank-reference-store.ts';
import { type Payment, type ShownPayment, showPayment } from '../payments/payment.ts';
import { nextPaymentVersion, paymentChange } from '../payments/payment-changes.ts';
import { type DecidedRow, leftOf, type RowUse, useRow } from '../payments/row-use.ts';
import { isLinkable, isMoneyOf, transferOf } from '../payments/transfer.ts';
import { markAfter } from '../payments/waiting-row.ts';
import type { BankStatement, StatementRow } from './statement.ts';

/** A row, and the payment whose money it shows. */
export interface RowToLink {
  readonly statement: BankStatement;
  readonly row: StatementRow;
  readonly use: LoadedRecord<RowUse>;
  readonly payment: LoadedRecord<Payment>;
}

/**
 * Creates the command. Emits `payment.updated`. The reference of the row is reserved for the payment. One call. The command throws
 * `invalid_payment` if the row cannot be its money, `row_takes_money`, `row_already_matched`, or `reference_already_used` if another
 * payment has the reference of the row.
 * @param allowDuplicateReference it is other money than that payment
 */
export async function linkPaymentCommand(
  owner: Owner,
  { statement, row, use, payment }: RowToLink,
  allowDuplicateReference: boolean,
  clock: Clock,
): Promise<Command<[Payment, Invoice, RowUse], ShownPayment>> {
  const { id, reference } = { id: payment.id, reference: row.reference };
  const decided: DecidedRow = { id: row.id, statementId: statement.id, amount: row.amount };
  const shown = { day: row.day, transfer: transferOf(await tableHasher(), reference) };
  const [invoice, reserved] = await Promise.all([
    readInvoice(owner, payment.record?.invoiceId ?? ''),
    reference === undefined ? undefined : reserveBankReference(owner, statement.bank, reference, id),
  ]);
  let holder: string | undefined;
  let isDuplicate = false;
  const remembering = reserved && {
    ...reserved,
    refuse: (existing: Parameters<Reservation['refuse']>[0]) => {
      holder = String(existing.id);
      return reserved.refuse(existing);
    },
  };
  const decide = (
    present: Payment | undefined,
    presentInvoice: Invoice | undefined,
    presentUse: RowUse | undefined,
  ) => {
    const linked = requireLinkable(present, decided, presentUse, statement.currency);
    const { invoiceId, amount } = linked;
    // The payment itself can have the reference already. Then the item is that of the row from now on.
    const isOwn = holder === id;
    const takes = reserved && !isDuplicate && !presentUse?.payments.length;
    const open = presentInvoice && linked.claim === undefined ? openClaimOf(presentInvoice) : undefined;
    const claim = open && isMoneyOf(open, { ...row, amount }) ? open.id : undefined;
    const shownPart =
      presentInvoice &&
      showTransfer(
        presentInvoice,
        id,
        shown,
        claim === undefined ? undefined : { claimId: claim, now: clock.account },
      );
    const next: Payment = {
      ...nextPaymentVersion(linked, clock.account),
      statementRow: row.id,
      ...(claim !== undefined && shownPart && { claim }),
    };
    const used = useRow(
      presentUse,
      owner,
      decided,
      { paymentId: id, invoiceId, amount },
      takes ? reserved.hash : undefined,
    );
    return {
      changes: [
        paymentChange(next, { event: 'payment.updated', sameStatus: true }),
        shownPart,
        used,
      ] as const,
      answer: showPayment(next),
      reserves: takes && !isOwn && remembering ? [remembering] : [],
      auditedAs: statement.id,
      ...markAfter(used.record),
    };
  };
  const { resolveRefusal } = allowingDuplicate(allowDuplicateReference, () => {
    isDuplicate = true;
  });
  return new Command([payment, invoice, use], decide, {
    // The decision sees which payment has the reference, and decides again without the item if it is this one.
    resolveRefusal: async (refusal) => isTakenBy(refusal, holder, id) || (await resolveRefusal(refusal)),
  });
}

const isTakenBy = (refusal: unknown, holder: string | undefined, id: string): boolean =>
  refusal instanceof ApiError && refusal.code === 'reference_already_used' && holder === id;

/** @throws ApiError as `linkPaymentCommand` */
function requireLinkable(
  payment: Payment | undefined,
  row: DecidedRow,
  use: RowUse | undefined,
  currency: string,
): Payment {
  const refuse = (message: string) => new ApiError('invalid_payment', { field: 'paymentId', message });
  if (!payment)
    throw refuse(
      'The payment with this paymentId does not exist. Check the ID and the mode of your API key.',
    );
  if (payment.statementRow === row.id) {
    const message = `The row is matched with the payment ${payment.id} already.`;
    throw new ApiError('row_already_matched', { message });
  }
  if (payment.statementRow !== undefined)
    throw refuse(
      `The row ${payment.statementRow} shows the money of this payment. Choose another payment, or ignore this row if both are the same money.`,
    );
  if (payment.currency !== currency)
    throw refuse(
      `The payment is in ${payment.currency}, and the statement in ${currency}. Choose another payment.`,
    );
  if (!isLinkable(payment, currency))
    throw refuse(
      'Only a completed payment that you received outside Remit can be the money of a row. Choose another payment.',
    );
  const left = leftOf(use, row);
  if (payment.amount > left)
    throw refuse(
      `The payment is of ${payment.amount}, and ${left} of the money of the row is left. If the row shows what you received, void the payment and match the row with its invoice.`,
    );
  return payment;
}
