/** `remit open`: the payment page of an invoice, in the browser of whoever sits at the terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { apiHelp, connectApi } from './api-connection.ts';
import type { Command } from './command.ts';

export const open: Command = {
  about: "Prints the address of an invoice's payment page and, on a desktop, opens it.",
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

/** Does nothing where there is no desktop. No shell sees the address, which came from the service. */
async function openInBrowser(url: string): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isMac = process.platform === 'darwin';
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '') || !(isMac || DISPLAY || WAYLAND_DISPLAY)) return;
  const opener = spawn(isMac ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true });
  await once(opener, 'spawn').catch(() => {});
  opener.unref();
}
