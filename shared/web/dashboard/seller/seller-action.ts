/**
 * Changes the seller profile of the account. The change is conditional on the profile that the form showed: of two users at once,
 * one is asked to look again. Sending the form twice changes nothing the second time.
 */
import { ApiError } from '../../../base/errors.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import type { Seller, SellerChange } from '../../../domain/accounts/seller.ts';
import { changeSeller } from '../../../domain/accounts/seller-change-store.ts';
import { changedSeller } from '../../../domain/accounts/seller-rules.ts';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import { type Failure, originOf, RecordChangedError, requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { attemptRefusals } from '../records/record-texts.ts';
import {
  fingerprintOfSeller,
  formErrorsOf,
  readSellerForm,
  removeLogoName,
  sellerFieldNames,
} from './seller-form.ts';
import { sellerPath, showSellerForm } from './seller-pages.ts';
import { sellerTexts } from './seller-texts.ts';

export const sellerAction: DashboardAction = {
  path: `${sellerPath}/edit`,
  ability: 'settings:write',
  formPage: () => `${sellerPath}/edit`,
  fields: [...sellerFieldNames, 'seen'],
  optionalFields: [removeLogoName],
  typed: {
    // A browser does not show a file again.
    secrets: ['logo'],
    showAgain: async (request, failure) =>
      showAgain(request, await readSeller(request.context.account), failure),
  },
  handle: async (request) => {
    const { account: accountId } = request.context;
    const [account, current] = await Promise.all([readAccount(accountId), readSeller(accountId)]);
    if (!account) return undefined;
    const sent = readSellerForm(request.form);
    if (!sent.ok) return showAgain(request, current, { errors: sent.errors, status: 400 });
    if (account.closedAt !== undefined) return refuse(request, current, attemptRefusals.closed);
    if (account.isInMaintenance) return refuse(request, current, attemptRefusals.maintenance);
    try {
      return await save(request, current, sent.output, account.timeZone);
    } catch (error) {
      if (error instanceof RecordChangedError)
        return showAgain(request, await readSeller(accountId), {
          alert: sellerTexts.changed,
          status: 409,
          isChanged: true,
        });
      if (!(error instanceof ApiError) || !error.details) throw error;
      return showAgain(request, current, { errors: formErrorsOf(error.details), status: 400 });
    }
  },
};

/** @throws RecordChangedError if the profile differs from what the form showed, and from what it asks for */
async function save(
  request: ActionRequest,
  current: Seller | undefined,
  change: SellerChange,
  timeZone: string | undefined,
): Promise<ActionResult | undefined> {
  const saved = { redirectTo: request.context.url(sellerPath), notice: 'settings_updated' } as const;
  const seen = request.form.get('seen');
  const wanted = fingerprintOfSeller(changedSeller(current, change, timeZone));
  const seller = await changeSeller(request.context.account, change, {
    origin: await originOf(request, 'account.update'),
    start: { owner: requestOwnerOf(request), at: request.context.moment.account },
    require: (present) => {
      const fingerprint = fingerprintOfSeller(present);
      if (fingerprint !== seen && fingerprint !== wanted) throw new RecordChangedError();
    },
  });
  return seller && saved;
}

const refuse = (request: ActionRequest, seller: Seller | undefined, alert: string): ActionResult =>
  showAgain(request, seller, { alert, status: 409 });

const showAgain = (
  { context, form }: ActionRequest,
  seller: Seller | undefined,
  failure: Failure,
): ActionResult => ({ view: showSellerForm(context, seller, { fields: form, failure }) });
