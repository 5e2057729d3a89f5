/** Tests faults: each operation rejects within its time, reveals no secret, and works again afterwards. */
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import type { InjectedFault } from '../../../infra/local/provider-doubles/common/faults.ts';
import {
  type HostedProvider,
  ProviderCallError,
} from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { listenOnLoopback } from '../loopback-server.ts';
import type { HostedContext } from './hosted-options.ts';

const answers: Readonly<Record<string, InjectedFault>> = {
  'status 429': { kind: 'answer', status: 429, headers: { 'Retry-After': '30' }, body: '{"error":{}}' },
  'status 500': { kind: 'answer', status: 500, body: '{"error":{"type":"api_error"}}' },
  'status 503 with HTML': { kind: 'answer', status: 503, body: '<html>Down</html>' },
  'an error without content': { kind: 'answer', status: 400, body: '' },
  'text that is not JSON': { kind: 'answer', status: 200, body: 'OK' },
  'cut JSON': { kind: 'answer', status: 200, body: '{"id":"cs_' },
  'JSON with a key twice': { kind: 'answer', status: 200, body: '{"id":"a","id":"b"}' },
  'JSON of another kind': { kind: 'answer', status: 200, body: '{"id":7,"data":{},"items":{}}' },
  'no content': { kind: 'answer', status: 204, body: '' },
};
const delays: Readonly<Record<string, InjectedFault>> = {
  'no answer': { kind: 'hang' },
  'a body that does not end': { kind: 'slow body' },
};

export function hostedFaultTests(context: HostedContext): void {
  const { provider, newRequest, begin, newPayment, newRefund, double, credentials } = context;

  /** Returns a call of each operation. */
  async function operations(): Promise<Record<string, (at: HostedProvider) => Promise<unknown>>> {
    const [request, { reference }] = [newRequest(), await newPayment()];
    const begun = await begin(request);
    const refund = newRefund(reference, 100);
    return {
      begin: (at) => at.begin(newRequest()),
      status: (at) => at.status(request, begun.reference),
      'status without a reference': (at) => at.status(newRequest(), undefined),
      void: (at) => at.void(request, begun.reference),
      payment: (at) => at.payment(reference),
      refund: (at) => at.refund(refund),
      refundStatus: (at) => at.refundStatus(refund),
      listPayments: (at) => at.listPayments(0, undefined),
      check: (at) => at.check(),
    };
  }

  /** Returns the messages of the errors. */
  async function expectRejections(fault: InjectedFault, timeoutMs?: number): Promise<string[]> {
    const messages: string[] = [];
    for (const [name, call] of Object.entries(await operations())) {
      const remove = double().faults.inject({ fault, times: 99 });
      const error = await call(provider(timeoutMs)).then(
        (result) => new Error(`${name} returned ${JSON.stringify(result)}.`),
        (rejection) => rejection,
      );
      remove();
      expect([name, error.message, error instanceof ProviderCallError]).toEqual([name, error.message, true]);
      expectNoSecret(`${error.stack}\n${JSON.stringify(error)}`);
      messages.push(error.message);
    }
    return messages;
  }

  function expectNoSecret(text: string): void {
    const { apiKey, apiSecret, notificationSecrets } = credentials();
    const basic = Buffer.from(`${apiKey}:${apiSecret}`).toString('base64');
    for (const secret of [apiKey, apiSecret, basic, ...notificationSecrets]) {
      if (secret) expect(text).not.toContain(secret);
    }
  }

  test.each(Object.keys(answers))('%s: each operation rejects', async (name) => {
    await expectRejections(answers[name] as InjectedFault);
  });

  test('an answer that quotes the credentials: the error does not quote it', async () => {
    const { apiKey, apiSecret, notificationSecrets } = credentials();
    const text = [apiKey, apiSecret, ...notificationSecrets].join(' ');
    const error = { type: text, code: text, param: text, field: text, message: text, description: text };
    for (const status of [200, 500, 503]) {
      await expectRejections({ kind: 'answer', status, body: JSON.stringify({ error, id: 7, items: text }) });
      await expectRejections({ kind: 'answer', status, body: text });
    }
  });

  test('an endless body is cut off, long before the time limit', async () => {
    const messages = await expectRejections({ kind: 'endless body' });
    expect(messages.filter((message) => !message.includes('too large'))).toEqual([]);
  });

  test.each(Object.keys(delays))('%s: each operation rejects in time', async (name) => {
    await expectRejections(delays[name] as InjectedFault, 100);
  });

  test('a redirect is not followed', async () => {
    const followed: string[] = [];
    const server = await listenOnLoopback(
      createServer((request, response) => {
        followed.push(request.url ?? '');
        response.end('{}');
      }),
    );
    for (const status of [301, 302, 307, 308]) {
      const headers = { Location: `${server.endpoint}/elsewhere` };
      await expectRejections({ kind: 'answer', status, headers });
    }
    await server.close();
    expect(followed).toEqual([]);
  });

  test('the connection breaks: each operation rejects, and works afterwards', async () => {
    await expectRejections({ kind: 'lose', when: 'before' });
    await expectRejections({ kind: 'lose', when: 'after' });
    const { reference } = await newPayment();
    expect(await provider().refund(newRefund(reference, 100))).toEqual({ kind: 'done' });
  });

  test('a connection that breaks once is repeated, and has one effect', async () => {
    for (const when of ['before', 'after'] as const) {
      const { reference } = await newPayment();
      double().faults.inject({ fault: { kind: 'lose', when }, on: context.createsRefund });
      expect(await provider().refund(newRefund(reference, 100))).toEqual({ kind: 'done' });
      expect(context.booked(reference)?.refunds).toHaveLength(1);
    }
  });

  test('the messages are sent to the provider only, with the credentials in the header only', () => {
    const { apiKey, apiSecret } = credentials();
    for (const { path, query, body } of double().requests) {
      const text = `${path}?${query} ${body}`;
      expect(text).not.toContain(apiKey);
      if (apiSecret) expect(text).not.toContain(apiSecret);
    }
    expect(double().requests.length).toBeGreaterThan(100);
  });
}
