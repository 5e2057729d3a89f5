/** The goals of scale and cost. Benchmarks report the figures, and the table of goals is at the top of `RESULTS.md`. */

/** A measured figure beside its goal. */
export interface GoalResult {
  readonly figure: keyof typeof goals;
  readonly measured: string;
  readonly isMet: boolean;
}

/** The goal of each figure, and the name of the benchmark that measures it. */
export const goals = {
  'list at 100,000 invoices': { goal: '≤ 20 read units', bench: 'lists' },
  'list at 1,000,000 invoices, any filter and offset': { goal: '≤ 60 read units, 2 calls', bench: 'lists' },
  'list at 10,000,000 invoices': { goal: '≤ 600 read units, 3 calls', bench: 'lists' },
  'create with key, all writes': { goal: '≤ 13 write units', bench: 'units' },
  'card payment with key, all writes': { goal: '≤ 34 write units', bench: 'units' },
  'module load, CPU, against bare SDK clients': { goal: '≤ 0.75×', bench: 'bundle' },
  'warm server CPU of get, against the usual build': { goal: '≤ 2×', bench: 'usual' },
  'warm server CPU of create, against the usual build': { goal: '≤ 2.5×', bench: 'usual' },
  'warm server CPU of list at 100,000, against the usual build': { goal: '≤ 2.5×', bench: 'usual' },
  'server CPU a delivery': { goal: '≤ 8 ms', bench: 'delivery' },
  'calls a change with 1 endpoint': { goal: '≤ 7, ≤ 4 in sequence', bench: 'calls' },
  'calls a change with 20 endpoints': { goal: '≤ 45', bench: 'calls' },
  'cost of month 36 against month 1, 100,000 invoices a month': { goal: '≤ 1.30×', bench: 'cost' },
} as const;

const title = '## Goals';
const notMeasured = 'not measured yet';

/**
 * Returns the table of goals as Markdown.
 * @param previous the table so far; figures that are not in `results` keep their row
 * @param date that of the new figures
 */
export function toGoalTable(previous: string, results: readonly GoalResult[], date: string): string {
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const rowsBefore = new Map(previous.split('\n').map((line) => [cellsOf(line)[0] ?? '', cellsOf(line)]));
  const rows = Object.entries(goals).map(([figure, { goal, bench }]) => {
    const result = results.find((one) => one.figure === figure);
    const [, , measured = notMeasured, isMet = '', measuredOn = ''] = rowsBefore.get(figure) ?? [];
    return result
      ? [figure, goal, result.measured, result.isMet ? 'yes' : 'no', date, bench]
      : [figure, goal, measured, isMet, measuredOn, bench];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    title,
    '',
    line(['figure', 'goal', 'measured', 'met', 'date', 'benchmark']),
    line(Array(6).fill('---')),
    ...rows.map(line),
    '',
  ].join('\n');
}

/** Whether a section of `RESULTS.md` is the table of goals. */
export const isGoalTable = (section: string): boolean => section.startsWith(`${title}\n`);
