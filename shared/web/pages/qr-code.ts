/** Draws QR codes as inline SVG: black on white in every color scheme, because scanners need this contrast. */
import { html, raw } from 'hono/html';
import { qrPath } from '../qr-path.ts';
import type { Markup } from './markup.ts';

/**
 * Renders the QR code of `text`.
 * @param label the text that a screen reader reads
 * @returns undefined if `text` is empty or longer than 400 bytes in UTF-8
 */
export function renderQrCode(text: string, label: string): Markup | undefined {
  const code = qrPath(text);
  if (!code) return undefined;
  const { size, path } = code;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${raw(path)}"/></svg>`;
}
