/** Holds the texts of mails in Hindi. */
import type { MailTexts } from './mail-texts.ts';

const paidSubject = (name: string, payee: string | undefined, amount: string): string =>
  `${name}: ${payee === undefined ? '' : `${payee} को `}${amount} का भुगतान हुआ`;

export const hindiMailTexts: MailTexts = {
  subjects: {
    invoice: (name, payee, amount) => `${payee === undefined ? '' : `${payee} की ओर से `}${name}: ${amount}`,
    receipt: paidSubject,
    part_receipt: paidSubject,
    reminder: (name, payee, amount) =>
      `अनुस्मारक: ${payee === undefined ? '' : `${payee} की ओर से `}${name}: ${amount}`,
    refund: (name, payee, amount) => `${name}: ${payee === undefined ? '' : `${payee} ने `}${amount} लौटाए`,
    credit_note: (name, payee, amount) =>
      `${payee === undefined ? '' : `${payee} की ओर से `}${name}: ${amount}`,
    failure: (name, payee, amount) =>
      `भुगतान नहीं हुआ: ${payee === undefined ? '' : `${payee} की ओर से `}${name}: ${amount}`,
  },
  receipt: 'रसीद',
  title: { named: '{payee} की ओर से बीजक', unnamed: 'आपके लिए एक बीजक है' },
  reminder: { named: '{payee} की ओर से अनुस्मारक', unnamed: 'बीजक का अनुस्मारक' },
  part: { named: '{payee} को आंशिक भुगतान', unnamed: 'आंशिक भुगतान मिला' },
  stillDue: 'अभी बाकी',
  creditNote: { named: '{payee} की ओर से जमा पत्र', unnamed: 'आपके लिए एक जमा पत्र है' },
  replaced: 'यह जमा पत्र इस बीजक की पूरी राशि वापस जमा करता है। इसकी जगह दूसरा बीजक है।',
  failure: { named: '{payee} को आपका भुगतान नहीं हो सका', unnamed: 'आपका भुगतान नहीं हो सका' },
  message: { named: '{payee} का संदेश', unnamed: 'संदेश' },
  viewReceipt: 'रसीद देखें',
  viewInvoice: 'बीजक देखें',
  refundedAt: 'वापसी की तिथि',
  payAgain: 'इस बीजक का भुगतान अभी बाकी है। आप फिर से भुगतान कर सकते हैं, किसी और तरीके से भी।',
  bankDays: 'बैंक को वापसी दिखाने में कुछ दिन लग सकते हैं।',
  address: 'अगर बटन काम न करे, तो यह पता खोलें:',
  attached: 'दस्तावेज़ PDF के रूप में संलग्न है।',
  stop: 'अनुस्मारक बंद करें',
  reason: {
    named: '{payee} ने आपको यह मेल Remit से भेजा है।',
    unnamed: 'विक्रेता ने आपको यह मेल Remit से भेजा है।',
  },
};
