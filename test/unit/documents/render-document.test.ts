/** Renders documents and reads the text of their pages, as a reader of the PDF does. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { extractText, getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import type { DocumentContent } from '../../../shared/domain/documents/document.ts';
import { type DocumentOptions, renderDocument } from '../../../shared/web/documents/render-document.ts';
import {
  bhutan,
  indiaBillOfSupply,
  indiaCreditNote,
  indiaOtherState,
  indiaSameState,
  manyLines,
  receipt,
  sampleDocument,
  sampleLine,
  usa,
} from './sample-documents.ts';

const plain: DocumentOptions = { paper: 'a4', locale: 'en', watermark: undefined, qr: undefined };

async function pagesOf(content: DocumentContent, options: Partial<DocumentOptions> = {}): Promise<string[]> {
  const { pdf } = await renderDocument(content, { ...plain, ...options });
  const { text } = await extractText(await getDocumentProxy(pdf.slice()), { mergePages: false });
  return text;
}

/** The lines of all pages, in the order in which they are printed. */
const linesOf = async (content: DocumentContent, options?: Partial<DocumentOptions>): Promise<string[]> =>
  (await pagesOf(content, options)).join('\n').split('\n');

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test('a tax invoice of Bhutan has all particulars', async () => {
  expect(await linesOf(bhutan)).toEqual(
    expect.arrayContaining([
      'Tax invoice',
      'Druk Crafts',
      'Norzin Lam 12',
      'Thimphu, 11001',
      'Bhutan',
      'TPN TAB12345',
      'accounts@drukcrafts.example, +975 2 323 456',
      'Karma Tshering',
      'TPN TAC98765',
      'karma@example.bt',
      'Deliver to',
      'Bazaar 7',
      'Haa',
      'Number DC-2026-0042',
      'Date 1 March 2026',
      'Due 31 March 2026',
      'Our reference PO-77',
      'Item Quantity Price Tax Amount',
      'Kira, handwoven silk 2 pcs Nu. 12,500.00 5 % Nu. 25,000.00',
      'less 10 %',
      'School books 1 Nu. 450.00 0 % Nu. 450.00',
      'Subtotal Nu. 27,340.00',
      'Discount −Nu. 100.00',
      'GST exempt Nu. 0.00',
      'GST 5 % Nu. 1,339.58',
      'Total Nu. 28,579.58',
      'In words: Ngultrum Twenty-Eight Thousand Five Hundred Seventy-Nine and Fifty-Eight Chhetrum Only',
      'Tax Rate Taxable value Tax amount',
      'GST exempt 0 % Nu. 448.35 Nu. 0.00',
      'GST 5 % Nu. 26,791.65 Nu. 1,339.58',
      'Bank of Bhutan, account 100 200 300',
      'Account name: Druk Crafts',
      'Pay online: https://pay.example.bt/pay/inv_00000000000000000000000042',
      'Payment within 30 days. Goods remain ours until they are paid.',
      'For Druk Crafts',
      'Dorji Wangmo',
      'Authorized signatory',
      'DC-2026-0042 · Page 1 of 1',
    ]),
  );
});

test('a tax invoice of India in the state of the seller has the particulars of CGST Rule 46, with CGST and SGST', async () => {
  expect(await linesOf(indiaSameState)).toEqual(
    expect.arrayContaining([
      'Tax invoice',
      'Ranga Studio Private Limited',
      '14 Residency Road',
      'Bengaluru, Karnataka 560025',
      'GSTIN 29AAACR5055K1Z6',
      'Number INV/26-27/0007',
      'Date 2 April 2026',
      'GSTIN 29AAFCA1234B1Z0',
      'Place of supply: Karnataka (29)',
      'Item HSN/SAC Quantity Price Tax Amount',
      'Design of a website 998314 1 OTH ₹40,000.00 9 % + 9 % ₹40,000.00',
      'CGST 9 % ₹3,600.00',
      'SGST 9 % ₹3,600.00',
      'CGST 9 % ₹40,000.00 ₹3,600.00',
      'SGST 9 % ₹40,000.00 ₹3,600.00',
      'Total ₹47,200.00',
      'In words: Rupees Forty-Seven Thousand Two Hundred Only',
      'R. Ranganathan',
    ]),
  );
});

test('an invoice to another state of India has IGST, the place of supply, the reverse charge and the rounding', async () => {
  const lines = await linesOf(indiaOtherState);
  expect(lines).toEqual(
    expect.arrayContaining([
      'Place of supply: Maharashtra (27)',
      'Tax is payable on reverse charge: Yes. The buyer pays the tax.',
      'IGST 18 % ₹40,000.00 ₹7,200.49',
      'Rounding −₹0.49',
      'Total ₹47,200.00',
    ]),
  );
  expect(lines.join()).not.toContain('CGST');
});

