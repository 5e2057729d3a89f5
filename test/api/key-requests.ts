/** Lists the requests that change API keys, for tests that repeat each of them. */
import type { Api } from '../support/api.ts';

/** The requests that change keys. Some create the key that they change. */
export const keyRequests = {
  create: async () => ({
    method: 'POST',
    path: '/api/keys',
    body: { name: 'New', permissions: ['events:read'] },
  }),
  rollOver: async (manager: Api) => {
    const { json } = await manager.post('/api/keys', { name: 'Old', permissions: ['events:read'] });
    return { method: 'POST', path: `/api/keys/${json.id}/roll-over`, body: { overlapHours: 0 } };
  },
  update: async (manager: Api) => {
    const { json } = await manager.post('/api/keys', { name: 'Old', permissions: ['events:read'] });
    return {
      method: 'PATCH',
      path: `/api/keys/${json.id}`,
      body: { name: 'New', allowedAddresses: ['192.0.2.1'] },
    };
  },
  revoke: async (manager: Api) => {
    const { json } = await manager.post('/api/keys', { name: 'Old', permissions: ['events:read'] });
    return { method: 'DELETE', path: `/api/keys/${json.id}`, body: undefined };
  },
} as const;

export const keyRequestNames = Object.keys(keyRequests) as (keyof typeof keyRequests)[];
