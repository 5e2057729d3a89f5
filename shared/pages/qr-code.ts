/** Draws QR codes as inline SVG: black on white in every colour scheme, as readers want them. */
import { html, raw } from 'hono/html';
import { encode } from 'uqr';
import { maxQrBytes } from '../accounts/account.ts';
import type { Markup } from './markup.ts';

/** The quiet zone that the standard asks for. */
const quietModules = 4;

/**
 * The QR code of `text` as an image with that label; undefined if it is empty or longer than 400 bytes in UTF-8.
 */
export function qrCode(text: string, label: string): Markup | undefined {
  if (text === '' || Buffer.byteLength(text) > maxQrBytes) return undefined;
  const { size, data } = encode(text, { ecc: 'L', boostEcc: true, border: quietModules });
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${raw(data.map(strokesOf).join(''))}"/></svg>`;
}

/** One row as strokes through the middle of its modules: each run of black ones is one, and the next is told from it. */
function strokesOf(row: readonly boolean[], y: number): string {
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
