/**
 * Shows the log of the local stack to people: one short line for each request, webhook attempt, event and error.
 *
 * - A line never contains a body, a header or a query. A path parameter is shown only if it is the id of a resource.
 * - The colors depend on the terminal. Without a terminal, there are none.
 */
import { styleText } from 'node:util';
import { idPrefixes } from '../../shared/base/ids.ts';
import type { logger } from '../../shared/base/log.ts';
import type { AnsweredRequest } from './gateway.ts';

/** A value of `styleText`, such as `green`. */
type Color = 'green' | 'yellow' | 'red' | 'dim';
type Paint = (color: Color, text: string) => string;
type Fields = Readonly<Record<string, unknown>>;

/** Colors a text if standard output is a terminal that shows colors. */
export const paintForTerminal: Paint = (color, text) => styleText(color, text, { stream: process.stdout });

const levels = ['debug', 'info', 'warn', 'error', 'critical'] as const;
type Level = (typeof levels)[number];

const idPattern = new RegExp(`^(${Object.values(idPrefixes).join('|')})_[0-9a-z]{10,40}$`);

/** Returns the line of a request. */
export function formatRequest(request: AnsweredRequest, at: Date, paint: Paint): string {
  const { method, route, pathParameters, status, durationMs, requestId } = request;
  const path = route?.replaceAll(/\{(\w+)\+?\}/g, (parameter, name) => {
    const value = pathParameters[name] ?? '';
    return idPattern.test(value) ? value : parameter;
  });
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const time = `${Math.round(durationMs)} ms`.padStart(8);
  const target = `${method.padEnd(6)} ${(path ?? '(no route)').padEnd(46)}`;
  return `${timeOf(at, paint)} ${target} ${paint(color, String(status))} ${time}  ${paint('dim', requestId)}`;
}

/**
 * Returns the line of a log entry, or undefined for an entry that says nothing more than the line of its request.
 * @param fields the fields of the entry; those that are metrics are left out
 */
export function formatEntry(
  { level, message, fields }: { level: Level; message: string; fields: Fields },
  at: Date,
  paint: Paint,
): string | undefined {
  if (message === 'request' && !fields.error) return undefined;
  const hidden = metricNames(fields);
  const shown = Object.entries(fields)
    .filter(([name, value]) => value !== undefined && !hidden.includes(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  const isFault = level !== 'debug' && level !== 'info';
  const title = isFault ? paint(level === 'warn' ? 'yellow' : 'red', `${level}: ${message}`) : message;
  return [timeOf(at, paint), title, ...shown].join(' ');
}

/** Makes the logger of the functions write readable lines. */
export function writeReadableLines(
  target: Pick<typeof logger, Level>,
  print: (line: string) => void,
  paint: Paint,
): void {
  for (const level of levels) {
    target[level] = (message: unknown, ...extra: unknown[]) => {
      const fields = Object.assign({}, ...extra.filter((each) => typeof each === 'object')) as Fields;
      const line = formatEntry({ level, message: String(message), fields }, new Date(), paint);
      if (line !== undefined) print(line);
    };
  }
}

/** The time of day on this machine. */
const timeOf = (at: Date, paint: Paint) => paint('dim', at.toTimeString().slice(0, 8));

/** Returns the names of the fields that only metrics need. */
function metricNames({ _aws }: Fields): string[] {
  const metrics = (_aws as { CloudWatchMetrics?: { Metrics?: { Name: string }[] }[] } | undefined)
    ?.CloudWatchMetrics;
  return ['_aws', 'stage', ...(metrics ?? []).flatMap(({ Metrics = [] }) => Metrics.map(({ Name }) => Name))];
}

/** Returns a value in one line. JSON escapes control characters, which could change what a terminal shows. */
function formatValue(value: unknown): string {
  const { name, message } = (value ?? {}) as { name?: unknown; message?: unknown };
  if (typeof name === 'string' && typeof message === 'string') return JSON.stringify(`${name}: ${message}`);
  return typeof value === 'string' && /^[\w.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}
