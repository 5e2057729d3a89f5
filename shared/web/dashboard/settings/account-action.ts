/**
 * Changes the account's settings.
 *
 * - Settings are attributes of the account's profile, which is no record with a version. So the change is conditional on
 *   the settings that the form showed: of two users at once, one is asked to look again.
 * - Sending the form twice changes nothing the second time, because the settings already have these values.
 */
import {
  type Account,
  type SeenSettings,
  type SettingsChange,
  settingsOrNull,
} from '../../../domain/accounts/account.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { updateSettings } from '../../../domain/accounts/settings-store.ts';
import { type Failure, originOf } from '../attempts/failed-attempt.ts';
import type { ActionRequest, ActionResult, DashboardAction } from '../definitions.ts';
import { attemptRefusals } from '../records/record-texts.ts';
import { accountFieldNames, fingerprintOfSettings, formSettingsOf, readAccountForm } from './account-form.ts';
import { showAccountForm } from './account-pages.ts';
import { accountTexts } from './account-texts.ts';

export const accountAction: DashboardAction = {
  path: '/settings/account/edit',
  ability: 'settings:write',
  formPage: () => '/settings/account/edit',
  fields: [...accountFieldNames, 'seen'],
  typed: {
    showAgain: async (request, failure) => {
      const account = await readAccount(request.context.account);
      return account && showAgain(request, account, failure);
    },
  },
  handle: async (request) => {
    const account = await readAccount(request.context.account);
    if (!account) return undefined;
    const sent = readAccountForm(request.form, account);
    if (!sent.ok) return showAgain(request, account, { errors: sent.errors, status: 400 });
    const refusal = refusalOf(account);
    if (refusal) return showAgain(request, account, { alert: refusal, status: 409 });
    if (areEqual(sent.output, account)) return saved(request);
    const isAsShown = request.form.get('seen') === fingerprintOfSettings(account);
    const change = changeTo(sent.output);
    const options = { origin: await originOf(request, 'account.update'), seen: formSettingsOf(account) };
    if (isAsShown && (await updateSettings(account.accountId, change, options))) return saved(request);
    const present = await readAccount(account.accountId);
    if (!present) return undefined;
    if (areEqual(sent.output, present)) return saved(request);
    return showAgain(request, present, { alert: accountTexts.changed, status: 409, isChanged: true });
  },
};

function refusalOf({ closedAt, isInMaintenance }: Account): string | undefined {
  if (closedAt !== undefined) return attemptRefusals.closed;
  return isInMaintenance ? attemptRefusals.maintenance : undefined;
}

const areEqual = (one: SeenSettings, other: SeenSettings): boolean =>
  fingerprintOfSettings(one) === fingerprintOfSettings(other);

/** Null removes a setting. */
function changeTo(settings: SeenSettings): SettingsChange {
  return { name: settings.name, ...settingsOrNull(settings) };
}

const saved = ({ context }: ActionRequest): ActionResult => ({
  redirectTo: context.url('/settings/account'),
  notice: 'settings_updated',
});

const showAgain = ({ context, form }: ActionRequest, account: Account, failure: Failure): ActionResult => ({
  view: showAccountForm(context, account, { fields: form, failure }),
});
