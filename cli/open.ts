/** Defines `remit open`: opens the payment page of an invoice in the user's browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { apiHelp, connectApi } from './api-connection.ts';
import type { CliCommand } from './command.ts';

export const openCommand: CliCommand = {
  about: "Print the URL of an invoice's payment page. On a desktop, open it in the browser.",
  details: apiHelp,
  operands: ['INVOICE'],
  examples: ['npx remit open inv_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const invoice = await remit.invoices.retrieve(options.required('INVOICE'));
    if (process.stdout.isTTY && !options.json) await openInBrowser(invoice.paymentUrl);
    return { json: invoice, text: invoice.paymentUrl };
  },
};

/** Opens the URL. Does nothing without a desktop. Uses no shell, because the URL comes from the service. */
async function openInBrowser(url: string): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isMac = process.platform === 'darwin';
  if (
    !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) ||
    !(isMac || DISPLAY || WAYLAND_DISPLAY)
  )
    return;
  const opener = spawn(isMac ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true });
  await once(opener, 'spawn').catch(() => {});
  opener.unref();
}
