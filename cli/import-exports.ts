/** Runs `remit import`: reads the files, creates what they have, and reports what was left out. */
import { currencies } from '../shared/base/money.ts';
import { connectApi } from './api-connection.ts';
import { type CommandResult, type ParsedOptions, parseChoice, usageError } from './command.ts';
import { amountForms, readImportFile } from './import-file.ts';
import { type ImportPlan, type ImportRows, planImport } from './import-plan.ts';
import { type ImportTool, importKinds, importTools, type LeftOutRow } from './import-records.ts';
import { type ImportOutcome, runImport } from './import-run.ts';

/** @throws CommandError if an option or a file is wrong, or an error of the client */
export async function importExports(options: ParsedOptions): Promise<CommandResult> {
  const plan = await planOf(options);
  const next = nextNumberOf(plan, options.optional('set-next-number'));
  if (options.flag('dry-run')) return showPlan(plan);
  const { remit } = await connectApi();
  const choices = { tool: toolOf(options), newNumbers: options.flag('new-numbers'), next };
  return showOutcome(plan, await runImport(remit, plan, choices));
}

/** @throws CommandError (usage) if an option is wrong or a file cannot be imported */
async function planOf(options: ParsedOptions): Promise<ImportPlan> {
  const tool = toolOf(options);
  const named = options.optional('currency');
  const currency = named === undefined ? undefined : parseChoice('currency', named, currencies);
  const form = options.optional('amounts');
  if (form !== undefined && tool !== 'razorpay') throw usageError('--amounts is only for razorpay.');
  const amounts = form === undefined ? undefined : parseChoice('amounts', form, amountForms);
  if (tool === 'invoice-ninja' && options.optional('products') !== undefined && !currency)
    throw usageError('Products of Invoice Ninja name no currency. Add --currency.');
  const rows: { -readonly [Kind in keyof ImportRows]: ImportRows[Kind] } = {};
  for (const kind of importKinds) {
    const path = options.optional(kind);
    if (path !== undefined) rows[kind] = await readImportFile(path, tool, kind, amounts);
  }
  if (Object.keys(rows).length === 0)
    throw usageError(`Name at least one file: ${importKinds.map((kind) => `--${kind} FILE`).join(', ')}.`);
  return planImport(rows, { tool, currency, taxes: readTaxes(options) });
}

/** @throws CommandError (usage) if the tool is not known */
function toolOf(options: ParsedOptions): ImportTool {
  const word = options.required('TOOL');
  const tool = importTools.find((each) => each === word);
  if (!tool) throw usageError(`TOOL must be one of ${importTools.join(', ')}.`);
  return tool;
}

function readTaxes(options: ParsedOptions): ReadonlyMap<string, string> {
  return new Map(
    options.all('tax').map((text) => {
      const at = text.lastIndexOf('=');
      if (at < 1) throw usageError('--tax must be NAME=CODE, for example --tax "GST 18=in_gst_18".');
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
}

/** @throws CommandError (usage) if no number of the file begins with the prefix */
function nextNumberOf({ numbers }: ImportPlan, prefix: string | undefined): number | undefined {
  if (prefix === undefined) return undefined;
  const found = numbers.find((series) => series.prefix === prefix);
  if (found) return found.next;
  const known = numbers.slice(0, maxShown).map((series) => series.prefix || '""');
  throw usageError(
    known.length > 0
      ? `No invoice number of the file is ${prefix} and digits. --set-next-number can be ${known.join(', ')}.`
      : '--set-next-number needs --invoices with a file that has numbers.',
  );
}

const maxShown = 5;

function showPlan(plan: ImportPlan): CommandResult {
  const rows = importKinds.map((kind) => [
    kind,
    String(plan[kind].length),
    String(countOf(plan.leftOut, kind)),
  ]);
  return {
    json: { dryRun: true, ...plan },
    table: { headers: ['KIND', 'TO IMPORT', 'LEFT OUT'], rows },
    remark: [...describe(plan.leftOut), ...describeNumbers(plan), 'Nothing was sent.'].join('\n'),
    failed: plan.leftOut.length > 0,
  };
}

function showOutcome(plan: ImportPlan, { created, existing, ...outcome }: ImportOutcome): CommandResult {
  const leftOut = [...plan.leftOut, ...outcome.leftOut];
  const rows = importKinds.map((kind) => [
    kind,
    ...[created[kind], existing[kind], countOf(leftOut, kind)].map(String),
  ]);
  return {
    json: { created, existing, leftOut, numbers: plan.numbers },
    table: { headers: ['KIND', 'CREATED', 'EXISTED', 'LEFT OUT'], rows },
    remark: [...describe(leftOut), ...outcome.remarks, ...describeNumbers(plan)].join('\n'),
    failed: leftOut.length > 0,
  };
}

const countOf = (rows: readonly LeftOutRow[], kind: string) => rows.filter((row) => row.kind === kind).length;

/** Returns a sentence for each reason, with the first rows that have it. */
function describe(leftOut: readonly LeftOutRow[]): string[] {
  const groups = new Map<string, LeftOutRow[]>();
  for (const row of leftOut) {
    const key = `${row.kind}: ${row.reason}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups].map(([reason, rows]) => {
    const shown = rows
      .slice(0, maxShown)
      .map(({ line, name }) => (name ? `line ${line} (${name})` : `line ${line}`));
    const more = rows.length > maxShown ? ` and ${rows.length - maxShown} more` : '';
    return `Left out of ${reason} In ${shown.join(', ')}${more}.`;
  });
}

const describeNumbers = ({ numbers }: ImportPlan): string[] =>
  numbers
    .slice(0, maxShown)
    .map(
      ({ prefix, highest, next }) =>
        `The highest number of ${prefix || 'digits'} is ${highest}. The next one is ${next}.`,
    );
