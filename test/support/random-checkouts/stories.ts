/**
 * Makes up the stories of checkouts: what a payer, a merchant, a bank and a provider do, and when. A story depends only on its
 * seed and its number. The times are those of the test's clock.
 */
import type {
  DoubleBehavior,
  PayerAction,
} from '../../../infra/local/provider-doubles/common/provider-double.ts';
import type { HostedProviderName } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { type Random, seededRandom } from '../seeded-random.ts';

export const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

/** What somebody does. `share` is of the amount of the payment. */
export type Act =
  /** A payer opens the page of the invoice, and presses the pay button in some tabs. */
  | { readonly does: 'press'; readonly tabs: number }
  /** The payer pays on the page of the provider. */
  | { readonly does: 'pay'; readonly action: PayerAction; readonly behavior: Partial<DoubleBehavior> }
  /** The payer opens the page of the provider in a browser, pays there, and returns. */
  | { readonly does: 'pay on page'; readonly separator: '&' | '?' }
  | { readonly does: 'bank decides'; readonly outcome: 'succeeded' | 'failed' }
  | { readonly does: 'cancel' | 'change' | 'offline'; readonly force: boolean }
  | { readonly does: 'refund' | 'refund at provider'; readonly share: number }
  | { readonly does: 'dispute'; readonly kind: 'dispute' | 'inquiry' }
  | { readonly does: 'close dispute'; readonly outcome: 'won' | 'lost' | 'closed' }
  | { readonly does: 'resolve'; readonly action: 'accept' | 'refund' };

export interface Step {
  /** In milliseconds after the begin of the run. */
  readonly atMs: number;
  readonly act: Act;
}

export interface Story {
  readonly number: number;
  readonly provider: HostedProviderName;
  readonly amountMinor: number;
  readonly steps: readonly Step[];
}

/** All stories begin within this time, in milliseconds. */
const beginsWithinMs = 6 * hourMs;

/** Makes up a story. */
export function tellStory(seed: number, number: number): Story {
  const random = seededRandom(seed, 'story', number);
  const provider = random.chance(0.5) ? 'stripe' : 'razorpay';
  const beginsAt = random.integer(0, beginsWithinMs);
  const steps: Step[] = [...visit(random, provider, beginsAt)];
  if (random.chance(0.5)) steps.push(...visit(random, provider, beginsAt + random.integer(2, 40) * hourMs));
  if (random.chance(0.35)) steps.push(merchantStep(random, beginsAt));
  if (random.chance(0.3)) steps.push(refundStep(random, 'refund', beginsAt));
  if (random.chance(0.25)) steps.push(refundStep(random, 'refund at provider', beginsAt));
  if (random.chance(0.15)) steps.push(...dispute(random, beginsAt));
  if (random.chance(0.5)) {
    const action = random.chance(0.5) ? 'accept' : 'refund';
    steps.push({ atMs: beginsAt + random.integer(60, 5_000) * minuteMs, act: { does: 'resolve', action } });
  }
  return {
    number,
    provider,
    amountMinor: random.integer(2_000, 90_000),
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** A payer presses the button, and then pays, is declined, waits for a bank or leaves. */
function visit(random: Random, provider: HostedProviderName, atMs: number): Step[] {
  const steps: Step[] = [{ atMs, act: { does: 'press', tabs: random.integer(1, 3) } }];
  let at = atMs + random.integer(5, 600) * 1_000;
  const act = (next: Act) => steps.push({ atMs: at, act: next });
  const pay = (action: PayerAction) => act({ does: 'pay', action, behavior: behavior(random, provider) });
  const what = random.next();
  if (what < 0.15) return steps;
  if (what < 0.3) pay('decline');
  if (what < 0.6) {
    if (random.chance(0.4)) act({ does: 'pay on page', separator: random.chance(0.5) ? '&' : '?' });
    else pay('pay');
    return steps;
  }
  if (what < 0.8) pay('later');
  else pay('unanswered');
  if (what >= 0.8 && random.chance(0.3)) {
    // The payer does not wait for the bank.
    at += random.integer(1, 20) * minuteMs;
    pay('pay');
  }
  at += random.chance(0.5) ? random.integer(1, 90) * minuteMs : random.integer(2, 105) * hourMs;
  act({ does: 'bank decides', outcome: random.chance(0.7) ? 'succeeded' : 'failed' });
  return steps;
}

/** How the merchant's account is set up at Razorpay. Stripe takes the amount that it is asked for. */
function behavior(random: Random, provider: HostedProviderName): Partial<DoubleBehavior> {
  if (provider === 'stripe') return {};
  const copiesNotes = random.chance(0.7);
  const what = random.next();
  if (what < 0.1) return { copiesNotes, customerFeeMinor: random.integer(20, 900) };
  if (what < 0.25) return { copiesNotes, differenceMinor: random.integer(-900, 900) };
  return { copiesNotes };
}

function merchantStep(random: Random, beginsAt: number): Step {
  const does = random.pick(['cancel', 'change', 'offline'] as const) ?? 'cancel';
  const after = random.chance(0.7) ? random.integer(0, 90) * minuteMs : random.integer(2, 100) * hourMs;
  return { atMs: beginsAt + after, act: { does, force: random.chance(0.5) } };
}

function refundStep(random: Random, does: 'refund' | 'refund at provider', beginsAt: number): Step {
  const share = random.pick([0.2, 0.5, 1]) ?? 1;
  return { atMs: beginsAt + random.integer(5, 6_000) * minuteMs, act: { does, share } };
}

function dispute(random: Random, beginsAt: number): Step[] {
  const kind = random.chance(0.5) ? 'dispute' : 'inquiry';
  const outcome = kind === 'inquiry' ? 'closed' : random.chance(0.5) ? 'won' : 'lost';
  const opened = beginsAt + random.integer(1, 50) * hourMs;
  const closed = opened + random.integer(1, 60) * hourMs;
  return [
    { atMs: opened, act: { does: 'dispute', kind } },
    { atMs: closed, act: { does: 'close dispute', outcome } },
  ];
}
