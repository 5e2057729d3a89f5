/** Reads the words with which banks say the direction of an amount. Pure. */

const out = [
  ['d', 'dr', 'db', 'dbt', 'debit', 'debits', 'debited'],
  ['w', 'wd', 'wdl', 'wdr', 'wdrl', 'wth', 'withdraw', 'withdrawal', 'withdrawals', 'withdrawn'],
  ['out', 'outgoing', 'outward', 'moneyout', 'paidout', 'paid', 'sent', '-', '–', '—'],
].flat();
const into = [
  ['c', 'cr', 'crd', 'cdt', 'credit', 'credits', 'credited'],
  ['dep', 'dpt', 'deposit', 'deposits', 'deposited'],
  ['in', 'incoming', 'inward', 'moneyin', 'paidin', 'received', '+'],
].flat();

/**
 * Returns −1 for money that went out, and 1 for money that came in. A cell without a text says nothing: the amount itself has the sign.
 * @returns undefined if the text is not one of the words that are known
 */
export function signOfDirection(text: string): 1 | -1 | undefined {
  const word = text.toLowerCase().replace(/[^\p{L}+–—-]/gu, '');
  if (out.includes(word)) return -1;
  return text === '' || into.includes(word) ? 1 : undefined;
}
