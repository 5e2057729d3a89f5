/** Computes QR codes as paths of SVG, for pages and documents. */
import { encode } from 'uqr';
import { maxQrBytes } from '../domain/accounts/account.ts';

/** The width of the quiet zone that the QR code standard requires. */
const quietModules = 4;

/**
 * Returns the QR code of `text` as an SVG path of strokes of width 1, in a square with sides of `size`.
 * @returns undefined if `text` is empty or longer than 400 bytes in UTF-8
 */
export function qrPath(text: string): { readonly size: number; readonly path: string } | undefined {
  if (text === '' || Buffer.byteLength(text) > maxQrBytes) return undefined;
  const { size, data } = encode(text, { ecc: 'L', boostEcc: true, border: quietModules });
  return { size, path: data.map(drawRow).join('') };
}

/**
 * Returns the SVG path of one row: one stroke through each run of black modules. The position of a stroke is relative
 * to the end of the stroke before it.
 */
function drawRow(row: readonly boolean[], y: number): string {
  let pen: number | undefined;
  let path = '';
  for (const { index, 0: run } of row
    .map((black) => (black ? '1' : '0'))
    .join('')
    .matchAll(/1+/g)) {
    path += pen === undefined ? `M${index} ${y}.5h${run.length}` : `m${index - pen} 0h${run.length}`;
    pen = index + run.length;
  }
  return path;
}
