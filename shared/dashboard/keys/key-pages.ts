/** Serves the pages of API keys: the list, the form of a new key, and the confirmation of a revocation. */
import { listKeys } from '../../accounts/key-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardPage } from '../definitions.ts';
import { keysPath, showKeyForm, showKeys, showRevokeForm } from './key-views.ts';

export const keyPages: readonly DashboardPage[] = [
  {
    path: keysPath,
    ability: 'account:read',
    handle: async (request) =>
      showKeys(request.context, (await listKeys(requestOwnerOf(request))).toReversed()),
  },
  { path: `${keysPath}/new`, ability: 'keys:write', handle: async ({ context }) => showKeyForm(context) },
  {
    path: `${keysPath}/:key/revoke`,
    ability: 'keys:write',
    handle: async (request) => {
      const key = (await listKeys(requestOwnerOf(request))).find(({ keyId }) => keyId === request.params.key);
      return key && showRevokeForm(request.context, key);
    },
  },
];
