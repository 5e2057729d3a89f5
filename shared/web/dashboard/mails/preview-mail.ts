/** Makes the mails that the preview shows, from the settings of the account and its newest invoice. */
import type { Owner } from '../../../base/ids.ts';
import type { Instant } from '../../../base/time.ts';
import { type Account, settingsOf } from '../../../domain/accounts/account.ts';
import { readAccount } from '../../../domain/accounts/account-store.ts';
import { readLogo } from '../../../domain/accounts/logo-store.ts';
import { localeOfMails, type MailKind, mailKinds } from '../../../domain/accounts/mail-settings.ts';
import { isNoticeKind, type NoticeKind, noticeKinds } from '../../../domain/accounts/notice-settings.ts';
import type { Seller } from '../../../domain/accounts/seller.ts';
import { readSeller } from '../../../domain/accounts/seller-store.ts';
import { numberIn, seriesOf } from '../../../domain/documents/series.ts';
import type { ShownInvoice } from '../../../domain/invoices/invoice.ts';
import type { MailPicture, RenderedMail } from '../../mails/mail-layout.ts';
import { sizeOfLogo } from '../../mails/mail-logo.ts';
import { renderMail } from '../../mails/render-mail.ts';
import { renderNotice } from '../../mails/render-notice.ts';
import type { DashboardContext } from '../context.ts';
import { readNumberedInvoices } from '../invoices/invoice-queries.ts';
import { previewInvoice } from './preview-texts.ts';

/** Every kind of mail. */
export const previewKinds = [...mailKinds, ...noticeKinds] as const;
export type PreviewKind = (typeof previewKinds)[number];

/** What the preview is made from. */
export interface PreviewSources {
  readonly account: Account | undefined;
  readonly seller: Seller | undefined;
  /** The newest invoice. Undefined: the account has none in this mode. */
  readonly invoice: (ShownInvoice & { readonly number?: string | null | undefined }) | undefined;
}

/** Reads what the preview is made from. */
export async function readPreviewSources(owner: Owner, now: Instant): Promise<PreviewSources> {
  const query = { status: undefined, offset: 0, limit: 1 } as Parameters<typeof readNumberedInvoices>[1];
  const [account, seller, invoices] = await Promise.all([
    readAccount(owner.account),
    readSeller(owner.account),
    readNumberedInvoices(owner, query, now),
  ]);
  return { account, seller, invoice: invoices.data[0] };
}

const dayMs = 24 * 60 * 60 * 1000;

/** Renders a mail as its reader would get it now. */
export async function renderPreview(
  kind: PreviewKind,
  { account, seller, invoice }: PreviewSources,
  context: DashboardContext,
): Promise<RenderedMail> {
  if (isNoticeKind(kind)) return renderNoticeOf(kind, { account, seller, invoice }, context);
  const settings = account && settingsOf(account);
  const { now, mode } = context;
  const isReminder = kind === 'reminder';
  const amount = invoice?.amount ?? previewInvoice.amount;
  const isPart = kind === 'part_receipt';
  const paid = isPart ? Math.ceil(amount / 2) : amount;
  return renderMail({
    kind,
    locale: invoice?.locale ?? localeOfMails({ mailLocale: settings?.mailLocale }),
    payee: settings?.displayName ?? seller?.legalName,
    number: numberOf(kind, { seller, invoice }, now),
    amountMinor: paid,
    ...(isPart && { dueMinor: amount - paid }),
    currency: invoice?.currency ?? previewInvoice.currency,
    description: invoice?.description ?? previewInvoice.description,
    dueAt: invoice ? Date.parse(invoice.dueDate) : now + 14 * dayMs,
    isDefaultDueDate: false,
    doneAt: kind === 'receipt' || isPart || kind === 'refund' ? now : undefined,
    isBankRefund: kind === 'refund',
    timeZone: context.timeZone,
    paymentUrl: invoice?.paymentUrl ?? previewInvoice.paymentUrl,
    unsubscribeUrl: isReminder ? previewInvoice.paymentUrl : undefined,
    message: undefined,
    isTest: mode === 'test',
    hasDocument: seller !== undefined && !isPart,
    logo: await logoOf(context.account, seller),
  });
}

/** Receipts and credit notes have numbers of their own series, and the preview shows its first. The other mails have the number of the invoice. */
function numberOf(
  kind: MailKind,
  { seller, invoice }: Pick<PreviewSources, 'seller' | 'invoice'>,
  now: Instant,
): string | undefined {
  if (kind === 'receipt' || kind === 'credit_note') return seller && numberIn(seriesOf(seller, kind, now), 1);
  return invoice ? (invoice.number ?? undefined) : seller && previewInvoice.number;
}

/** A preview has no parts, so the picture is in its address. */
async function logoOf(account: string, seller: Seller | undefined): Promise<MailPicture | undefined> {
  const bytes = seller?.logo ? await readLogo(account, seller.logo) : undefined;
  if (!seller?.logo || !bytes) return undefined;
  const src = `data:${seller.logo.type};base64,${Buffer.from(bytes).toString('base64')}`;
  return { src, alt: seller.legalName, ...sizeOfLogo(seller.logo) };
}

function renderNoticeOf(
  kind: NoticeKind,
  { account, invoice }: PreviewSources,
  context: DashboardContext,
): RenderedMail {
  const { user, accountName, mode, now, timeZone } = context;
  const amount = {
    minor: invoice?.amount ?? previewInvoice.amount,
    currency: invoice?.currency ?? previewInvoice.currency,
  };
  const isAboutMoney = kind === 'paid' || kind === 'disputed' || kind === 'claimed';
  return renderNotice({
    kind,
    locale: localeOfMails({ mailLocale: account?.mailLocale }),
    accountName,
    at: now,
    timeZone,
    isTest: mode === 'test',
    url: `${context.dashboardUrl}/`,
    about:
      kind === 'paid' || kind === 'claimed'
        ? (invoice?.number ?? invoice?.id ?? previewInvoice.number)
        : aboutOf(kind, user.email),
    amount: isAboutMoney ? amount : undefined,
    dispute: kind === 'disputed' ? { status: 'open' } : undefined,
    detail: details[kind],
    by: kind === 'key' || kind === 'payout' ? user.email : undefined,
  });
}

const aboutOf = (kind: NoticeKind, email: string): string | undefined =>
  (
    ({ disputed: 'pay_…', endpoint: 'wh_…', schedule: 'sch_…', key: 'key_…' }) as Partial<
      Record<NoticeKind, string>
    >
  )[kind] ?? (kind === 'payout' || kind === 'invitation' ? undefined : email);

const details: Readonly<Partial<Record<NoticeKind, string>>> = {
  endpoint: 'failing',
  schedule: 'The customer of the invoice is deleted. Name another customer.',
  member: 'viewer',
  payout: 'upiId',
  sign_in: 'Firefox on Linux',
  invitation: 'viewer',
};

/** Returns the kind that a query names. The first one is the default. */
export const kindIn = (query: URLSearchParams): PreviewKind =>
  previewKinds.find((kind) => kind === query.get('kind')) ?? ('invoice' satisfies MailKind);
