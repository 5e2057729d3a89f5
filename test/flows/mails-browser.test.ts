/**
 * Shows every kind of mail in every language in Chromium, on a phone and on a desk, with light and with dark colors. Takes 20 seconds.
 * Set MAIL_PICTURES to a folder to keep the pictures.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type Locale, locales } from '../../shared/base/locales.ts';
import { mailKinds } from '../../shared/domain/accounts/mail-settings.ts';
import { noticeKinds } from '../../shared/domain/accounts/notice-settings.ts';
import type { RenderedMail } from '../../shared/web/mails/mail-layout.ts';
import { renderMail } from '../../shared/web/mails/render-mail.ts';
import { renderNotice } from '../../shared/web/mails/render-notice.ts';
import { browserTest, startBrowser, type TestBrowser, violationsOf } from '../support/browser.ts';

const { MAIL_PICTURES } = process.env;
const at = Date.parse('2026-11-29T10:00:00.000Z');
/** Long texts without a place to break show whether a mail fits. */
const long = 'Handwovenkira'.repeat(12);

const mails: Readonly<Record<string, (locale: Locale) => RenderedMail>> = {
  ...Object.fromEntries(
    mailKinds.map((kind) => [
      kind,
      (locale: Locale) =>
        renderMail({
          ...{ kind, locale, payee: `Druk Crafts ${long}`, number: `INV-${'0'.repeat(40)}` },
          ...{ amountMinor: 999_999_999_999, currency: 'BTN', description: `Tea ${long}`, isTest: true },
          ...{ dueAt: at, isDefaultDueDate: false, timeZone: 'Asia/Thimphu', isBankRefund: true },
          ...(kind === 'part_receipt' && { dueMinor: 999_999_999_999 }),
          doneAt: kind === 'receipt' || kind === 'part_receipt' || kind === 'refund' ? at : undefined,
          paymentUrl: `https://pay.example.com/pay/inv_${'0'.repeat(26)}`,
          unsubscribeUrl: kind === 'reminder' ? 'https://pay.example.com/stop' : undefined,
          ...{ message: `Thank you ${long}`, hasDocument: true },
        }),
    ]),
  ),
  ...Object.fromEntries(
    noticeKinds.map((kind) => [
      `notice-${kind}`,
      (locale: Locale) =>
        renderNotice({
          ...{ kind, locale, accountName: `Druk Crafts ${long}`, at, timeZone: 'Asia/Thimphu', isTest: true },
          url: 'https://dashboard.example.com/',
          about: `pema.${'lhamo'.repeat(12)}@example.bt`,
          amount: { minor: 999_999_999_999, currency: 'BTN' },
          dispute: kind === 'disputed' ? { status: 'open' } : undefined,
          detail: kind === 'payout' ? 'upiId' : 'viewer',
          by: 'dorji@example.bt',
        }),
    ]),
  ),
};

/** The rules for pages. A mail is a part of the page of its reader. */
const ofPages = /^(landmark-one-main|region): /;

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

browserTest.each(locales)('%s: every mail fits at 390 and 800 pixels, and can be read', async (locale) => {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.open({ colorScheme });
    for (const [name, render] of Object.entries(mails)) {
      await page.setContent(render(locale).html);
      for (const width of [390, 800]) {
        await page.setViewportSize({ width, height: 900 });
        const shown = `${name} ${locale} ${colorScheme} ${width}`;
        const needed = await page.evaluate('document.documentElement.scrollWidth');
        if (Number(needed) > width) problems.push(`${shown} needs ${needed} pixels`);
        if (MAIL_PICTURES)
          writeFileSync(
            join(MAIL_PICTURES, `${shown.replaceAll(' ', '-')}.png`),
            await page.screenshot({ fullPage: true }),
          );
      }
      const violations = (await violationsOf(page)).filter((violation) => !ofPages.test(violation));
      for (const violation of violations) problems.push(`${name} ${locale} ${colorScheme}: ${violation}`);
    }
  }
  expect(problems).toEqual([]);
});
