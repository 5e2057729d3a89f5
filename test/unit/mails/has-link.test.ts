/** Tests which texts a mail to a payer must not have, because a mail program makes a link of them. Costs 0.1 s. */
import { expect, test } from '@jest/globals';
import { hasLink } from '../../../shared/domain/mails/mail.ts';

test.each([
  'https://evil.example',
  'www.evil',
  'evil.com',
  'shop.भारत',
  'दुकान.भारत',
  'evil．com',
  'evil。com',
  'evil․com',
  'dorji@evil',
  'dorji＠evil',
])('%s is a link', (text) => {
  expect(hasLink(`Pay at ${text} today.`)).toBe(true);
});

test.each(['Thank you. Nu. 1,250.50 are due.', 'धन्यवाद। 1.5 किलो चाय', 'Rs.500 and 3.5 kg', 'ཇ་བཏུང་།'])(
  '%s is none',
  (text) => {
    expect(hasLink(text)).toBe(false);
  },
);