test('a bill of supply of India shows no tax', async () => {
  const lines = await linesOf(indiaBillOfSupply);
  expect(lines).toEqual(
    expect.arrayContaining([
      'Bill of supply',
      'Number BOS/26-27/0001',
      'Item HSN/SAC Quantity Price Amount',
      'Fresh milk 0401 40 LTR ₹1,000.00 ₹40,000.00',
      'Total ₹40,000.00',
    ]),
  );
  expect(lines.join()).not.toMatch(/Tax|GST \d/);
});

test('a credit note of India has the particulars of CGST Rule 53, and asks for no payment', async () => {
  const lines = await linesOf(indiaCreditNote, { qr: 'upi://pay' });
  expect(lines).toEqual(
    expect.arrayContaining([
      'Credit note',
      'Number CN/26-27/0001',
      'Date 20 April 2026',
      'Corrects invoice INV/26-27/0007 of 2 April 2026',
      'Reason Goods returned',
      'CGST 9 % ₹40,000.00 ₹3,600.00',
      'Total credit ₹47,200.00',
    ]),
  );
  expect(lines.join()).not.toMatch(/Due|pay/i);
});

test('a receipt names the invoice and the payment, and asks for nothing', async () => {
  const lines = await linesOf(receipt, { qr: 'upi://pay' });
  expect(lines).toEqual(
    expect.arrayContaining([
      'Receipt',
      'Number RCP-0001',
      'Date 5 April 2026',
      'For invoice INV/26-27/0007 of 2 April 2026',
      'Paid by Card, Visa 4242',
      `Payment ID pay_${'0'.repeat(26)}`,
      'Total received ₹47,200.00',
    ]),
  );
  expect(lines.join()).not.toMatch(/Due|How to pay|Scan|Received on|Bank/);
});

test('the receipt of a payment outside the payment page says when, by which bank and under which reference it arrived', async () => {
  const { payment } = receipt;
  if (!payment) throw new Error('A receipt has a payment.');
  const arrived = { receivedOn: '2026-04-03', bank: 'Bank of Bhutan', reference: 'CHQ-7' };
  const outside = { ...payment, method: 'offline', card: null, ...arrived } as const;
  expect(await linesOf({ ...receipt, payment: outside }, {})).toEqual(
    expect.arrayContaining([
      'Paid by Outside the payment page, CHQ-7',
      'Received on 3 April 2026',
      'Bank Bank of Bhutan',
    ]),
  );
});

test('an invoice of the United States has sales tax with its rate, on paper of that country', async () => {
  const lines = await linesOf(usa, { paper: 'us-letter' });
  expect(lines).toEqual(
    expect.arrayContaining([
      'Invoice',
      'EIN 12-3456789',
      'New York, NY 10118',
      'pat@example.com',
      'Trail shoes 2 $89.95 8.875 % $179.90',
      'Freight 1 $12.00 $12.00',
      'Sales tax 8.875 % $15.97',
      'Total $207.87',
    ]),
  );
  expect(lines.join()).not.toContain('In words');
  const sizeOf = async (paper: DocumentOptions['paper']) => {
    const { pdf } = await renderDocument(usa, { ...plain, paper });
    return (await (await getDocumentProxy(pdf.slice())).getPage(1)).view.slice(2).map(Math.round);
  };
  expect([await sizeOf('us-letter'), await sizeOf('a4')]).toEqual([
    [612, 792],
    [595, 842],
  ]);
});

test('20 lines with a QR code take at most 60 KB', async () => {
  const { pdf } = await renderDocument(manyLines(20), { ...plain, qr: bhutan.paymentUrl ?? '' });
  expect(pdf.length).toBeLessThanOrEqual(60_000);
});

test('100 lines take several pages, each with the heads of the columns and its number, and none is lost', async () => {
  const pages = await pagesOf(manyLines(100));
  expect(pages.length).toBeGreaterThan(2);
  const text = pages.join('\n');
  for (let line = 1; line <= 100; line += 1) expect(text).toContain(`Woven scarf, pattern ${line} 2 pcs`);
  const withLines = pages.filter((page) => page.includes('Woven scarf'));
  for (const page of withLines) expect(page).toContain('Item Quantity Price Tax Amount');
  for (const [index, page] of pages.entries()) expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
  expect(text.match(/^Total /gm)).toHaveLength(1);
});

