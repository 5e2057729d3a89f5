/**
 * Prints how much CPU time the files of the last test run took, by program, and how many calls they made to the table:
 * `npm run test:cost`, or `npm run test:cost -- 50` for the 50 most expensive files.
 */
import { readFileSync } from 'node:fs';

interface Report {
  readonly wall: number;
  readonly jest: number;
  readonly synthesizer: number;
  readonly files: readonly {
    readonly file: string;
    readonly wall: number;
    readonly cpu: Readonly<Record<string, number>>;
    readonly tableCalls: number;
  }[];
}

const shown = Number(process.argv[2] ?? 25);
const { wall, jest, synthesizer, files } = read();
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const rows = files
  .map(({ cpu, ...others }) => ({ ...others, cpu, all: sum(Object.values(cpu)) }))
  .toSorted((a, b) => b.all - a.all);
const programs = [...new Set(files.flatMap(({ cpu }) => Object.keys(cpu)))];
const total = Object.fromEntries(
  programs.map((program) => [program, sum(rows.map(({ cpu }) => cpu[program] ?? 0))]),
);
const lines = [
  ...rows.slice(0, shown),
  {
    file: `all ${rows.length} files`,
    cpu: total,
    all: sum(rows.map(({ all }) => all)),
    tableCalls: sum(rows.map(({ tableCalls }) => tableCalls)),
  },
];
const columns = programs
  .filter((program) => (total[program] ?? 0) >= 0.5)
  .toSorted((a, b) => (total[b] ?? 0) - (total[a] ?? 0));
const format = (seconds = 0) => (seconds < 0.05 ? '' : seconds.toFixed(1));
const table = [
  ['CPU seconds', 'all', ...columns, 'calls'],
  ...lines.map(({ file, cpu, all, tableCalls }) => [
    file,
    format(all),
    ...columns.map((program) => format(cpu[program])),
    String(tableCalls),
  ]),
];
const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
for (const [file = '', ...cells] of table) {
  const aligned = cells.map((cell, column) => cell.padStart(widths[column + 1] ?? 0));
  process.stdout.write(`${[file.padEnd(widths[0] ?? 0), ...aligned].join('  ')}\n`);
}
process.stdout.write(
  `\nThe run took ${wall.toFixed(0)} s, its main process ${jest.toFixed(0)} s of CPU, and the CDK app ${synthesizer.toFixed(0)} s.\n`,
);

function read(): Report {
  try {
    return JSON.parse(readFileSync('.local/test-cpu.json', 'utf8'));
  } catch {
    process.stderr.write('No run was measured. Run tests first, for example with npm test -- test/unit.\n');
    process.exit(1);
  }
}
