/** Lists the phrases that no text for users may contain, and finds them in a text. */

export interface AvoidedPhrase {
  readonly pattern: RegExp;
  /** What to write in its place. */
  readonly advice: string;
}

/** Each pattern matches whole words, in any case, also across a line break. */
const avoidedPhrases: readonly AvoidedPhrase[] = [
  phrase('who(so)?ever|whom(so)?ever|for whom', 'name the caller, the client or the payer'),
  phrase('whatever (happens|runs|is|becomes)|whatsoever', '"in all cases", or name the thing'),
  phrase('that which|such as it is', 'name the thing'),
  phrase('(?<!each |all |some |any |one |both |many |most |none )of which', 'start a new sentence'),
  phrase('deeds?', '"operation"'),
  phrase('heed(s|ed|ing)?', '"honors" or "applies"'),
  phrase("(has|have|had) not (a|an|the|any|its|their|his|enough)|hasn't (a|an|the|any)", '"does not have"'),
  phrase('(is|are) there (that|already|to)|that there (is|are)( not?)?', '"exists" or "does not exist"'),
  phrase('(there )?(is|are) none', '"does not exist", "is not set" or "no invoice has …"'),
  phrase('of no account', '"ignored"'),
  phrase('without further ado', '"immediately" or "automatically"'),
  phrase('all the same', '"still"'),
  phrase('anew|once more', '"again"'),
  phrase('(yet|still|expiry|expiry date|attempts) to come', '"future" or "remaining"'),
  phrase('stands? (in|at|beside|behind|before|here|there|under|as|with)', '"is stored" or "is"'),
  phrase(
    '(timer|message|event|answer|delivery) comes(?! from)|comes? (again|too)',
    '"fires", "arrives" or "is sent"',
  ),
  phrase('(is|are|was|were|be|been|being) told', '"is updated" or "is notified"'),
  phrase('(gives?|gave|giving) way', '"is replaced by"'),
  phrase('lets? (it |them |him |her |you )?pass', '"skips" or "accepts"'),
  phrase('(a|one) words? too many', '"unexpected argument"'),
  phrase('as long as', '"while", or split the sentence'),
  phrase('lies? ahead', '"is next" or "is in the future"'),
  phrase('(go|goes|going) on from', '"continue from"'),
  phrase('signs? along', '"also signs"'),
  phrase('so that\\b[^.!?]*\\bso that', 'two sentences'),
  phrase(
    '(colour|honour|behaviour|favour|neighbour|recognis|organis|normalis|serialis|authoris|initialis|summaris|optimis|capitalis)\\w*|misspelt|learnt|whilst',
    'the American spelling',
  ),
];

function phrase(words: string, advice: string): AvoidedPhrase {
  return { pattern: new RegExp(`\\b(?:${words.replaceAll(' ', '\\s+')})\\b`, 'gi'), advice };
}

export interface Finding {
  /** The position of the phrase in the text. */
  readonly index: number;
  readonly words: string;
  readonly advice: string;
}

/** Finds every avoided phrase in `text`. */
export function findAvoidedPhrases(text: string): readonly Finding[] {
  return avoidedPhrases.flatMap(({ pattern, advice }) =>
    [...text.matchAll(pattern)].map((match) => ({ index: match.index, words: match[0], advice })),
  );
}

/** Splits `text` at the ends of its sentences, lines and list items. Removes line breaks within a sentence never. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\s+(?=[A-Z`\d(])|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** Counts the words of a sentence; `code` between backticks counts like any other word. */
export const countWords = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
