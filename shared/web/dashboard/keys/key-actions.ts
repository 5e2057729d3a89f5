/**
 * Creates, changes, rolls over and revokes API keys. The random part of a new key follows from the session and the attempt.
 * So a form that is sent twice creates one key, both answers show its value, and nobody else can compute it.
 */

import { ApiError } from '../../../base/errors.ts';
import { AccountClosedError, type ApiKey } from '../../../domain/accounts/account.ts';
import { rollOverKey } from '../../../domain/accounts/key-roll-over.ts';
import { createKey, revokeKey } from '../../../domain/accounts/key-store.ts';
import {
  KeyChangedError,
  type KeySettings,
  settingsOfKey,
  updateKey,
} from '../../../domain/accounts/key-update.ts';
import { type Failure, originOf, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { attemptRefusals } from '../records/record-texts.ts';
import { readKeyForm, readKeySettings, readRollOverForm } from './key-form.ts';
import { findKey } from './key-pages.ts';
import { showRollOverForm } from './key-roll-over-view.ts';
import { keyTexts } from './key-texts.ts';
import { keysPath, seenOf, showKeyEditForm, showKeyForm, showNewKey, showRevokeForm } from './key-views.ts';

const create: DashboardAction = {
  path: `${keysPath}/new`,
  ability: 'keys:write',
  formPage: () => `${keysPath}/new`,
  fields: ['name', 'note', 'access', 'allowedAddresses', 'apiVersion', 'expiresOn'],
  optionalFields: ['permissions'],
  typed: {
    showAgain: async (request, failure) => showFormAgain(request, failure),
  },
  handle: async (request) => {
    const { context, form } = request;
    const asked = readKeyForm(form, context);
    if (!asked.ok) return showFormAgain(request, { errors: asked.errors, status: 400 });
    if (context.isInMaintenance)
      return showFormAgain(request, { alert: attemptRefusals.maintenance, status: 409 });
    try {
      const { value, ...key } = await createKey({
        ...asked.output,
        owner: requestOwnerOf(request),
        origin: await originOf(request, 'key.create'),
        random: request.deriveSecret('api key').subarray(0, 20),
      });
      return { view: showNewKey(context, key, value) };
    } catch (error) {
      if (error instanceof AccountClosedError)
        return showFormAgain(request, { alert: attemptRefusals.closed, status: 409 });
      if (error instanceof ApiError && error.code === 'key_limit_reached')
        return showFormAgain(request, { alert: keyTexts.limit, status: 409 });
      throw error;
    }
  },
};

const edit: DashboardAction = {
  path: `${keysPath}/:key/edit`,
  ability: 'keys:write',
  formPage: ({ key = '' }) => `${keysPath}/${key}/edit`,
  fields: ['name', 'note', 'allowedAddresses', 'apiVersion', 'seen'],
  typed: {
    showAgain: async (request, failure) => {
      const key = await findKey(request);
      return key && showEditAgain(request, key, failure);
    },
  },
  handle: async (request) => {
    const { context, form } = request;
    const owner = requestOwnerOf(request);
    const key = await findKey(request);
    if (!key) return undefined;
    const showAgain = (failure: Failure) => showEditAgain(request, key, failure);
    const asked = readKeySettings(form);
    if (!asked.ok) return showAgain({ errors: asked.errors, status: 400 });
    if (context.isInMaintenance) return showAgain({ alert: attemptRefusals.maintenance, status: 409 });
    if (![form.get('seen'), seenOf(asked.output)].includes(seenOf(key)))
      return showAgain({ alert: keyTexts.changed, status: 409, isChanged: true });
    try {
      const change = { ...changeTo(asked.output), seen: settingsOfKey(key) };
      await updateKey(owner, key.keyId, change, await originOf(request, 'key.update'));
    } catch (error) {
      if (!(error instanceof KeyChangedError)) throw error;
      const present = await findKey(request);
      if (!present) return undefined;
      // A second click lost to the first one, which has the same effect.
      if (seenOf(present) !== seenOf(asked.output))
        return showEditAgain(request, present, { alert: keyTexts.changed, status: 409, isChanged: true });
    }
    return { redirectTo: context.url(keysPath), notice: 'key_updated' };
  },
};

/** Null removes a setting. */
const changeTo = ({ name, note, allowedAddresses, apiVersion }: KeySettings) => ({
  name,
  apiVersion,
  note: note ?? null,
  allowedAddresses: allowedAddresses ?? null,
});

const rollOver: DashboardAction = {
  path: `${keysPath}/:key/roll-over`,
  ability: 'keys:write',
  formPage: ({ key = '' }) => `${keysPath}/${key}/roll-over`,
  fields: ['overlapHours', 'expiresOn'],
  typed: {
    showAgain: async (request, failure) => {
      const key = await findKey(request);
      return key && showRollOverAgain(request, key, failure);
    },
  },
  handle: async (request) => {
    const { context, form } = request;
    const owner = requestOwnerOf(request);
    const key = await findKey(request);
    if (!key) return undefined;
    const showAgain = (failure: Failure) => showRollOverAgain(request, key, failure);
    const asked = readRollOverForm(form, context);
    if (!asked.ok) return showAgain({ errors: asked.errors, status: 400 });
    if (context.isInMaintenance) return showAgain({ alert: attemptRefusals.maintenance, status: 409 });
    try {
      const created = await rollOverKey({
        ...asked.output,
        owner,
        keyId: key.keyId,
        origin: await originOf(request, 'key.roll_over'),
        random: request.deriveSecret(`api key for ${key.keyId}`).subarray(0, 20),
      });
      if (!created) return undefined;
      return { view: showNewKey(context, created, created.value, keyTexts.rolledOverTitle) };
    } catch (error) {
      if (error instanceof AccountClosedError)
        return showAgain({ alert: attemptRefusals.closed, status: 409 });
      if (!(error instanceof ApiError)) throw error;
      const alert = error.code === 'key_limit_reached' ? keyTexts.overlapLimit : keyTexts.unusable;
      return showAgain({ alert, status: 409 });
    }
  },
};

const revoke: DashboardAction = {
  path: `${keysPath}/:key/revoke`,
  ability: 'keys:write',
  formPage: ({ key = '' }) => `${keysPath}/${key}/revoke`,
  handle: async (request) => {
    const { context } = request;
    const owner = requestOwnerOf(request);
    const key = await findKey(request);
    if (!key) return undefined;
    if (context.isInMaintenance) {
      const failure: Failure = { alert: attemptRefusals.maintenance, status: 409 };
      return { view: showRevokeForm(context, key, failure) };
    }
    await revokeKey(owner, key.keyId, await originOf(request, 'key.revoke'));
    return { redirectTo: context.url(keysPath), notice: 'key_revoked' };
  },
};

export const keyActions: readonly DashboardAction[] = [create, edit, rollOver, revoke];

const showEditAgain = (request: ActionRequest, key: ApiKey, failure: Failure): ActionResult => ({
  view: showKeyEditForm(request, key, { fields: request.form, failure }),
});

const showRollOverAgain = (
  { context, form }: ActionRequest,
  key: ApiKey,
  failure: Failure,
): ActionResult => ({
  view: showRollOverForm(context, key, { fields: form, failure }),
});

const showFormAgain = (request: ActionRequest, failure: Failure): ActionResult => ({
  view: showKeyForm(request, { fields: request.form, failure }),
});
