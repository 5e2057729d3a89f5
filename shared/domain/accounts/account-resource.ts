/** Defines the account as the API shows it, and the body of its update. */
import * as v from 'valibot';
import { accountIdPattern, modes, type Owner } from '../../base/ids.ts';
import { type Account, plans } from './account.ts';
import {
  type MailSettings,
  mailSettingsChangeSchema,
  mailSettingsSchema,
  showMailSettings,
} from './mail-settings.ts';
import { type Seller, sellerChangeSchema, sellerSchema } from './seller.ts';

const planNames = Object.keys(plans) as (keyof typeof plans)[];

/** The account in responses. It always has all of these fields. */
export const accountSchema = /* @__PURE__ */ v.strictObject({
  id: v.pipe(v.string(), v.regex(accountIdPattern)),
  name: v.string(),
  mode: v.picklist(modes),
  plan: v.picklist(planNames),
  seller: v.nullable(sellerSchema),
  mail: mailSettingsSchema,
});

export type ShownAccount = v.InferOutput<typeof accountSchema>;

/** A client can send back an account that it received: `updateAccountChange` compares the read-only fields. */
export const updateAccountBody = /* @__PURE__ */ v.strictObject({
  id: v.optional(v.unknown()),
  name: v.optional(v.unknown()),
  mode: v.optional(v.unknown()),
  plan: v.optional(v.unknown()),
  seller: v.nullish(sellerChangeSchema),
  mail: v.nullish(mailSettingsChangeSchema),
});

export type UpdateAccount = v.InferOutput<typeof updateAccountBody>;

/** Returns the account as the API shows it. @param owner the account and the mode of the request */
export function showAccount(
  { account, mode }: Owner,
  { name, plan, ...settings }: Pick<Account, 'name' | 'plan'> & MailSettings,
  seller: Seller | undefined,
): ShownAccount {
  return { id: account, name, mode, plan, seller: showSeller(seller), mail: showMailSettings(settings) };
}

/** Returns the seller profile as the API shows it. */
export function showSeller(seller: Seller | undefined): ShownAccount['seller'] {
  return seller
    ? {
        ...seller,
        address: { ...seller.address },
        taxIds: seller.taxIds.map((taxId) => ({ ...taxId })),
        taxes: seller.taxes.map(({ rates, ...tax }) => ({
          ...tax,
          rates: rates.map((rate) => ({ ...rate })),
        })),
        logo: seller.logo && { ...seller.logo },
      }
    : null;
}
