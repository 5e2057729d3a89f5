/** Measures how long a document takes as PDF, and how large it is. */
import { performance } from 'node:perf_hooks';
import { renderDocument } from '../shared/web/documents/render-document.ts';
import { manyLines } from '../test/unit/documents/sample-documents.ts';
import { formatCount, formatMs, median, type Table } from './results.ts';

/** How many documents of each size are made. Each has a number of its own, so that the compiler remembers none as a whole. */
const documents = 15;
const most = { bytesOf20: 60_000, msOf100: 300 };

interface Measured {
  readonly bytes: number;
  /** The duration of each document in milliseconds. */
  readonly durations: readonly number[];
}

export async function benchPdf(): Promise<Table> {
  const first = await measure(1, 1);
  const one = await measure(1, documents);
  const twenty = await measure(20, documents);
  const hundred = await measure(100, documents);
  const row = (name: string, { bytes, durations }: Measured) => [
    name,
    formatCount(bytes),
    formatMs(median(durations)),
    formatMs(Math.max(...durations)),
  ];
  return {
    title: 'A document as PDF',
    columns: ['lines', 'bytes', 'median', 'slowest'],
    rows: [row('1, the first of a process', first), row('1', one), row('20', twenty), row('100', hundred)],
    goals: [
      {
        figure: 'PDF with 20 lines',
        row: 'with a QR code',
        measured: `${formatCount(twenty.bytes)} bytes`,
        shares: [twenty.bytes / most.bytesOf20],
      },
      {
        figure: 'PDF with 100 lines',
        row: 'after the first of a process',
        measured: formatMs(median(hundred.durations)),
        shares: [median(hundred.durations) / most.msOf100],
      },
    ],
    notes: [
      `${documents} documents of each size, one after the other. The first of a process loads the compiler and the fonts.`,
    ],
  };
}

async function measure(lines: number, count: number): Promise<Measured> {
  const durations: number[] = [];
  let bytes = 0;
  for (let number = 0; number < count; number += 1) {
    const content = { ...manyLines(lines), number: `${lines}-${count}-${number}` };
    const startedAt = performance.now();
    const qr = content.paymentUrl ?? undefined;
    const { pdf } = await renderDocument(content, { paper: 'a4', locale: 'en', watermark: undefined, qr });
    durations.push(performance.now() - startedAt);
    bytes = pdf.length;
  }
  return { bytes, durations };
}
