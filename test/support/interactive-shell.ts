/**
 * Finds what an interactive bash or zsh does not take as the reader of a document expects. Their rules differ from those of
 * a script: zsh has no comments, and both look for `!` in the history.
 */

/** Variables that zsh keeps for itself. */
const reservedVariables = [
  'path',
  'status',
  'cdpath',
  'options',
  'aliases',
  'commands',
  'functions',
  'history',
  'argv',
];

/** Returns a text for each fault of a block of commands, with the line in which it is. */
export function interactiveFaults(block: string): string[] {
  const faults: string[] = [];
  let quote = '';
  let isWordStart = true;
  let line = 1;
  const fault = (what: string) => faults.push(`line ${line}: ${what}`);
  for (let at = 0; at < block.length; at += 1) {
    const character = block[at] ?? '';
    const rest = block.slice(at);
    if (character === '\n') line += 1;
    if (character === '!' && quote !== "'") fault('the history replaces !');
    if (character === '\\' && quote !== "'") {
      if (/^\\[ \t]+\n/.test(rest)) fault('a blank follows the backslash at the end of the line');
      if (block[at + 1] === '\n') line += 1;
      at += 1;
      isWordStart = block[at] === '\n';
      continue;
    }
    if (quote) {
      if (character === quote) quote = '';
      continue;
    }
    if (character === "'" || character === '"') quote = character;
    if (isWordStart && character === '#') fault('zsh takes no comments');
    if (isWordStart && /^=\w/.test(rest)) fault('zsh replaces =word by the path of a command');
    if ('?*['.includes(character)) fault(`zsh refuses a command with ${character} if it matches no file`);
    if (/^<[a-zA-Z]/.test(rest) && block[at - 1] !== '<') fault('a shell reads from the file in <>');
    const [, variable] = (isWordStart && /^(\w+)=/.exec(rest)) || [];
    if (variable && reservedVariables.includes(variable))
      fault(`zsh keeps the variable ${variable} for itself`);
    isWordStart = /[\s;&|()]/.test(character);
  }
  if (quote) fault(`${quote} has no partner`);
  return faults;
}
