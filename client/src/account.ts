/** Defines the methods of `remit.account`: the account of the API key, with its seller profile. */
import type { ApiCall, RequestOptions, WriteOptions } from './call.ts';
import type { Account, AccountUpdateParams } from './schemas.ts';

export type AccountMethods = ReturnType<typeof createAccountMethods>;

/** Creates the methods of `remit.account`. They call the API with `call`. */
export function createAccountMethods(call: ApiCall) {
  return {
    /** Returns the account with its seller profile. */
    retrieve: (options?: RequestOptions): Promise<Account> => call('GET', '/api/account', options),

    /** Changes the fields of the seller profile that `body` has, in both modes. */
    update: (body: AccountUpdateParams, options?: WriteOptions): Promise<Account> =>
      call('PATCH', '/api/account', options, { body }),
  };
}
