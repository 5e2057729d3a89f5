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
} from './invoice-summary.ts';
import {
  type DetailRow,
  fillInPayee,
  type IconName,
  isolateDirection,
  type Markup,
  renderIcon,
} from './markup.ts';
import { pageTexts } from './payment-page-texts.ts';
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
export function renderReceipt(invoice: InvoiceView, receipt: ReceiptView): Markup {
  const state = receiptStateOf(invoice, receipt);
  // A refund in full is about the refunded amount. The rows show both amounts.
  const amountMinor =
    state === 'refunded' || state === 'returned' ? receipt.refundedMinor : invoice.amountMinor;
  const heading = renderHeading(pageTexts.paid[state], { ...invoice, amountMinor });
  return html`<section class="state paid"><p class="kind">${pageTexts.paid.receipt}</p>${renderIcon(icons[state])}${heading}</section>
${renderDetails(receiptRows(invoice, receipt))}
<p class="note screen">${pageTexts.paid.keep}</p>`;
}

function receiptRows(invoice: InvoiceView, receipt: ReceiptView): DetailRow[] {
  return [
    payeeRow(invoice),
    ...partyRows(invoice),
    receipt.address === undefined || invoice.document
      ? undefined
      : [pageTexts.paid.address, html`<p class="text" dir="auto">${receipt.address}</p>`],
    contactRow(invoice),
    invoice.document ? undefined : [pageTexts.paid.payer, isolateDirection(receipt.payer)],
    momentRow(invoice, pageTexts.paid.paidAt, receipt.paidAt),
    [pageTexts.paid.method, methodOf(invoice, receipt)],
    wordsRow(invoice),
    ...moneyBackRows(invoice, receipt),
    descriptionRow(invoice),
    ...documentRows(invoice),
    issuedRow(invoice),
    referenceRow(invoice),
    invoiceIdRow(invoice),
    [pageTexts.payment, html`<span class="id">${receipt.paymentId}</span>`],
  ];
}

/** Returns the rows about money that went back to the payer, and the net amount. */
function moneyBackRows(
  invoice: InvoiceView,
  { refundedMinor, refundedAt, dispute, unneeded, method }: ReceiptView,
): DetailRow[] {
  const { paid } = pageTexts;
  const { payee, amountMinor, currency } = invoice;
  const amountRow = (name: string, minor: number): DetailRow => [
    name,
    html`${formatAmount(minor, currency)}`,
  ];
  const lostMinor = dispute?.status === 'lost' ? dispute.amountMinor : 0;
  const rows: DetailRow[] = [];
  if (refundedMinor > 0 || lostMinor > 0) rows.push(amountRow(paid.amountPaid, amountMinor));
  if (refundedMinor > 0)
    rows.push(
      amountRow(method === 'offline' ? paid.amountReturned : pageTexts.refunded, refundedMinor),
      momentRow(invoice, method === 'offline' ? paid.returnedAt : paid.refundedAt, refundedAt),
    );
  if (dispute) {
    const sentence = paid.disputes[dispute.status](formatAmountInSentence(dispute.amountMinor, currency));
    rows.push([paid.dispute, html`${fillInPayee(sentence, payee)}`]);
  }
  if (refundedMinor > 0 || lostMinor > 0)
    rows.push(amountRow(paid.net, Math.max(0, amountMinor - refundedMinor - lostMinor)));
  if (unneeded) {
    const isRefunded = unneeded.refundedMinor >= unneeded.receivedMinor;
    const open = unneeded.isRefundRefused ? paid.unneededRefused : paid.unneededRefunding;
    const sentence = (isRefunded ? paid.unneededRefunded : open)(
      formatAmountInSentence(unneeded.receivedMinor, currency),
    );
    rows.push([paid.unneeded, html`${fillInPayee(sentence, payee)}`]);
  }
  return rows;
}

function methodOf({ payee }: InvoiceView, { method, card }: ReceiptView): Markup {
  if (card !== null) return html`${pageTexts.paid.card(brandNameOf(card.brand), card.last4)}`;
  return html`${fillInPayee(pageTexts.paid.methods[method], payee)}`;
}
