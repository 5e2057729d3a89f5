/** Tests what a mail calls the number that it shows. */
import { expect, test } from '@jest/globals';
import { type Locale, locales } from '../../../shared/base/locales.ts';
import { type MailKind, mailKinds } from '../../../shared/domain/accounts/mail-settings.ts';
import { renderMail } from '../../../shared/web/mails/render-mail.ts';

/** The names of the number of an invoice, of a receipt and of a credit note. */
const names: Readonly<Record<Locale, readonly [invoice: string, receipt: string, creditNote: string]>> = {
  en: ['Invoice number', 'Receipt', 'Credit note'],
  dz: ['རིན་ཐོའི་ཨང་།', 'འབྱོར་འཛིན།', 'དངུལ་སླར་ལོག་ཡིག་ཆ།'],
  hi: ['बीजक संख्या', 'रसीद', 'जमा पत्र'],
};

/** Returns the line of a mail with its number. */
const numberLineOf = (kind: MailKind, locale: Locale) =>
  renderMail({
    ...{ kind, locale, payee: 'Druk', number: 'NO-7', amountMinor: 2500, currency: 'BTN' },
    ...{ description: 'Tea', dueAt: 0, isDefaultDueDate: true, doneAt: undefined, timeZone: undefined },
    ...{ paymentUrl: 'https://pay.example/pay/inv_1', unsubscribeUrl: undefined, message: undefined },
    ...{ isTest: false, hasDocument: true },
  })
    .text.split('\n')
    .find((line) => line.endsWith('NO-7'));

test.each(locales)(
  '%s: a receipt and a credit note do not call their number that of an invoice',
  (locale) => {
    const [invoice, receipt, creditNote] = names[locale];
    for (const kind of mailKinds) {
      const own = kind === 'receipt' ? receipt : kind === 'credit_note' ? creditNote : invoice;
      expect([kind, numberLineOf(kind, locale)]).toEqual([kind, `${own}: NO-7`]);
    }
  },
);
