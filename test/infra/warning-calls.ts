/** Makes the calls behind the header `Remit-Warning` of live invoices. */
import { expect } from '@jest/globals';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import type { ObservedFunctions } from './observed-calls.ts';

interface WarningDriver extends Pick<ObservedFunctions, 'request'> {
  /** An API key of live mode. */
  readonly key: string;
  /** Sets the clock ahead. Sign-ins are recent afterwards only if it goes back. */
  readonly setAhead: (ms: number) => void;
}

/** Creates, replaces and finalizes in live mode. */
export async function driveWarnings({ request, key, setAhead }: WarningDriver): Promise<void> {
  const body = { customerId: 'c_9', amount: 900, currency: 'BTN', description: 'Tea' };
  const call = { key, apiVersion: newestApiVersion };
  // In this test, the functions share one cache of settings and connections, which lasts for 30 seconds.
  let ahead = 0;
  const post = (file: string, path: string, more: object) => {
    ahead += 31_000;
    setAhead(ahead);
    return request(`functions/${file}.ts`, 'POST', path, { ...call, ...more });
  };
  const { id } = await post('invoices/create', '/api/invoices', { body });
  const replaced = await post('invoices/replace', `/api/invoices/${id}/replace`, { id, body: {} });
  expect(replaced).toMatchObject({ statusCode: 200 });
  const draft = await post('drafts/create', '/api/drafts', { body });
  const finalized = await post('drafts/finalize', `/api/drafts/${draft.id}/finalize`, { id: draft.id });
  expect(finalized).toMatchObject({ statusCode: 201 });
  setAhead(0);
}
