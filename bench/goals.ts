/** The goals of scale and cost. Benchmarks report the figures, and the table of goals is at the top of `RESULTS.md`. */

/** A measured row of a goal. A goal has a row for each size or case that its benchmark measures. */
export interface GoalResult {
  readonly figure: keyof typeof goals;
  /** The size or case, such as `100,000 invoices`. */
  readonly row: string;
  readonly measured: string;
  /** Each measured value divided by its limit in the goal. The goal is met if none is more than 1. */
  readonly shares: readonly number[];
}

/** The goal of each figure, and the name of the benchmark that measures it. */
export const goals = {
  'list at 100,000 invoices': { goal: '≤ 20 read units, 2 calls', bench: 'lists' },
  'list at 1,000,000 invoices': { goal: '≤ 60 read units, 2 calls', bench: 'lists' },
  'list at 10,000,000 invoices': { goal: '≤ 600 read units, 3 calls', bench: 'lists' },
  'invoice to SES, p50': { goal: '≤ 2 s on the local stack', bench: 'mails' },
  'create with key, all writes': { goal: '≤ 13 write units', bench: 'units' },
  'card payment with key, all writes': { goal: '≤ 34 write units', bench: 'units' },
  'module load, CPU, against bare SDK clients': { goal: '≤ 0.75×', bench: 'bundle' },
  'warm server CPU of get, against the usual build': { goal: '≤ 2×', bench: 'usual' },
  'warm server CPU of list, against the usual build': { goal: '≤ 2.5×', bench: 'usual' },
  'warm server CPU of create, against the usual build': { goal: '≤ 2.5×', bench: 'usual' },
  'warm server CPU of a card payment, against the usual build': { goal: '≤ 2.5×', bench: 'usual' },
  'warm server CPU, against its own calls made bare': { goal: '≤ 2.5×', bench: 'usual' },
  'server CPU a delivery': { goal: '≤ 8 ms', bench: 'delivery' },
  'p99 of a list beside 50,000 deliveries, against its calls alone': { goal: '≤ 2×', bench: 'backlog' },
  'calls a change': { goal: '≤ 9 with 1 endpoint, ≤ 70 with 20, ≤ 4 in sequence', bench: 'calls' },
  'export of 1,000,000 invoices': { goal: '≤ 15 min, ≤ 256 MB', bench: 'exports' },
  'bank statement with 5,000 rows': { goal: '≤ 30 s, ≤ 3 read units a row', bench: 'statements' },
  'PDF with 20 lines': { goal: '≤ 60,000 bytes', bench: 'pdf' },
  'PDF with 100 lines': { goal: '≤ 300 ms', bench: 'pdf' },
  'cost of month 36 against month 1': { goal: '≤ 1.30×', bench: 'cost' },
} as const;

const title = '## Goals';
const columns = ['figure', 'row', 'goal', 'measured', 'met', 'date', 'benchmark'];
const notMeasured = 'not measured yet';

/**
 * Returns the table of goals as Markdown. Each goal has all of its rows, the worst first.
 * @param previous the table so far; figures without a result keep their rows
 * @param date that of the new figures
 */
export function toGoalTable(previous: string, results: readonly GoalResult[], date: string): string {
  const rowsBefore = previous.split('\n').map(cellsOf);
  const rows = Object.entries(goals).flatMap(([figure, { goal, bench }]) => {
    const measured = results
      .filter((result) => result.figure === figure)
      .toSorted((one, other) => largestOf(other) - largestOf(one) || sumOf(other) - sumOf(one))
      .map((result) => [
        figure,
        result.row,
        goal,
        result.measured,
        largestOf(result) <= 1 ? 'yes' : 'no',
        date,
        bench,
      ]);
    if (measured.length > 0) return measured;
    const kept = rowsBefore.filter(([name]) => name === figure);
    return kept.length > 0 ? kept : [[figure, '', goal, notMeasured, '', '', bench]];
  });
  const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [title, '', ...lines, ''].join('\n');
}

const largestOf = ({ shares }: GoalResult) => Math.max(...shares);
const sumOf = ({ shares }: GoalResult) => shares.reduce((sum, share) => sum + share, 0);

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Whether a section of `RESULTS.md` is the table of goals. */
export const isGoalTable = (section: string): boolean => section.startsWith(`${title}\n`);
