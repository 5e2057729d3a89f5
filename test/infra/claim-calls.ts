/** Makes the calls of the payment page that takes a claim of a payer, and of the functions that decide about it. */
import { expect } from '@jest/globals';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { claimFormOf } from '../support/claims.ts';
import type { TestTable } from '../support/table.ts';
import type { FunctionCallOptions, ObservedFunctions } from './observed-calls.ts';

interface ClaimDriver extends Pick<ObservedFunctions, 'request'> {
  readonly table: TestTable;
  /** Creates an invoice; returns its id. */
  readonly newInvoice: () => Promise<string>;
}

/** Runs all code paths: a claim that a payment confirms, one that is rejected, and those that are refused. */
export async function driveClaims({ request, table, newInvoice }: ClaimDriver): Promise<void> {
  const claim = async (id: string, fields = {}) => {
    const form = claimFormOf({ reference: id, ...fields });
    await request('functions/pay/submit.ts', 'POST', `/pay/${id}`, { id, form });
    const { claim: stored } = await request('functions/invoices/get.ts', 'GET', '/', {
      id,
      apiVersion: newestApiVersion,
    });
    return stored?.id as string;
  };
  const reject = (id: string, sent: string, call: FunctionCallOptions) =>
    request('functions/invoices/reject-claim.ts', 'POST', '/', {
      id,
      body: { claimId: sent, reason: 'No such transfer' },
      apiVersion: newestApiVersion,
      ...call,
    });
  const rejected = await newInvoice();
  await claim(rejected, { bank: '' });
  const first = await claim(rejected);
  for (const [key, statusCode] of [
    ['claim one', 200],
    ['claim two', 400],
  ] as const)
    expect(await reject(rejected, first, { idempotencyKey: key })).toMatchObject({ statusCode });
  const confirmed = await newInvoice();
  // The clock of the account was ahead when the invoice changed last.
  const item = await table.get(tableKeys.record(confirmed));
  await table.put({ ...item, updatedAt: Number(item?.updatedAt) + 3_600_000 });
  const body = { invoiceId: confirmed, method: 'offline', claim: await claim(confirmed) };
  const call = { body, apiVersion: newestApiVersion };
  expect(await request('functions/payments/create.ts', 'POST', '/', call)).toMatchObject({
    claim: body.claim,
  });
  // The money of another one is recorded already.
  const fields = {
    customerId: 'cust_1',
    amount: 2500,
    currency: 'USD',
    description: 'Tea',
    acceptPartial: true,
  };
  const { id: recorded } = await request('functions/invoices/create.ts', 'POST', '/', {
    body: fields,
    apiVersion: newestApiVersion,
  });
  const claimId = await claim(recorded);
  const { bank, reference } = claimFormOf({ reference: recorded });
  const paid = { invoiceId: recorded, method: 'offline', amount: 1, bank, reference };
  const part = { body: paid, apiVersion: newestApiVersion };
  const { id: paymentId } = await request('functions/payments/create.ts', 'POST', '/', part);
  const confirm = (idempotencyKey: string) =>
    request('functions/invoices/confirm-claim.ts', 'POST', '/', {
      id: recorded,
      body: { claimId, paymentId },
      apiVersion: newestApiVersion,
      idempotencyKey,
    });
  expect(await confirm('confirm one')).toMatchObject({ claim: { status: 'confirmed' } });
  expect(await confirm('confirm two')).toMatchObject({ statusCode: 400 });
}
