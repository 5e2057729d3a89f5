/**
 * Implements the payment provider of test mode. It moves no money, and the test card determines each outcome.
 *
 * It stores its operations in the table. So what it has answered under a key stays true for all processes and after
 * every crash.
 */
import { isDeepStrictEqual } from 'node:util';
import { now } from '../../../base/time.ts';
import type { PaymentProvider, ProviderOutcome } from './provider.ts';
import { findTestCard, type TestCard } from './test-cards.ts';
import {
  type OperationRequest,
  type ProviderOperation,
  putOperation,
  putRefund,
  readOperation,
  settleOperation,
} from './test-provider-store.ts';

type RefundRequest = Extract<OperationRequest, { operation: 'refund' }>;

/** How long an outcome stays unknown, in milliseconds, for the test cards whose outcome is not known immediately. */
const settlingMs = 3_000;

const done: ProviderOutcome = { kind: 'done' };
const unknown: ProviderOutcome = { kind: 'unknown' };
const voided: ProviderOutcome = { kind: 'refused', code: 'processing_error' };
const refundRefused: ProviderOutcome = { kind: 'refused', code: 'refund_refused' };

/** In addition to the port's contract, calls throw if a key is used for a different request: a bug of the service. */
export const testProvider: PaymentProvider = {
  async capture({ key, amountMinor, currency, card }) {
    const request: OperationRequest = { operation: 'capture', amountMinor, currency };
    const testCard = findTestCard(card.number);
    const refunds = testCard?.refund ?? 'done';
    const stored = await putOperation({
      key,
      request,
      refunds,
      leftMinor: amountMinor,
      ...captureOutcome(testCard),
    });
    if (stored.request.operation !== 'void') requireSame(stored, request);
    return (await settleIfDue(stored)).outcome;
  },

  async refund({ key, captureKey, amountMinor }) {
    const request: OperationRequest = { operation: 'refund', amountMinor, captureKey };
    if (!(Number.isSafeInteger(amountMinor) && amountMinor > 0)) {
      throw new Error('The amount of a refund must be a positive integer.');
    }
    const capture = await readSettled(captureKey);
    const stored =
      (isRefundable(capture, amountMinor) && (await putGrantedRefund(key, request, capture))) ||
      (await putOperation({ key, request, outcome: refundRefused }));
    requireSame(stored, request);
    return (await settleIfDue(stored)).outcome;
  },

  async status(key) {
    const operation = await readSettled(key);
    return operation?.outcome ?? { kind: 'absent' };
  },

  async void(key) {
    const stored = await settleIfDue(
      await putOperation({ key, request: { operation: 'void' }, outcome: voided }),
    );
    if (stored.request.operation === 'refund') throw new Error(`${key} is a refund, which cannot be voided.`);
    if (stored.outcome.kind !== 'unknown') return stored.outcome;
    return (await settleOperation(stored, voided)).outcome;
  },
};

/** A card that is not a test card is declined. */
function captureOutcome(card: TestCard | undefined): Pick<ProviderOperation, 'outcome' | 'settlement'> {
  const result = card?.capture ?? 'card_declined';
  if (result === 'done') return { outcome: done };
  if (result === 'later') return { outcome: unknown, settlement: { at: now() + settlingMs, outcome: done } };
  return { outcome: { kind: 'refused', code: result } };
}

async function readSettled(key: string): Promise<ProviderOperation | undefined> {
  const operation = await readOperation(key);
  return operation && settleIfDue(operation);
}

/** Stores a final outcome that is due before it is returned. So a process with a slower clock cannot contradict it. */
async function settleIfDue(operation: ProviderOperation): Promise<ProviderOperation> {
  const { settlement } = operation;
  return settlement && settlement.at <= now() ? settleOperation(operation, settlement.outcome) : operation;
}

function isRefundable(
  capture: ProviderOperation | undefined,
  amountMinor: number,
): capture is ProviderOperation {
  return capture?.outcome.kind === 'done' && (capture.leftMinor ?? 0) >= amountMinor;
}

/**
 * Stores a refund that the capture allows. Returns undefined if the key is not new, or if less is left of the capture
 * now. A refund that will fail subtracts nothing from the capture.
 */
async function putGrantedRefund(
  key: string,
  request: RefundRequest,
  capture: ProviderOperation,
): Promise<ProviderOperation | undefined> {
  if (capture.refunds !== 'fails later') return putRefund({ key, request, outcome: done }, request);
  const settlement = { at: now() + settlingMs, outcome: refundRefused };
  return putOperation({ key, request, outcome: unknown, settlement });
}

function requireSame({ key, request: first }: ProviderOperation, request: OperationRequest): void {
  if (!isDeepStrictEqual(first, request)) {
    throw new Error(`${key} was used for a different ${first.operation}, not for this ${request.operation}.`);
  }
}
