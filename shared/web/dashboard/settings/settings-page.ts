/** Shows the settings of an account as a list of links. To add a page of settings, add it to `links`. */
import { html } from 'hono/html';
import type { DashboardPage } from '../definitions.ts';
import { readPaymentWays, renderCurrencyWarning } from '../payment-warning.ts';
import { frameTexts } from '../texts.ts';

/** The pages of settings: path, title and what they are for. */
const links = [
  ['/settings/keys', 'API keys', 'Keys with which programs use the API, and when each was last used.'],
  [
    '/settings/providers',
    'Payment providers',
    'Take card payments through a provider: connect it, replace its credentials, and disconnect it.',
  ],
  [
    '/settings/account',
    'Account',
    'The name, what payment pages show about the payee, how to pay by bank transfer, and the plan.',
  ],
  [
    '/settings/invoices',
    'Invoices',
    'Who issues your invoices: the legal name, the address, tax IDs, and how invoices are numbered.',
  ],
  [
    '/exports',
    'Exports',
    'Files with invoices, payments, the journal or documents, for your accountant or another program.',
  ],
  ['/mails', 'Mails', 'What came of each mail to your customers and to you, and how each looks.'],
  ['/settings/members', 'Members', 'Who has access to this account, in which role. Invitations.'],
  ['/settings/audit-log', 'Audit log', 'Who changed what, when and from where. For owners.'],
] as const;

export const settingsPage: DashboardPage = {
  path: '/settings',
  ability: 'account:read',
  handle: async ({ context }) => {
    const ways = await readPaymentWays(context);
    const cards = links.map(
      ([path, title, about]) =>
        html`<section class="card"><h2><a href="${context.url(path)}">${title}</a></h2><p class="soft">${about}</p></section>`,
    );
    return {
      title: frameTexts.sections.settings,
      section: 'settings',
      content: html`${renderCurrencyWarning(context, ways)}<div class="cards">${cards}</div>`,
    };
  },
};
