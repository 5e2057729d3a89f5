/** Decides which API keys may see notices. Their addresses are those of members, not of customers. */
import type { Principal } from '../../store/account-state.ts';
import { isPermitted } from '../auth/permissions.ts';

/** Whether a key may see the mails to the merchant, as it may see the settings that name their reader. */
export const maySeeNotices = ({ rights }: Pick<Principal, 'rights'>): boolean =>
  isPermitted(rights?.permissionBits, 'account:read');
