/** Tests how a checkout begins and ends: paid, refused, expired or voided. */
import { expect, test } from '@jest/globals';
import { dayMs, type HostedContext } from './hosted-options.ts';

export function hostedCheckoutTests(context: HostedContext): void {
  const { provider, newRequest, begin, newPayment, bookedFor, double, clock, currency } = context;
  const expired = { kind: 'expired' };

  test('begins with a page and an expiry, and is open', async () => {
    const request = newRequest();
    const begun = await begin(request);
    expect(URL.canParse(begun.redirectUrl)).toBe(true);
    expect(begun.expiresAt).toBe(Math.floor(request.expiresAt / 1000) * 1000);
    expect(await provider().status(request, begun.reference)).toEqual({ kind: 'open' });
  });

  test('is the same checkout for the same key, one after another and in parallel', async () => {
    const request = newRequest();
    const all = await Promise.all(Array.from({ length: 10 }, () => begin(request)));
    all.push(await begin(request));
    clock().advance(600_000);
    all.push(await begin(request));
    expect(new Set(all.map(({ reference, redirectUrl }) => `${reference} ${redirectUrl}`)).size).toBe(1);
    expect((await begin(newRequest())).reference).not.toBe(all[0]?.reference);
  });

  test('that is paid has a payment with the values of the request', async () => {
    const request = newRequest({ amountMinor: 123_457 });
    const { reference } = await begin(request);
    double().act(reference, 'pay');
    const state = await provider().status(request, reference);
    expect(state).toMatchObject({
      kind: 'paid',
      payment: { key: request.key, amountMinor: 123_457, currency: request.currency, dispute: undefined },
    });
    const payment = state.kind === 'paid' ? state.payment : undefined;
    expect(await provider().payment(payment?.reference ?? '')).toEqual(payment);
    expect(bookedFor(request)).toMatchObject([{ reference: payment?.reference, amountMinor: 123_457 }]);
    expect(payment?.card).toEqual({ brand: 'visa', last4: '4242' });
  });

  test('that is paid has fees, at the latest after a minute', async () => {
    const { reference, amountMinor } = await newPayment();
    clock().advance(60_000);
    const fees = (await provider().payment(reference))?.fees;
    expect(fees).toMatchObject({ amountMinor: expect.any(Number), taxMinor: expect.any(Number), currency });
    expect((fees?.amountMinor ?? 0) + (fees?.netMinor ?? 0)).toBe(amountMinor);
    expect(fees?.amountMinor).toBeGreaterThan(fees?.taxMinor ?? 0);
  });

  test('stays open after a declined card, and can be paid then', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    double().act(reference, 'decline');
    expect(await provider().status(request, reference)).toEqual({ kind: 'open' });
    double().act(reference, 'pay');
    expect(await provider().status(request, reference)).toMatchObject({ kind: 'paid' });
  });

  test.each([
    ['succeeded', 'paid', 1],
    ['failed', context.failedLater, 0],
  ] as const)(
    'that is paid later is processing for days, and has %s then',
    async (outcome, kind, payments) => {
      const request = newRequest();
      const { reference } = await begin(request);
      double().behavior.takesCaptures = false;
      double().act(reference, 'later');
      clock().advance(3 * dayMs);
      expect(await provider().status(request, reference)).toMatchObject({ kind: 'processing' });
      expect(await provider().void(request, reference)).toMatchObject({ kind: 'processing' });
      double().settle(reference, outcome);
      expect(await provider().status(request, reference)).toMatchObject({ kind });
      expect(await provider().void(request, reference)).toMatchObject({ kind });
      expect(bookedFor(request)).toHaveLength(payments);
      double().behavior.takesCaptures = true;
    },
  );

  test('expires, and nobody can pay then', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    clock().advance(request.expiresAt - clock().now());
    expect(await provider().status(request, reference)).toEqual(expired);
    expect(double().act(reference, 'pay')).toBe(false);
    expect(await provider().void(request, reference)).toEqual(expired);
  });

  test('that is voided is expired, also with a second void, and nobody can pay', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    expect(await provider().void(request, reference)).toEqual(expired);
    expect(double().act(reference, 'pay')).toBe(false);
    expect(await provider().void(request, reference)).toEqual(expired);
    expect(await provider().status(request, undefined)).toEqual(expired);
  });

  test('that is voided after the payment is paid', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    double().act(reference, 'pay');
    for (const known of [reference, undefined]) {
      expect(await provider().void(request, known)).toMatchObject({ kind: 'paid' });
    }
    expect(bookedFor(request)).toHaveLength(1);
  });

  test('that is voided before its beginning arrives cannot be paid', async () => {
    const request = newRequest();
    expect(await provider().void(request, undefined)).toEqual(expired);
    const begun = await provider().begin(request);
    if (begun.kind === 'begun') expect(double().act(begun.reference, 'pay')).toBe(false);
    expect(await provider().status(request, undefined)).toEqual(expired);
  });

  test('has one outcome if the payment meets the void or the expiry', async () => {
    for (let round = 0; round < 20; round++) {
      const request = newRequest();
      const { reference } = await begin(request);
      const pay = async () => {
        for (let turn = 0; turn < round; turn++) await new Promise((resolve) => setImmediate(resolve));
        return double().act(reference, 'pay');
      };
      const [state, isPaid] = await Promise.all([provider().void(request, reference), pay()]);
      const kind = isPaid ? 'paid' : 'expired';
      expect([state.kind, (await provider().status(request, reference)).kind]).toEqual([kind, kind]);
      expect(bookedFor(request)).toHaveLength(isPaid ? 1 : 0);
    }
    const request = newRequest();
    const { reference } = await begin(request);
    clock().advance(request.expiresAt - clock().now() - 1_000);
    expect(double().act(reference, 'pay')).toBe(true);
    clock().advance(5_000);
    expect(await provider().status(request, reference)).toMatchObject({ kind: 'paid' });
  });

  test('is found without its reference, also after days', async () => {
    const [paid, open] = [newRequest(), newRequest()];
    double().act((await begin(paid)).reference, 'pay');
    await begin(open);
    expect(await provider().status(open, undefined)).toEqual({ kind: 'open' });
    expect(await provider().status(paid, undefined)).toMatchObject({ kind: 'paid' });
    clock().advance(3 * dayMs);
    expect(await provider().status(open, undefined)).toEqual(expired);
    expect(await provider().status(paid, undefined)).toMatchObject({ kind: 'paid' });
    expect(await provider().void(paid, undefined)).toMatchObject({ kind: 'paid' });
    expect(bookedFor(paid)).toHaveLength(1);
  });

  test('that never arrived cannot be paid after its time', async () => {
    const request = newRequest();
    clock().advance(2 * 3_600_000);
    expect(['expired', 'absent']).toContain((await provider().status(request, undefined)).kind);
    expect(await provider().begin(request)).toEqual({ kind: 'refused', reason: 'request' });
    clock().advance(3 * dayMs);
    expect(['expired', 'absent']).toContain((await provider().status(request, undefined)).kind);
  });

  test('is refused for a currency or an amount that the provider does not take', async () => {
    const refused = (reason: string) => ({ kind: 'refused', reason });
    expect(await provider().begin(newRequest({ currency: 'BTN' }))).toEqual(refused('currency'));
    const small = newRequest({ amountMinor: context.tooSmallMinor });
    expect(await provider().begin(small)).toEqual(refused('amount'));
    expect(await provider().begin(small)).toEqual(refused('amount'));
  });

  test('is refused for an amount that the account of the merchant does not take', async () => {
    double().behavior.maxAmountMinor = 249_999;
    const request = newRequest();
    expect(await provider().begin(request)).toEqual({ kind: 'refused', reason: 'amount' });
    expect((await provider().begin(newRequest({ amountMinor: 249_999 }))).kind).toBe('begun');
    double().behavior.maxAmountMinor = undefined;
  });

  test('has the e-mail address of the customer', async () => {
    await begin(newRequest({ customerEmail: 'dorji+tea@example.bt' }));
    const { body = '' } = double().requests.at(-1) ?? {};
    expect(decodeURIComponent(body)).toContain('dorji+tea@example.bt');
    await begin(newRequest());
    expect(double().requests.at(-1)?.body).not.toMatch(/customer(_email|")/);
  });

  test('begins without an e-mail address that the provider does not take', async () => {
    double().behavior.takesEmails = false;
    const request = newRequest({ customerEmail: 'dorji@example.bt' });
    const all = await Promise.all([begin(request), begin(request)]);
    all.push(await begin(request));
    expect(new Set(all.map(({ reference }) => reference)).size).toBe(1);
    expect(await provider().status(request, undefined)).toEqual({ kind: 'open' });
    expect(await provider().void(request, undefined)).toEqual(expired);
    double().behavior.takesEmails = true;
  });

  test('with wrong credentials is refused, and its state is unknown', async () => {
    const request = newRequest();
    const wrong = context.create(context.wrongCredentials);
    expect(await wrong.begin(request)).toEqual({ kind: 'refused', reason: 'credentials' });
    const { reference } = await begin(request);
    for (const known of [reference, undefined]) {
      await expect(wrong.status(request, known)).rejects.toThrow();
      await expect(wrong.void(request, known)).rejects.toThrow();
    }
    expect(await provider().status(request, reference)).toEqual({ kind: 'open' });
  });

  test.each([
    ['an empty text', ''],
    ['5,000 characters', 'Ü'.repeat(5_000)],
    ['emoji at the limit', '🏔'.repeat(2_000)],
    ['control characters', 'line\r\nline\u0000\t=&[]'],
  ])('takes a description of %s', async (_, description) => {
    const request = newRequest({ description });
    expect((await begin(request)).kind).toBe('begun');
  });

  test('shows a dispute until it is closed', async () => {
    for (const outcome of ['won', 'lost'] as const) {
      const { reference, amountMinor } = await newPayment();
      const dispute = double().openDispute(reference);
      expect((await provider().payment(reference))?.dispute).toMatchObject({
        reference: dispute,
        status: 'open',
        amountMinor,
      });
      double().closeDispute(dispute, outcome);
      expect((await provider().payment(reference))?.dispute).toMatchObject({ status: outcome });
    }
  });

  test('a payment that does not exist is undefined', async () => {
    expect(await provider().payment('pay_none')).toBeUndefined();
  });

  test('the credentials are checked', async () => {
    expect(await provider().check()).toMatchObject({ kind: 'ok', isLive: true });
    const test = context.create(double().credentials.test);
    expect(await test.check()).toMatchObject({ kind: 'ok', isLive: false });
    const [wrong, shapeless] = [context.wrongCredentials, { apiKey: 'no\nkey é', notificationSecrets: [] }];
    for (const credentials of [wrong, shapeless]) {
      const checked = await context.create(credentials).check();
      expect(checked.kind).toBe('refused');
      expect(JSON.stringify(checked)).not.toContain(credentials.apiKey);
    }
  });
}
