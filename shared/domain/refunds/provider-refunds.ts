/**
 * Records refunds that somebody made in the provider's own dashboard, so that payments, receipts and events count them.
 *
 * - Each refund is recorded once: the transaction also stores a name for the id at the provider.
 * - A refund of this service that failed here is recorded in the same way if the provider has returned its money after all.
 * - A pending refund is recorded when the provider has carried it out.
 */

import { realClock } from '../../base/clock.ts';
import { isRecordId } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { Command, internalChange, requireNew } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { type LoadedRecord, readRecord } from '../../store/records.ts';
import { allocateSequenceNumber } from '../../store/sequence-numbers.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import type { ProviderReferenceName } from '../payments/checkouts/checkout.ts';
import {
  newProviderReference,
  providerReferenceId,
  providerReferenceType,
} from '../payments/checkouts/record.ts';
import type { Payment } from '../payments/payment.ts';
import type { ListedRefund } from '../payments/provider/hosted-provider.ts';
import { paymentType } from '../payments/record.ts';
import type { HostedPayment } from './hosted-refunds.ts';
import { refundType } from './record.ts';
import type { Refund } from './refund.ts';
import { absentRefund, identifyRefund } from './refund-store.ts';
import { failProcessedRefund, recordProviderRefund } from './transitions.ts';

/**
 * Records the refunds of a payment that the provider made on its own, and fails those whose money has come back.
 * @param refunds all refunds of the payment at the provider
 * @returns whether all of them have an outcome
 */
export async function recordRefundsOfProvider(
  payment: HostedPayment,
  refunds: readonly ListedRefund[],
  now: Instant,
): Promise<boolean> {
  const areOthers = await Promise.all(refunds.map(({ key }) => isUnknown(payment, key)));
  const others = refunds.filter((_, index) => areOthers[index]);
  for (const refund of others) {
    const name = await readName(payment, refund);
    if (refund.outcome.kind === 'done' && !name.record) await record(payment, refund, name, now);
    if (refund.outcome.kind === 'refused' && name.record) await fail(payment, name.record, now);
  }
  return others.every(({ outcome }) => outcome.kind !== 'unknown');
}

/** Whether no refund of this service stands for a refund with this key: somebody else made it, or it failed here. */
async function isUnknown({ account, mode }: HostedPayment, key: string | undefined): Promise<boolean> {
  if (key === undefined || !isRecordId('refund', key)) return true;
  const { record: own } = await readRecord(refundType, { account, mode }, key);
  return own === undefined || own.status === 'failed';
}

/** A name leads from the id at the provider to the refund, as it does for payments. */
function readName(
  { account, mode, provider }: HostedPayment,
  { reference }: ListedRefund,
): Promise<LoadedRecord<ProviderReferenceName>> {
  const owner = { account, mode };
  return readRecord(providerReferenceType, owner, providerReferenceId(owner, provider, 'refund', reference));
}

async function record(
  { account, mode, id, invoiceId }: HostedPayment,
  refund: ListedRefund,
  name: LoadedRecord<ProviderReferenceName>,
  now: Instant,
): Promise<void> {
  const owner = { account, mode };
  const [payment, invoice, principal] = await Promise.all([
    readRecord(paymentType, owner, id),
    readRecord(invoiceType, owner, invoiceId),
    allocateSequenceNumber(owner, 'refund'),
  ]);
  const identity = identifyRefund(principal);
  const command = new Command<[Refund, Payment, Invoice, ProviderReferenceName]>(
    [absentRefund(identity), payment, invoice, name],
    (existing, presentPayment, presentInvoice, taken) => {
      requireNew(existing);
      if (!presentPayment || !presentInvoice) throw missing(id);
      if (presentPayment.invoiceId !== invoiceId)
        throw new Error(`The payment ${id} has just moved to the invoice ${presentPayment.invoiceId}.`);
      if (taken) return { changes: [undefined, undefined, undefined, undefined], answer: undefined };
      const changes = recordProviderRefund(identity, presentPayment, presentInvoice, refund, now);
      const named = internalChange(newProviderReference(owner, name.id, identity.id));
      return { changes: [...changes, named], answer: undefined };
    },
  );
  await commitInBackground(command, realClock(now));
}

/** The bank of the payer has returned the money of a refund that was processed. */
async function fail(
  { account, mode, id, invoiceId }: HostedPayment,
  { record: refundId }: ProviderReferenceName,
  now: Instant,
): Promise<void> {
  const owner = { account, mode };
  const [refund, payment, invoice] = await Promise.all([
    readRecord(refundType, owner, refundId),
    readRecord(paymentType, owner, id),
    readRecord(invoiceType, owner, invoiceId),
  ]);
  const command = new Command<[Refund, Payment, Invoice]>(
    [refund, payment, invoice],
    (present, presentPayment, presentInvoice) => {
      if (!present || !presentPayment || !presentInvoice) throw missing(id);
      const changes = failProcessedRefund(present, presentPayment, presentInvoice, 'refund_refused', now);
      return { changes, answer: undefined };
    },
  );
  await commitInBackground(command, realClock(now));
}

const missing = (paymentId: string) =>
  new Error(`The payment ${paymentId}, its invoice or its refund does not exist.`);