test('the same document gives the same bytes, also after others', async () => {
  const options: DocumentOptions = { ...plain, locale: 'dz', watermark: 'cancelled', qr: 'upi://pay' };
  const { pdf: first } = await renderDocument(bhutan, options);
  await renderDocument(manyLines(30), plain);
  const { pdf: second } = await renderDocument(bhutan, options);
  expect(sha256(second)).toBe(sha256(first));
  const { info } = await (await getDocumentProxy(first.slice())).getMetadata();
  expect(info).toMatchObject({ CreationDate: 'D:20260301000000Z', Author: 'Druk Crafts', Language: 'dz' });
});

test('texts of users are printed as they are, and never run', async () => {
  const hostile = [
    '#read("/etc/passwd")',
    '#import "@preview/evil:1.0.0": *',
    '*bold* _it_ $x^2$ `raw` <tag> @ref // end',
    '#{ while true {} }',
    '\\u{41} ] ) } #panic("x")',
    '{page} of {pages}',
  ];
  const lines = await linesOf(
    sampleDocument(
      { lines: hostile.map((description) => sampleLine({ description, unitAmount: 100 })) },
      {
        seller: { ...bhutan.seller, footer: '#image("/document.typ")', terms: '= Heading\n- item' },
        number: '#1',
      },
    ),
  );
  const text = lines.join('\n');
  for (const description of hostile) expect(text).toContain(description);
  for (const printed of ['#image("/document.typ")', '= Heading', '- item', 'Number #1'])
    expect(text).toContain(printed);
  expect(text).not.toContain('root:');
});

test('a character that no font has is shown as its code point and reported, and no text hides or reverses others', async () => {
  const content = sampleDocument({
    lines: [sampleLine({ description: 'Snow \u2603 \u202egnp.exe\u202c 漢字', unitAmount: 100 })],
  });
  const { missing } = await renderDocument(content, plain);
  expect(missing).toEqual(['U+2603', 'U+6F22', 'U+5B57']);
  expect((await linesOf(content)).join('\n')).toContain('Snow [U+2603] gnp.exe [U+6F22 U+5B57]');
});

test('the longest texts and amounts stay on the page', async () => {
  const content = sampleDocument({
    lines: [
      sampleLine({
        description: 'W'.repeat(500),
        quantity: '123456789012.123456',
        unit: 'M'.repeat(50),
        unitAmount: 1,
      }),
      sampleLine({ description: 'ཁྲལ་'.repeat(125), unitAmount: 800_000_000_000 }),
    ],
  });
  const { pdf } = await renderDocument(content, plain);
  const page = await (await getDocumentProxy(pdf.slice())).getPage(1);
  const right = (page.view[2] ?? 0) - 50;
  const { items } = await page.getTextContent();
  const ends = items.map((item) => ('width' in item ? item.transform[4] + item.width : 0));
  expect(Math.max(...ends)).toBeLessThanOrEqual(right);
});

test.each(['dz', 'hi'] as const)(
  'a copy in %s has all its characters, and says that the English document counts',
  async (locale) => {
    const copies = [bhutan, indiaOtherState, indiaCreditNote, indiaBillOfSupply, receipt, usa];
    for (const content of copies) {
      const { missing } = await renderDocument(content, {
        ...plain,
        locale,
        watermark: 'cancelled',
        qr: 'upi://pay',
      });
      expect(missing).toEqual([]);
    }
    const lines = await linesOf(bhutan, { locale });
    expect(lines).toContain('This is a copy for reading. The document in English counts.');
    expect(lines).toContain('TPN TAB12345');
    expect((await linesOf(bhutan)).join()).not.toContain('copy');
  },
);

test('a document of test mode and a cancelled one say so on each page, and a cancelled one asks for no payment', async () => {
  for (const page of await pagesOf(manyLines(60), { watermark: 'test' })) expect(page).toContain('Test mode');
  const text = (await pagesOf(bhutan, { watermark: 'cancelled', qr: 'upi://pay' })).join();
  expect(text).toContain('Cancelled');
  expect(text).toContain('DC-2026-0042');
  expect(text).not.toContain('How to pay');
});

test('any color of a seller is dark enough to be read', async () => {
  const { OPS } = await getResolvedPDFJS();
  for (const color of ['#ffffff', '#ffff00', '#7fff00']) {
    const { pdf } = await renderDocument({ ...bhutan, seller: { ...bhutan.seller, color } }, plain);
    const page = await (await getDocumentProxy(pdf.slice())).getPage(1);
    const { fnArray, argsArray } = await page.getOperatorList();
    const fills = argsArray
      .filter((_, index) => fnArray[index] === OPS.setFillRGBColor)
      .map(([fill]) => String(fill));
    expect(fills.length).toBeGreaterThan(1);
    for (const fill of fills) expect(contrastWithWhite(fill)).toBeGreaterThanOrEqual(4.5);
  }
});

/** The contrast of a color to white, as WCAG 2.2 defines it. @param color `#` and six hexadecimal digits */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
