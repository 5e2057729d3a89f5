/**
 * Creates the command by which a row of a statement pays an invoice. One transaction writes the payment, the invoice and what came of the
 * row. So the money of a row is used once, also after a crash and beside another decision. If the payer has claimed this money, the payment
 * confirms the claim.
 */
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { Principal } from '../../store/account-state.ts';
import { Command, requireNew } from '../../store/commit/command.ts';
import type { LoadedRecord } from '../../store/records.ts';
import { openClaimOf } from '../invoices/claim.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { allowingDuplicate, reserveBankReference } from '../payments/bank-reference-store.ts';
import { creditItems } from '../payments/credit-store.ts';
import { type Payment, type ShownPayment, showPayment } from '../payments/payment.ts';
import { absentPayment, identifyPayment } from '../payments/payment-store.ts';
import { amountOfRow, type DecidedRow, type RowUse, useRow } from '../payments/row-use.ts';
import { isMoneyOf, isRecorded, transferOf } from '../payments/transfer.ts';
import { recordOffline } from '../payments/transitions.ts';
import { markAfter } from '../payments/waiting-row.ts';
import type { Settlement } from '../payments/write-off.ts';
import type { BankStatement, StatementRow } from './statement.ts';

/** A row that pays an invoice, with the records that this changes. */
export interface RowToPay {
  readonly statement: BankStatement;
  readonly row: StatementRow;
  readonly use: LoadedRecord<RowUse>;
  readonly invoice: LoadedRecord<Invoice>;
}

/** What a person decides about a payment of a row. */
export interface RowDecision {
  /** In the smallest unit of the currency. Undefined: all that is left of the money of the row. */
  readonly amount?: number | undefined;
  readonly settle?: Settlement | undefined;
  /** It is other money, although another payment has this reference of this bank. */
  readonly allowDuplicateReference?: boolean | undefined;
  /** What is more than is due is kept as `amountOver`. */
  readonly acceptOver?: boolean | undefined;
  /** The row pays by itself: only if nobody has decided about it, and nobody has recorded a payment that can be the same money. */
  readonly isUndecided?: true;
}

/**
 * Creates the command. It throws the errors of `amountOfRow` and `recordOffline`, `reference_already_used` if a payment outside of
 * statements has the reference of the row, and `invalid_invoice` if the invoice does not exist or has another currency.
 * @param principal with the sequence number of the payment
 */
export async function payRowCommand(
  principal: Pick<Principal, 'owner' | 'idKeys' | 'seq' | 'seller'>,
  { statement, row, use, invoice }: RowToPay,
  { amount: sent, settle, allowDuplicateReference, acceptOver, isUndecided }: RowDecision,
  clock: Clock,
): Promise<Command<[Payment, Invoice, RowUse], ShownPayment>> {
  const { owner } = principal;
  const identity = identifyPayment(principal);
  const { bank, currency } = statement;
  const { day, reference } = row;
  const decided: DecidedRow = { id: row.id, statementId: statement.id, amount: row.amount };
  let reserved =
    reference === undefined ? undefined : await reserveBankReference(owner, bank, reference, identity.id);
  const transfer = transferOf(await tableHasher(), reference);
  const decide = (
    existing: Payment | undefined,
    presentInvoice: Invoice | undefined,
    presentUse: RowUse | undefined,
  ) => {
    requireNew(existing);
    const present = requireInvoiceOf(presentInvoice, currency);
    // Somebody can have decided, ignored the row or recorded the money since they were read. So can a row of another statement.
    if (isUndecided && (presentUse || isRecorded(present.parts, { ...row, transfer })))
      throw new ApiError('row_already_matched');
    const amount = amountOfRow(presentUse, decided, present.id, sent);
    const details = {
      amount,
      reference: reference ?? null,
      receivedOn: day,
      bank,
      settle,
      acceptOver,
      statementRow: row.id,
      transfer,
      claim: claimOf(present, { ...row, amount })?.id,
    };
    const { writeOffPercent } = principal.seller ?? {};
    const changes = recordOffline(identity, present, details, clock.account, writeOffPercent);
    const payment = { paymentId: identity.id, invoiceId: present.id, amount };
    // The first payment of a row reserves its reference. It names the row, so the others are other money of the same row.
    const reserves = presentUse?.payments.length || !reserved ? [] : [reserved];
    const used = useRow(presentUse, owner, decided, payment, reserves[0]?.hash);
    const ofCredit = creditItems([existing], [changes[0]]);
    const ofMark = isUndecided ? {} : markAfter(used.record);
    return {
      changes: [...changes, used] as const,
      answer: showPayment(changes[0].record),
      reserves,
      auditedAs: statement.id,
      // A row that pays by itself has a mark only if another statement has it, too. The worker looks for it afterwards.
      puts: [...ofCredit.puts, ...(ofMark.puts ?? [])],
      deletes: ofMark.deletes ?? [],
    };
  };
  return new Command(
    [absentPayment(identity), invoice, use],
    decide,
    allowingDuplicate(allowDuplicateReference === true, () => {
      reserved = undefined;
    }),
  );
}

/** Returns the open claim of an invoice that is of the same money as a payment of a row, so that it is not counted again. */
function claimOf(invoice: Invoice, money: Parameters<typeof isMoneyOf>[1]) {
  const claim = openClaimOf(invoice);
  return claim && isMoneyOf(claim, money) ? claim : undefined;
}

function requireInvoiceOf(invoice: Invoice | undefined, currency: string): Invoice {
  const refuse = (message: string) => new ApiError('invalid_invoice', { field: 'invoiceId', message });
  if (!invoice)
    throw refuse(
      'The invoice with this invoiceId does not exist. Check the ID and the mode of your API key.',
    );
  if (invoice.currency !== currency)
    throw refuse(
      `The invoice is in ${invoice.currency}, and the statement in ${currency}. Choose another invoice.`,
    );
  return invoice;
}
