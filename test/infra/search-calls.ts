/** Searches the IDs of records of all kinds, for the test of the grants. */
import { expect } from '@jest/globals';
import { idPrefixes, type Owner } from '../../shared/base/ids.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { idKinds } from '../../shared/domain/search/search.ts';
import { newestApiVersion as apiVersion } from '../../shared/domain/versions/versions.ts';
import type { ObservedFunctions } from './observed-calls.ts';

/** IDs of records that do not exist, one of each kind that only its ID finds. */
export const missingIds: readonly string[] = Object.values(idKinds).map(
  ({ resource }) => `${idPrefixes[resource]}_${'0'.repeat(resource === 'key' ? 16 : 26)}`,
);

/** Searches IDs that do not exist, and those of an event, of a row that nobody has decided about, and of an endpoint. */
export async function driveIdSearches({
  request,
  owner,
}: Pick<ObservedFunctions, 'request'> & { readonly owner: Owner }): Promise<void> {
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  const { value: key, keyId } = await createKey({ owner, name: 'Searcher', permissions });
  const search = async (q: string) => {
    const { data } = await request('functions/search/find.ts', 'GET', '/api/search', {
      query: { q },
      key,
      apiVersion,
    });
    return data as { readonly id: string }[];
  };
  const row = { day: '2026-08-31', amount: -700, reference: 'Searched' };
  const { id: statement } = await request('functions/statements/create.ts', 'POST', '/api/statements', {
    body: { bank: 'Bank of Bhutan', currency: 'BTN', rows: [row] },
    apiVersion,
  });
  const rows = `/api/statements/${statement}/rows`;
  const { data } = await request('functions/statements/list-rows.ts', 'GET', rows, {
    id: statement,
    apiVersion,
  });
  const { data: events } = await request('functions/events/list.ts', 'GET', '/api/events');
  const { id: webhook } = await request('functions/webhooks/create.ts', 'POST', '/api/webhooks', {
    body: { url: 'http://127.0.0.1:9/', events: ['invoice.paid'] },
  });
  for (const id of [data[0].id, events[0].id, webhook, keyId])
    expect(await search(id)).toMatchObject([{ id }]);
  for (const id of missingIds) expect([id, await search(id)]).toEqual([id, []]);
  await request('functions/webhooks/delete.ts', 'DELETE', `/api/webhooks/${webhook}`, { id: webhook });
}
