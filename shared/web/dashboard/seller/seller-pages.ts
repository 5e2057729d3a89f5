/** Shows the seller profile of the account, and the form that changes it. */
import { html } from 'hono/html';
import { readLogo } from '../../../domain/accounts/logo-store.ts';
import type { Seller } from '../../../domain/accounts/seller.ts';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import { textsOfTaxes } from '../../../domain/charges/own-taxes.ts';
import { formatAddress, formatTaxId } from '../../documents/formats.ts';
import { isolateDirection } from '../../pages/markup.ts';
import type { FailedForm } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardView } from '../definitions.ts';
import { renderDefinitions } from '../elements.ts';
import { renderForm } from '../forms.ts';
import { lineTexts } from '../invoices/invoice-texts.ts';
import { renderButtonLink, renderFailure, renderText } from '../records/record-elements.ts';
import { textFor } from '../records/record-texts.ts';
import { renderSellerFields } from './seller-form.ts';
import { sellerFields, sellerTexts } from './seller-texts.ts';

/** The path of the profile. That of its form follows from it. */
export const sellerPath = '/settings/invoices';

export const sellerPages: readonly DashboardPage[] = [
  {
    path: sellerPath,
    ability: 'account:read',
    handle: async ({ context }) => showSeller(context),
  },
  {
    path: `${sellerPath}/edit`,
    ability: 'settings:write',
    handle: async ({ context }) => showSellerForm(context, await readSeller(context.account)),
  },
];

async function showSeller(context: DashboardContext): Promise<DashboardView> {
  const seller = await readSeller(context.account);
  const logo = seller?.logo;
  const bytes = logo && (await readLogo(context.account, logo));
  // A logo is part of the page, because the dashboard has no other address for it.
  const image = logo && bytes && `data:${logo.type};base64,${Buffer.from(bytes).toString('base64')}`;
  return {
    title: sellerTexts.title,
    section: 'settings',
    aside: context.can('settings:write')
      ? renderButtonLink(context.url(`${sellerPath}/edit`), sellerTexts.edit)
      : undefined,
    content: html`<section class="card">${
      seller ? renderProfile(seller, image ?? undefined) : html`<p>${sellerTexts.none}</p>`
    }<p class="hint">${sellerTexts.scope}</p></section>`,
  };
}

function renderProfile({ address, taxIds, series, ...seller }: Seller, image: string | undefined) {
  const optional = (text: string | null) =>
    text === null ? html`<span class="soft">${sellerTexts.notSet}</span>` : renderText(text);
  const { invoice, creditNote, receipt } = series;
  return renderDefinitions([
    [sellerFields.legalName.label, isolateDirection(seller.legalName)],
    [sellerTexts.address, renderText(formatAddress(address, 'en').join('\n'))],
    [sellerFields.taxIds.label, optional(taxIds.map(formatTaxId).join('\n') || null)],
    [sellerFields.timeZone.label, html`${seller.timeZone}`],
    [sellerFields.fiscalYearStart.label, html`${seller.fiscalYearStart}`],
    [
      sellerTexts.invoiceNumbers,
      html`${sellerTexts.series(invoice.prefix, invoice.digits, invoice.restart)}`,
    ],
    [
      sellerTexts.creditNoteNumbers,
      html`${sellerTexts.series(creditNote.prefix, creditNote.digits, creditNote.restart)}`,
    ],
    [
      sellerTexts.receiptNumbers,
      html`${sellerTexts.series(receipt.prefix, receipt.digits, receipt.restart)}`,
    ],
    [
      sellerFields.paymentDays.label,
      optional(seller.paymentDays === null ? null : String(seller.paymentDays)),
    ],
    [sellerFields.acceptPartial.label, sellerFields.acceptPartial.choices[seller.acceptPartial ? 1 : 0][1]],
    [sellerFields.writeOffPercent.label, String(seller.writeOffPercent)],
    [
      sellerFields.defaultTax.label,
      optional(seller.defaultTax && textFor(lineTexts.taxes, seller.defaultTax)),
    ],
    [sellerFields.taxes.label, optional(textsOfTaxes(seller.taxes).join('\n') || null)],
    [sellerFields.terms.label, optional(seller.terms)],
    [sellerFields.footer.label, optional(seller.footer)],
    [sellerFields.signatory.label, optional(seller.signatory)],
    [sellerFields.color.label, optional(seller.color)],
    [
      sellerFields.logo.label,
      image === undefined
        ? optional(null)
        : html`<img class="logo" src="${image}" alt="${seller.legalName}">`,
    ],
  ]);
}

/** Shows the form of the profile. @param seller undefined: the account has none */
export function showSellerForm(
  context: DashboardContext,
  seller: Seller | undefined,
  failed?: FailedForm,
): DashboardView {
  const content = renderSellerFields(seller, failed);
  const action = context.url(`${sellerPath}/edit`);
  return {
    title: sellerTexts.editTitle,
    section: 'settings',
    status: failed?.failure.status ?? 200,
    content: html`${renderFailure(failed?.failure)}<section class="card">${renderForm(context, { action, submit: sellerTexts.save, content, hasFile: true })}<p class="hint">${sellerTexts.scope}</p><p>${renderButtonLink(context.url(sellerPath), sellerTexts.back)}</p></section>`,
  };
}
