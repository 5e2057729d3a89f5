/**
 * Tests that an answer or a notification of a provider in which a field is missing, or has another form, never hides money: the
 * adapter reads it, or says that it does not know.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startRazorpayDouble } from '../../infra/local/provider-doubles/razorpay/razorpay-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import {
  type CheckoutRequest,
  type HostedProvider,
  type HostedProviderName,
  hostedProviderNames,
  type Notification,
  ProviderCallError,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import { createRazorpayProvider } from '../../shared/domain/payments/provider/razorpay.ts';
import { createStripeProvider } from '../../shared/domain/payments/provider/stripe.ts';
import { setClock, stopClock, type TestClock } from '../support/clock.ts';
import { newCheckoutRequest } from '../support/provider-conformance/checkout-request.ts';

type Path = readonly (string | number)[];

/** Returns the path of each field in a JSON value. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, each]) => {
    const own = [...path, Array.isArray(value) ? Number(name) : name];
    return [own, ...pathsOf(each, own)];
  });
  return inner;
}

/** Returns JSON with another value at a path. Undefined removes the field. */
function changedAt(json: string, path: Path, next: unknown): string {
  const copy = JSON.parse(json);
  let parent = copy;
  for (const name of path.slice(0, -1)) parent = parent[name];
  const last = path.at(-1) ?? '';
  if (next === undefined && !Array.isArray(parent)) delete parent[last];
  else if (next === undefined) parent.splice(Number(last), 1);
  else parent[last] = next;
  return JSON.stringify(copy);
}

const valueAt = (json: string, path: Path): unknown =>
  path.reduce((value, name) => (value as Record<string, unknown>)[name], JSON.parse(json) as unknown);

const otherForms = [undefined, null, 1, -1, 'text', '', [], {}, true] as const;

const adapters = {
  stripe: { start: startStripeDouble, create: createStripeProvider },
  razorpay: { start: startRazorpayDouble, create: createRazorpayProvider },
} as const;

