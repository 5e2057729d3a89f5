/** The figures of a bench run: as tables on the terminal while it goes on, and in `bench/RESULTS.md` at its end. */
import { availableParallelism, cpus, loadavg } from 'node:os';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What one must know to read the figures. */
  readonly notes: readonly string[];
}

/** The machine, and how busy it was with other things. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  const cores = availableParallelism();
  const busy = load > cores ? ', busy with other work: compare times within a table only' : '';
  const model = cpus()[0]?.model.trim() ?? process.arch;
  return `${cores} cores (${model}), Node ${process.versions.node}, load ${load.toFixed(1)} at the start${busy}`;
}

/** @param head when and where it was measured */
export function toMarkdown({ title, columns, rows, notes }: Table, head: string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    head,
    '',
    ...[line(columns), line(columns.map(() => '---')), ...rows.map(line)],
    '',
    ...notes.map((note) => `${note}\n`),
  ].join('\n');
}

/** The value below which that share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** The middle one. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');
export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : count(value)} ms`;
export const times = (value: number): string => `${value < 10 ? value.toFixed(2) : count(value)}×`;

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
