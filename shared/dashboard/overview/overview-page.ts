/** Shows the overview of an account. */
import { html } from 'hono/html';
import type { DashboardPage } from '../definitions.ts';
import { frameTexts } from '../texts.ts';

export const overviewPage: DashboardPage = {
  path: '',
  ability: 'account:read',
  handle: async ({ context }) => ({
    title: frameTexts.sections.overview,
    section: 'overview',
    content: html`<p>${context.accountName}</p>`,
  }),
};
