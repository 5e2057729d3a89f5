/**
 * The provider of test mode: moves no money, and answers as the table of test cards says. It keeps books of its own,
 * so that what it promised under a key holds for every process and after every crash.
 */
import { isDeepStrictEqual } from 'node:util';
import { now } from '../time.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { type TestCard, testCardOf } from './test-cards.ts';
import {
  type Asked,
  type Deed,
  enterDeed,
  enterRefund,
  readDeed,
  settleDeed,
} from './test-provider-store.ts';

type RefundAsked = Extract<Asked, { deed: 'refund' }>;

/** How long an outcome stays unknown, with the test cards that have it so. */
const settlingMs = 3_000;

const done: Outcome = { kind: 'done' };
const unknown: Outcome = { kind: 'unknown' };
const voided: Outcome = { kind: 'refused', code: 'processing_error' };
const refundRefused: Outcome = { kind: 'refused', code: 'refund_refused' };

/** Besides what the port says, its calls throw if a key is used for something else than before: a bug of ours. */
export const testProvider: PaymentProvider = {
  async capture({ key, amountMinor, currency, card }) {
    const asked: Asked = { deed: 'capture', amountMinor, currency };
    const testCard = testCardOf(card.number);
    const refunds = testCard?.refund ?? 'done';
    const entered = await enterDeed({ key, asked, refunds, leftMinor: amountMinor, ...captured(testCard) });
    if (entered.asked.deed !== 'void') requireSame(entered, asked);
    return (await present(entered)).outcome;
  },

  async refund({ key, captureKey, amountMinor }) {
    const asked: Asked = { deed: 'refund', amountMinor, captureKey };
    if (!(Number.isSafeInteger(amountMinor) && amountMinor > 0)) throw new Error('Not an amount.');
    const capture = await presentOf(captureKey);
    const entered =
      (isRefundable(capture, amountMinor) && (await enterGranted(key, asked, capture))) ||
      (await enterDeed({ key, asked, outcome: refundRefused }));
    requireSame(entered, asked);
    return (await present(entered)).outcome;
  },

  async status(key) {
    const deed = await presentOf(key);
    return deed?.outcome ?? { kind: 'absent' };
  },

  async void(key) {
    const entered = await present(await enterDeed({ key, asked: { deed: 'void' }, outcome: voided }));
    if (entered.asked.deed === 'refund') throw new Error(`${key} is a refund, which cannot be voided.`);
    if (entered.outcome.kind !== 'unknown') return entered.outcome;
    return (await settleDeed(entered, voided)).outcome;
  },
};

/** A number that is no test card's is declined. */
function captured(card: TestCard | undefined): Pick<Deed, 'outcome' | 'settlement'> {
  const fate = card?.capture ?? 'card_declined';
  if (fate === 'done') return { outcome: done };
  if (fate === 'later') return { outcome: unknown, settlement: { at: now() + settlingMs, outcome: done } };
  return { outcome: { kind: 'refused', code: fate } };
}

async function presentOf(key: string): Promise<Deed | undefined> {
  const deed = await readDeed(key);
  return deed && present(deed);
}

/** The deed as it stands now. An outcome that is due is entered before it is told: no other clock may undo it. */
async function present(deed: Deed): Promise<Deed> {
  const { settlement } = deed;
  return settlement && settlement.at <= now() ? settleDeed(deed, settlement.outcome) : deed;
}

function isRefundable(capture: Deed | undefined, amountMinor: number): capture is Deed {
  return capture?.outcome.kind === 'done' && (capture.leftMinor ?? 0) >= amountMinor;
}

/** Undefined if the key is not new, or the capture has less left by now. A refund that will fail takes nothing from it. */
async function enterGranted(key: string, asked: RefundAsked, capture: Deed): Promise<Deed | undefined> {
  if (capture.refunds !== 'fails later') return enterRefund({ key, asked, outcome: done }, asked);
  const settlement = { at: now() + settlingMs, outcome: refundRefused };
  return enterDeed({ key, asked, outcome: unknown, settlement });
}

function requireSame({ key, asked: before }: Deed, asked: Asked): void {
  if (!isDeepStrictEqual(before, asked)) {
    throw new Error(`${key} was used for another ${before.deed} or ${asked.deed} before.`);
  }
}
