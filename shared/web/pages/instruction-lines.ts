/** Reads payment instructions: lines such as `Account: 100200300` are rows with a value to copy, all others are text. Pure. */

/** A line of the form `Label: value`. */
export interface InstructionRow {
  readonly label: string;
  readonly value: string;
}

/** Neighboring lines of the same form, in the order of the text. */
export type InstructionBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly rows: readonly InstructionRow[] };

/** More lines stay text, which bounds the size of a page. */
const maxRows = 20;

/** A short label without a colon, a colon with a space after it, and a value. */
const linePattern = /^\s*([^\s:][^:]{0,39}):\s+(\S.*)$/u;

/** Splits instructions into text and rows. Blank lines beside rows are left out. */
export function blocksOf(instructions: string): readonly InstructionBlock[] {
  const blocks: ({ kind: 'text'; lines: string[] } | { kind: 'rows'; rows: InstructionRow[] })[] = [];
  let count = 0;
  for (const line of instructions.split('\n')) {
    const row = count < maxRows ? rowOf(line) : undefined;
    const last = blocks.at(-1);
    if (row) {
      count += 1;
      if (last?.kind === 'rows') last.rows.push(row);
      else blocks.push({ kind: 'rows', rows: [row] });
    } else if (last?.kind === 'text') last.lines.push(line);
    else if (line.trim() !== '') blocks.push({ kind: 'text', lines: [line] });
  }
  return blocks.map((block) =>
    block.kind === 'rows' ? block : { kind: 'text', text: block.lines.join('\n').trimEnd() },
  );
}

/** Undefined: the line is text. A second colon with a space says that it is a sentence. */
function rowOf(line: string): InstructionRow | undefined {
  const [, label = '', value = ''] = linePattern.exec(line) ?? [];
  return value === '' || /:\s/u.test(value) ? undefined : { label: label.trim(), value: value.trim() };
}
