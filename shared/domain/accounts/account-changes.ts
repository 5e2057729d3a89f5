/** Answers the requests that show and change the caller's own account. */
import type { AuditOrigin } from '../../base/audit-origin.ts';
import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Principal } from '../../store/account-state.ts';
import type { RecordedChange } from '../../store/commit/command.ts';
import type { RequestKey } from '../../store/commit/idempotency-records.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import {
  type ShownAccount,
  showAccount,
  showSeller,
  type UpdateAccount,
  updateAccountBody,
} from './account-resource.ts';
import { readAccount } from './account-store.ts';
import { recordedChange } from './answer-record.ts';
import { showMailSettings, toSettingsChange } from './mail-settings.ts';
import { changeSeller } from './seller-change-store.ts';
import { readSeller } from './seller-store.ts';
import { updateSettings } from './settings-store.ts';

/**
 * Reads an account as the API shows it.
 * @throws Error if the account does not exist, which an authorized request excludes
 */
export async function readShownAccount(owner: Owner): Promise<ShownAccount> {
  const [account, seller] = await Promise.all([readAccount(owner.account), readSeller(owner.account)]);
  if (!account) throw new Error(`There is no account ${owner.account}.`);
  return showAccount(owner, account, seller);
}

/** A request to change the account, as an endpoint receives it. */
interface UpdateRequest {
  readonly principal: Pick<Principal, 'owner'>;
  readonly body: UpdateAccount;
  readonly requestKey: RequestKey | undefined;
  readonly origin: AuditOrigin | undefined;
  readonly now: Instant;
  readonly clock: Clock;
}

/**
 * Returns the change that changes the account. Its answer is stored after the change, not with it. So the repetition of an
 * interrupted request makes the change again, which then finds it made and completes it.
 */
export function updateAccountChange({
  principal: { owner },
  body,
  requestKey: key,
  origin,
  now,
  clock,
}: UpdateRequest): RecordedChange<ShownAccount> {
  return recordedChange<ShownAccount, ShownAccount>({
    key,
    now,
    change: async () => {
      const shown = await readShownAccount(owner);
      requireUnchanged('account', updateAccountBody, shown, body);
      if (body.mail === null) {
        const message = 'mail cannot be removed. Leave it out, or send the fields to change.';
        throw new ApiError('invalid_mail', { field: 'mail', message });
      }
      const withSeller = await changeSellerOf({ owner, body, origin, clock }, shown);
      if (body.mail === undefined) return withSeller;
      const account = await updateSettings(owner.account, toSettingsChange(body.mail), { origin });
      return account ? { ...withSeller, mail: showMailSettings(account) } : withSeller;
    },
    show: (changed) => changed,
  });
}

async function changeSellerOf(
  {
    owner,
    body,
    origin,
    clock,
  }: Pick<UpdateRequest, 'body' | 'origin' | 'clock'> & { readonly owner: Owner },
  shown: ShownAccount,
): Promise<ShownAccount> {
  if (body.seller === undefined) return shown;
  if (body.seller === null) {
    if (shown.seller === null) return shown;
    const message = 'seller cannot be removed. Leave it out, or send the fields to change.';
    throw new ApiError('invalid_seller', { field: 'seller', message });
  }
  const start = { owner, at: clock.account };
  return { ...shown, seller: showSeller(await changeSeller(owner.account, body.seller, { origin, start })) };
}
