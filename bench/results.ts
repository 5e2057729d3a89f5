/** Formats benchmark results as tables for the terminal and for `bench/RESULTS.md`. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import type { Diagram } from './diagram.ts';
import type { GoalResult } from './goals.ts';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Explains the figures: targets, conditions and methods. */
  readonly notes: readonly string[];
  /** The figures of this benchmark that have a goal. */
  readonly goals?: readonly GoalResult[];
  /** The diagrams for `docs/operate/costs.md`. */
  readonly diagrams?: readonly Diagram[];
}

/** Describes the machine and its load before the benchmark. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  const cores = availableParallelism();
  const busy = load > cores ? ', busy with other work: compare times only within a table' : '';
  const model = cpus()[0]?.model.trim() ?? process.arch;
  return `${cores} cores (${model}), Node ${process.versions.node}, load ${load.toFixed(1)} at the start${busy}`;
}

/** Converts a table to Markdown. @param head the date, the seed and the machine */
export function toMarkdown({ title, columns, rows, notes }: Table, head: string): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `## ${title}`,
    '',
    head,
    '',
    line(columns),
    line(columns.map(() => '---')),
    ...rows.map(line),
    '',
    ...notes.map((note) => `${note}\n`),
  ].join('\n');
}

/** Returns the value below which the given share (0 to 1) of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Returns the median. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US');
export const formatMs = (value: number): string => `${value < 10 ? value.toFixed(1) : formatCount(value)} ms`;
export const formatRatio = (value: number): string =>
  `${value < 10 ? value.toFixed(2) : formatCount(value)}×`;

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}
