/** Serves the pages of API keys: the list, the forms of a new key, of its settings and of a roll over, and the confirmation of a revocation. */
import type { ApiKey } from '../../../domain/accounts/account.ts';
import { listKeys } from '../../../domain/accounts/key-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage, DashboardRequest } from '../definitions.ts';
import { showRollOverForm } from './key-roll-over-view.ts';
import { keysPath, showKeyEditForm, showKeyForm, showKeys, showRevokeForm } from './key-views.ts';

export const keyPages: readonly DashboardPage[] = [
  {
    path: keysPath,
    ability: 'account:read',
    handle: async (request) =>
      showKeys(request.context, (await listKeys(requestOwnerOf(request))).toReversed()),
  },
  { path: `${keysPath}/new`, ability: 'keys:write', handle: async (request) => showKeyForm(request) },
  {
    path: `${keysPath}/:key/edit`,
    ability: 'keys:write',
    handle: async (request) => {
      const key = await findKey(request);
      return key && showKeyEditForm(request, key);
    },
  },
  {
    path: `${keysPath}/:key/roll-over`,
    ability: 'keys:write',
    handle: async (request) => {
      const key = await findKey(request);
      return key && showRollOverForm(request.context, key);
    },
  },
  {
    path: `${keysPath}/:key/revoke`,
    ability: 'keys:write',
    handle: async (request) => {
      const key = await findKey(request);
      return key && showRevokeForm(request.context, key);
    },
  },
];

/** Reads the key that a path names. Undefined if the account and mode has no such key. */
export const findKey = async (
  request: Pick<DashboardRequest, 'context' | 'params'>,
): Promise<ApiKey | undefined> =>
  (await listKeys(requestOwnerOf(request))).find(({ keyId }) => keyId === request.params.key);
