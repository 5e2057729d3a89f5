/** Tests notifications: what they are about, and which are invalid. */
import { expect, test } from '@jest/globals';
import type {
  DoubleNotification,
  SigningOptions,
} from '../../../infra/local/provider-doubles/common/notification-sender.ts';
import type { Notification } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { dayMs, type HostedContext } from './hosted-options.ts';

export function hostedNotificationTests(context: HostedContext): void {
  const { provider, newRequest, begin, newPayment, newRefund, double, clock } = context;
  const invalid = { kind: 'invalid' };

  const read = (notification: DoubleNotification, options: SigningOptions = {}): Notification => {
    const { headers, body } = double().notifications.signed(notification, options);
    return provider().readNotification(headers, Buffer.from(body), clock().now());
  };
  /** Returns the notifications that `work` causes. */
  const during = async (work: () => Promise<unknown>): Promise<readonly DoubleNotification[]> => {
    const { length } = double().notifications.all;
    await work();
    return double().notifications.all.slice(length);
  };
  const latest = async (): Promise<DoubleNotification> => {
    const notification = (await during(newPayment)).at(-1);
    if (!notification) throw new Error('The double sent no notification.');
    return notification;
  };
  /** The same notification with another body, signed correctly. */
  const withBody = (notification: DoubleNotification, body: string) => ({ ...notification, body });

  test('of a checkout names its key', async () => {
    const request = newRequest();
    const { reference } = await begin(request);
    const paid = await during(async () => double().act(reference, 'pay'));
    const [later, voided] = [newRequest(), newRequest()];
    const all = [
      [request, paid],
      [
        later,
        await during(async () => {
          const begun = await begin(later);
          double().act(begun.reference, 'later');
          double().settle(begun.reference, 'succeeded');
        }),
      ],
      [voided, await during(async () => provider().void(voided, (await begin(voided)).reference))],
    ] as const;
    for (const [{ key }, notifications] of all) {
      const kinds = notifications.map((notification) => read(notification));
      expect(kinds).toContainEqual({ kind: 'checkout', key });
      expect(kinds.filter(({ kind }) => kind === 'invalid')).toEqual([]);
    }
  });

  test('of a refund names its key, and of a dispute the payment', async () => {
    const { reference } = await newPayment();
    const about = { kind: 'payment', reference };
    const refund = newRefund(reference, 100);
    double().pendingRefunds = true;
    await provider().refund(refund);
    double().pendingRefunds = false;
    const id =
      double()
        .books()
        .find((payment) => payment.reference === reference)?.refunds[0]?.reference ?? '';
    const ofRefund = await during(async () => double().settleRefund(id, 'failed'));
    expect(ofRefund.map((notification) => read(notification))).toContainEqual({
      kind: 'refund',
      key: refund.key,
      paymentReference: reference,
    });
    const ofDispute = await during(async () => double().closeDispute(double().openDispute(reference), 'won'));
    expect(ofDispute).toHaveLength(2);
    expect(ofDispute.map((notification) => read(notification))).toEqual([about, about]);
  });

  test('that arrives again, or in another order, says the same', async () => {
    const notifications = [await latest(), await latest()];
    const first = notifications.map((notification) => read(notification));
    const again = notifications.toReversed().map((notification) => read(notification));
    expect(again.toReversed()).toEqual(first);
  });

  test('is invalid if it is forged', async () => {
    const notification = await latest();
    const { headers, body } = double().notifications.signed(notification);
    const readRaw = (changed: Readonly<Record<string, string | undefined>>, text = body) =>
      provider().readNotification(changed, Buffer.from(text), clock().now());
    expect(readRaw(headers).kind).toBe('checkout');
    expect(readRaw(headers, `${body} `)).toEqual(invalid);
    expect(readRaw(headers, body.replace('250000', '250001'))).toEqual(invalid);
    expect(readRaw({})).toEqual(invalid);
    expect(read(notification, { secrets: ['forged'] })).toEqual(invalid);
    expect(read(notification, { secrets: [''] })).toEqual(invalid);
    for (const [name, value] of Object.entries(headers)) {
      const altered = value.replace(/[0-9a-f]{64}/, (digest) =>
        digest.replace(/^./, (first) => (first === '0' ? '1' : '0')),
      );
      if (altered !== value) expect(readRaw({ ...headers, [name]: altered })).toEqual(invalid);
      if (altered !== value) expect(readRaw({ ...headers, [name]: '' })).toEqual(invalid);
    }
    const none = context.create({ ...context.credentials(), notificationSecrets: [''] });
    const unsigned = double().notifications.signed(notification, { secrets: [''] });
    const raw = Buffer.from(unsigned.body);
    expect(none.readNotification(unsigned.headers, raw, clock().now())).toEqual(invalid);
  });

  test('is valid under each of several secrets', async () => {
    const notification = await latest();
    const [secret = ''] = context.credentials().notificationSecrets;
    const rotated = context.create({ ...context.credentials(), notificationSecrets: ['new', secret] });
    const { headers, body } = double().notifications.signed(notification);
    expect(rotated.readNotification(headers, Buffer.from(body), clock().now()).kind).toBe('checkout');
  });

  test('is invalid if it is from the future, and after its time', async () => {
    const notification = await latest();
    const { headers, body } = double().notifications.signed(notification);
    const at = (ms: number) => provider().readNotification(headers, Buffer.from(body), clock().now() + ms);
    expect(at(240_000).kind).toBe('checkout');
    expect(at(-360_000)).toEqual(invalid);
    expect(at(context.notificationsExpire ? 360_000 : 3 * dayMs)).toEqual(invalid);
  });

  test('of the other mode, of an unknown kind, or without the expected content causes nothing', async () => {
    const notification = await latest();
    const { body, type } = notification;
    expect(read(withBody(notification, body.replaceAll(type, 'unknown.kind')))).toEqual({ kind: 'ignored' });
    for (const text of ['', '[]', '{', '{}', '{"a":1,"a":2}']) {
      // Without a time in the header, the time is in the body.
      const expected = context.notificationsExpire ? ['ignored'] : ['ignored', 'invalid'];
      expect(expected).toContain(read(withBody(notification, text)).kind);
    }
    const test = context.create(double().credentials.test);
    const { headers } = double().notifications.signed({ ...notification, mode: 'test' });
    const kind = test.readNotification(headers, Buffer.from(body), clock().now()).kind;
    // Without a mode in the body, only the secrets of the modes differ.
    if (context.namesMode) expect(kind).toBe('ignored');
  });
}