describe.each(hostedProviderNames)('%s', (name: HostedProviderName) => {
  let double: ProviderDouble;
  let clock: TestClock;
  /** Changes the answer with this number (from 0) of the calls that follow. */
  let change: { readonly nth: number; readonly to: (body: string) => string } | undefined;
  let answers: string[] = [];
  let provider: HostedProvider;

  beforeAll(async () => {
    clock = stopClock();
    double = await adapters[name].start({ now: () => clock.now() });
    const fetchChanged: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      const body = await answer.text();
      const nth = answers.push(body) - 1;
      const sent = change?.nth === nth ? change.to(body) : body;
      return new Response(sent, { status: answer.status, headers: answer.headers });
    };
    const options = { baseUrl: double.url, fetch: fetchChanged };
    provider = adapters[name].create(double.credentials.live, options);
  });
  afterAll(async () => {
    setClock();
    await double.close();
  });

  const newRequest = () => newCheckoutRequest(clock);
  const begin = async (request: CheckoutRequest) => {
    const begun = await provider.begin(request);
    if (begun.kind !== 'begun') throw new Error(begun.reason);
    return begun.reference;
  };

  /** Makes a call, and then again with each field of each answer in each of the forms. */
  async function forEachChange<T>(
    forms: readonly unknown[],
    isChanged: (path: Path) => boolean,
    call: () => Promise<T>,
    check: (outcome: T, what: string) => void,
  ): Promise<number> {
    let changes = 0;
    answers = [];
    await call();
    const originals = answers;
    for (const [nth, body] of originals.entries()) {
      for (const path of pathsOf(JSON.parse(body)).filter(isChanged)) {
        for (const form of forms) {
          if (valueAt(body, path) === form) continue;
          change = { nth, to: (text) => changedAt(text, path, form) };
          answers = [];
          changes++;
          const what = `${path.join('.')} = ${JSON.stringify(form)}`;
          const outcome = await call().catch((error: unknown) => {
            if (error instanceof ProviderCallError) return undefined;
            throw new Error(`${what}: ${error}`);
          });
          change = undefined;
          if (outcome !== undefined) check(outcome, what);
        }
      }
    }
    return changes;
  }
  const all = () => true;
  const isStatus = (path: Path) => path.at(-1) === 'status';

  test('a paid checkout stays paid or in progress, with the amount that was paid', async () => {
    const request = newRequest();
    const reference = await begin(request);
    double.act(reference, 'pay');
    const state = await provider.status(request, reference);
    if (state.kind !== 'paid') throw new Error(state.kind);
    const { payment } = state;
    const changes = await forEachChange(
      [undefined, null],
      all,
      () => provider.status(request, reference),
      (changed, what) => {
        expect([what, ['paid', 'processing'].includes(changed.kind)]).toEqual([what, true]);
        if (changed.kind !== 'paid') return;
        const { reference: id, amountMinor, currency } = changed.payment;
        expect([what, id, amountMinor, currency]).toEqual([
          what,
          payment.reference,
          payment.amountMinor,
          'INR',
        ]);
        expect([request.key, undefined]).toContain(changed.payment.key);
      },
    );
    expect(changes).toBeGreaterThan(50);
  });

  test('a status that nobody has documented is in progress', async () => {
    const paid = newRequest();
    const late = newRequest();
    const references = new Map([
      [paid, await begin(paid)],
      [late, await begin(late)],
    ]);
    double.act(references.get(paid) ?? '', 'pay');
    double.act(references.get(late) ?? '', 'later');
    for (const [request, reference] of references) {
      const changes = await forEachChange(
        ['brand_new'],
        isStatus,
        () => provider.void(request, reference),
        ({ kind }, what) =>
          expect([what, kind]).toEqual([what, expect.stringMatching(/^(paid|processing)$/)]),
      );
      expect(changes).toBeGreaterThan(1);
    }
  });

  test('a refund is carried out once, and is not refused', async () => {
    const request = newRequest();
    const reference = await begin(request);
    double.act(reference, 'pay');
    const state = await provider.status(request, reference);
    const paymentReference = state.kind === 'paid' ? state.payment.reference : '';
    const refund = {
      key: 'ref_00000000000001',
      paymentReference,
      amountMinor: 1_000,
      currency: 'INR',
    } as const;
    expect(await provider.refund(refund)).toEqual({ kind: 'done' });
    const changes = await forEachChange(
      [undefined, null, 'brand_new'],
      all,
      () => provider.refund(refund),
      ({ kind }, what) => expect([what, kind]).toEqual([what, expect.stringMatching(/^(done|unknown)$/)]),
    );
    expect(changes).toBeGreaterThan(20);
    const booked = double.books().find((payment) => payment.reference === paymentReference);
    expect(booked?.refunds).toHaveLength(1);
  });

  test('a notification in any form is read or ignored, and names nothing else', async () => {
    const [paid, later, voided] = [newRequest(), newRequest(), newRequest()];
    const references = await Promise.all([paid, later, voided].map(begin));
    const [reference = '', laterReference = ''] = references;
    double.act(reference, 'pay');
    double.act(laterReference, 'later');
    double.settle(laterReference, 'failed');
    await provider.void(voided, references[2]);
    const state = await provider.status(paid, reference);
    const payment = state.kind === 'paid' ? state.payment.reference : '';
    const own = {
      key: 'ref_00000000000002',
      paymentReference: payment,
      amountMinor: 1_000,
      currency: 'INR',
    } as const;
    await provider.refund(own);
    double.refundInDashboard(payment, 1_000);
    double.pendingRefunds = true;
    double.settleRefund(double.refundInDashboard(payment, 1_000), 'failed');
    double.pendingRefunds = false;
    double.closeDispute(double.openDispute(payment), 'lost');
    double.closeDispute(double.openDispute(payment, 'inquiry'), 'closed');

    const newest = new Map(double.notifications.all.map((each) => [each.type, each]));
    const read = (body: string, type: string): Notification => {
      const notification = newest.get(type);
      if (!notification) throw new Error(type);
      const { headers } = double.notifications.signed({ ...notification, body });
      return provider.readNotification(headers, Buffer.from(body), clock.now());
    };
    let changes = 0;
    for (const [type, { body }] of newest) {
      const original = read(body, type);
      for (const path of pathsOf(JSON.parse(body))) {
        for (const form of otherForms) {
          const changed = read(changedAt(body, path, form), type);
          changes++;
          const what = [type, path.join('.'), form];
          const names = JSON.stringify(Object.values(changed).slice(1));
          const isNamed = Object.values(changed).every(
            (text) => text === changed.kind || body.includes(text) || text === form,
          );
          expect([...what, names, isNamed]).toEqual([...what, names, true]);
          if (form === undefined && path.at(-1) !== 'created_at')
            expect([...what, changed.kind]).not.toEqual([...what, 'invalid']);
        }
      }
      expect([type, original.kind]).not.toEqual([type, 'invalid']);
    }
    expect(newest.size).toBeGreaterThan(8);
    expect(changes).toBeGreaterThan(2_000);
  });
});
