/**
 * Tests that the answer to a notification takes the same work for all accounts, so its time tells nobody which accounts use a
 * provider. Counts calls to the table, decryptions and checks of signatures.
 */
import * as crypto from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { modes, type Owner } from '../../shared/base/ids.ts';
import { newAccount } from '../support/api.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';

const work = { decryptions: 0, signatures: 0 };
const { createDecipheriv, createHmac } = crypto;
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  createDecipheriv: (...parameters: Parameters<typeof createDecipheriv>) => {
    work.decryptions += 1;
    return createDecipheriv(...parameters);
  },
  createHmac: (...parameters: Parameters<typeof createHmac>) => {
    // The secrets of notifications are texts, and the keys of all other signatures are not.
    if (typeof parameters[1] === 'string' && !parameters[1].startsWith('AWS4')) work.signatures += 1;
    return createHmac(...parameters);
  },
}));

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack?.close());

const providers = {
  stripe: (at: number) => ({ 'stripe-signature': `t=${Math.floor(at / 1000)},v1=${'0'.repeat(64)}` }),
  razorpay: () => ({ 'x-razorpay-signature': '0'.repeat(64) }),
};

/** Connects a provider in these modes of a new account. */
async function accountWith(provider: keyof typeof providers, connected: readonly Owner['mode'][]) {
  const { saveConnection } = await import('../../shared/domain/payments/connections/change-connection.ts');
  const { accountId } = await newAccount(stack.baseUrl);
  for (const mode of connected) {
    const credentials = { apiKey: `sk_${mode}_key`, apiSecret: 'secret', notificationSecrets: ['whsec_1'] };
    const change = { credentials, currencies: ['USD'], accountName: 'Shop' } as const;
    await saveConnection({ account: accountId, mode }, provider, () => change, undefined);
  }
  return accountId;
}

/** Sends a notification with a wrong signature, and returns its work. */
async function workOf(provider: keyof typeof providers, account: string) {
  const { receiveNotification } = await import('../../shared/domain/payments/checkouts/notification.ts');
  const interception = interceptCalls();
  Object.assign(work, { decryptions: 0, signatures: 0 });
  try {
    const at = Date.now();
    const answer = await receiveNotification(
      { provider, account },
      providers[provider](at),
      Buffer.from('{"type":"x"}'),
      at,
    );
    const own = interception.calls.filter((call) => call.body.includes(account));
    return { answer, calls: own.map(({ operation }) => operation), ...work };
  } finally {
    interception.remove();
  }
}

test.each(['stripe', 'razorpay'] as const)(
  'a notification of %s takes the same work for an account with and without the provider, and for none',
  async (provider) => {
    const accounts = [
      await accountWith(provider, modes),
      await accountWith(provider, ['live']),
      await accountWith(provider, []),
      'acct_0000000000000000',
    ];
    // The first call also reads the secret and seals what stands for missing credentials.
    for (const account of accounts) await workOf(provider, account);
    for (const account of accounts) {
      expect(await workOf(provider, account)).toEqual({
        answer: false,
        calls: ['GetItem', 'GetItem'],
        decryptions: 2,
        signatures: 2,
      });
    }
  },
);
