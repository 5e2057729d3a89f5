/** Renders the receipt: payee, amount, time and method, and what became of the money. It is also the printed page. */
import { html } from 'hono/html';
import { formatAmount } from '../../base/money.ts';
import { brandNameOf } from '../../domain/payments/provider/card-brands.ts';
import { issuedRow, partyRows, wordsRow } from './document-details.ts';
import {
  contactRow,
  descriptionRow,
  documentRows,
  formatAmountInSentence,
  invoiceIdRow,
  momentRow,
  payeeRow,
  referenceRow,
  renderDetails,
  renderHeading,
  renderLogo,
} from './invoice-summary.ts';
import {
  type DetailRow,
  fillInPayee,
  type IconName,
  isolateDirection,
  type Markup,
  renderIcon,
} from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { InvoiceView, ReceiptView } from './payment-page-view.ts';

type ReceiptState = 'paid' | 'partly' | 'refunded' | 'partlyReturned' | 'returned' | 'disputed' | 'lost';

const icons: Record<ReceiptState, IconName> = {
  paid: 'check',
  partly: 'back',
  refunded: 'back',
  partlyReturned: 'back',
  returned: 'back',
  disputed: 'alert',
  lost: 'back',
};

/**
 * Returns what became of the money of a paid invoice. A dispute matters more than a refund of a part. Money that the service did not
 * move is returned, and not refunded.
 */
export function receiptStateOf({ amountMinor }: InvoiceView, receipt: ReceiptView): ReceiptState {
  const { refundedMinor, dispute, method } = receipt;
  const isOffline = method === 'offline';
  if (refundedMinor >= amountMinor) return isOffline ? 'returned' : 'refunded';
  if (dispute?.status === 'open') return 'disputed';
  if (dispute?.status === 'lost') return 'lost';
  if (refundedMinor === 0) return 'paid';
  return isOffline ? 'partlyReturned' : 'partly';
}

/** Renders the receipt of a paid invoice. */
export function renderReceipt(invoice: InvoiceView, receipt: ReceiptView, language: PageLanguage): Markup {
  const { texts } = language;
  const state = receiptStateOf(invoice, receipt);
  // A refund in full is about the refunded amount. The rows show both amounts.
  const amountMinor =
    state === 'refunded' || state === 'returned' ? receipt.refundedMinor : invoice.amountMinor;
  const heading = renderHeading(texts.paid[state], { ...invoice, amountMinor }, language);
  return html`<section class="state paid">${renderLogo(invoice)}<p class="kind">${texts.paid.receipt}</p>${renderIcon(icons[state])}${heading}</section>
${renderDetails(receiptRows(invoice, receipt, language))}
<p class="note screen">${texts.paid.keep}</p>`;
}

function receiptRows(invoice: InvoiceView, receipt: ReceiptView, language: PageLanguage): DetailRow[] {
  const { texts } = language;
  return [
    payeeRow(invoice, language),
    ...partyRows(invoice, language),
    receipt.address === undefined || invoice.document
      ? undefined
      : [texts.paid.address, html`<p class="text" dir="auto">${receipt.address}</p>`],
    contactRow(invoice, language),
    invoice.document ? undefined : [texts.paid.payer, isolateDirection(receipt.payer)],
    momentRow(invoice, texts.paid.paidAt, receipt.paidAt, language),
    [texts.paid.method, methodOf(invoice, receipt, language)],
    wordsRow(invoice, language),
    ...moneyBackRows(invoice, receipt, language),
    descriptionRow(invoice, language),
    ...documentRows(invoice, language),
    issuedRow(invoice, language),
    referenceRow(invoice, language),
    invoiceIdRow(invoice, language),
    [texts.payment, html`<span class="id">${receipt.paymentId}</span>`],
  ];
}

/** Returns the rows about money that went back to the payer, and the net amount. */
function moneyBackRows(
  invoice: InvoiceView,
  { refundedMinor, refundedAt, dispute, unneeded, method }: ReceiptView,
  language: PageLanguage,
): DetailRow[] {
  const { texts } = language;
  const { paid } = texts;
  const { payee, amountMinor, currency, received } = invoice;
  const amountRow = (name: string, minor: number): DetailRow => [
    name,
    html`${formatAmount(minor, currency)}`,
  ];
  const lostMinor = dispute?.status === 'lost' ? dispute.amountMinor : 0;
  const rows: DetailRow[] = [];
  const isLess = received !== undefined && received.totalMinor > received.paidMinor;
  if (isLess) rows.push(amountRow(texts.amount, received.totalMinor));
  if (isLess || refundedMinor > 0 || lostMinor > 0) rows.push(amountRow(paid.amountPaid, amountMinor));
  if (refundedMinor > 0)
    rows.push(
      amountRow(method === 'offline' ? paid.amountReturned : texts.refunded, refundedMinor),
      momentRow(invoice, method === 'offline' ? paid.returnedAt : paid.refundedAt, refundedAt, language),
    );
  if (dispute) {
    const sentence = paid.disputes[dispute.status](formatAmountInSentence(dispute.amountMinor, currency));
    rows.push([paid.dispute, html`${fillInPayee(sentence, payee, language)}`]);
  }
  if (refundedMinor > 0 || lostMinor > 0)
    rows.push(amountRow(paid.net, Math.max(0, amountMinor - refundedMinor - lostMinor)));
  if (unneeded) {
    const isRefunded = unneeded.refundedMinor >= unneeded.receivedMinor;
    const open = unneeded.isRefundRefused ? paid.unneededRefused : paid.unneededRefunding;
    const sentence = (isRefunded ? paid.unneededRefunded : open)(
      formatAmountInSentence(unneeded.receivedMinor, currency),
    );
    rows.push([paid.unneeded, html`${fillInPayee(sentence, payee, language)}`]);
  }
  return rows;
}

function methodOf({ payee }: InvoiceView, { method, card }: ReceiptView, language: PageLanguage): Markup {
  const { texts } = language;
  if (card !== null) return html`${texts.paid.card(brandNameOf(card.brand), card.last4)}`;
  return html`${fillInPayee(texts.paid.methods[method], payee, language)}`;
}
