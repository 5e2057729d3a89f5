/** Holds the texts of mails in Dzongkha. */
import { bankDays } from '../pages/payment-page-texts-dz.ts';
import type { MailTexts } from './mail-texts.ts';

const paidSubject = (name: string, payee: string | undefined, amount: string): string =>
  `${name} ${payee === undefined ? '' : `${payee} ལུ་ `}${amount} སྤྲོད་ཡོད།`;

export const dzongkhaMailTexts: MailTexts = {
  subjects: {
    invoice: (name, payee, amount) => `${payee === undefined ? '' : `${payee} ལས་ `}${name} ${amount}`,
    receipt: paidSubject,
    part_receipt: paidSubject,
    reminder: (name, payee, amount) =>
      `དྲན་སྐུལ། ${payee === undefined ? '' : `${payee} ལས་ `}${name} ${amount}`,
    refund: (name, payee, amount) =>
      `${name} ${payee === undefined ? '' : `${payee} གིས་ `}${amount} སླར་ལོག་འབད་ཡོད།`,
    credit_note: (name, payee, amount) => `${payee === undefined ? '' : `${payee} ལས་ `}${name} ${amount}`,
    failure: (name, payee, amount) =>
      `དངུལ་སྤྲོད་མ་ཚུགས། ${payee === undefined ? '' : `${payee} ལས་ `}${name} ${amount}`,
  },
  receipt: 'འབྱོར་འཛིན།',
  title: { named: '{payee} ལས་རིན་ཐོ།', unnamed: 'ཁྱོད་ལུ་རིན་ཐོ་ཅིག་ཡོད།' },
  reminder: { named: '{payee} ལས་དྲན་སྐུལ།', unnamed: 'རིན་ཐོའི་དྲན་སྐུལ།' },
  part: { named: '{payee} ལུ་དངུལ་ཆ་ཤས་ཅིག་སྤྲོད་ཡོད།', unnamed: 'དངུལ་ཆ་ཤས་ཅིག་སྤྲོད་ཡོད།' },
  stillDue: 'ད་ལྟོ་ཡང་སྤྲོད་དགོ་པའི་དངུལ།',
  creditNote: { named: '{payee} ལས་དངུལ་སླར་ལོག་ཡིག་ཆ།', unnamed: 'ཁྱོད་ལུ་དངུལ་སླར་ལོག་ཡིག་ཆ་ཅིག་ཡོད།' },
  replaced: 'ཡིག་ཆ་འདི་གིས་ རིན་ཐོ་འདི་ཆ་མཉམ་སླར་ལོག་འབདཝ་ཨིན། དེའི་ཚབ་ལུ་རིན་ཐོ་གཞན་ཅིག་ཡོད།',
  failure: { named: '{payee} ལུ་ཁྱོད་ཀྱི་དངུལ་སྤྲོད་མ་ཚུགས།', unnamed: 'ཁྱོད་ཀྱི་དངུལ་སྤྲོད་མ་ཚུགས།' },
  message: { named: '{payee} གི་འཕྲིན་དོན།', unnamed: 'འཕྲིན་དོན།' },
  viewReceipt: 'འབྱོར་འཛིན་བལྟ།',
  viewInvoice: 'རིན་ཐོ་བལྟ།',
  refundedAt: 'སླར་ལོག་འབད་བའི་ཚེས་གྲངས།',
  payAgain: 'རིན་ཐོ་འདིའི་དངུལ་ད་ལྟོ་ཡང་སྤྲོད་དགོ། ཐབས་ལམ་གཞན་ཅིག་ཐོག་ལས་ཡང་སྤྲོད་ཚུགས།',
  bankDays,
  address: 'ཨེབ་རྟ་ལཱ་མ་འབད་བ་ཅིན་ ཁ་བྱང་འདི་ཁ་ཕྱེ།',
  attached: 'ཡིག་ཆ་འདི་ PDF སྦེ་མཉམ་སྦྲགས་འབད་ཡོད།',
  stop: 'དྲན་སྐུལ་བཀག།',
  reason: {
    named: '{payee} གིས་ Remit ཐོག་ལས་ ཁྱོད་ལུ་གློག་འཕྲིན་འདི་བཏང་ཡོད།',
    unnamed: 'བཙོང་མི་གིས་ Remit ཐོག་ལས་ ཁྱོད་ལུ་གློག་འཕྲིན་འདི་བཏང་ཡོད།',
  },
};
