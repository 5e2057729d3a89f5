/** Defines `remit poison`: shows, retries and drops work that the service could not read and has set aside. */

import { toTimestamp } from '../shared/base/time.ts';
import type { SetAsideWork } from '../shared/operations/background/set-aside-store.ts';
import { auditOperation } from './audit-operation.ts';
import { type CliCommand, CommandError, type CommandGroup, type ParsedOptions } from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const idOption = { id: { value: 'ID', about: 'The ID that npx remit poison list shows.' } };

async function loadStore() {
  // The service reads the environment when it loads, so the table must be connected first.
  await connectTable();
  return import('../shared/operations/background/set-aside-store.ts');
}

/** @throws CommandError if nothing is set aside under the ID of the options */
async function requireWork(options: ParsedOptions): Promise<SetAsideWork> {
  const id = options.required('id');
  const { readSetAside } = await loadStore();
  const work = await readSetAside(id);
  if (!work)
    throw new CommandError(`Nothing is set aside under ${id}. Run npx remit poison list to see the IDs.`);
  return work;
}

const summaryOf = ({ id, kind, queue, problem, setAsideAt }: SetAsideWork) => ({
  id,
  kind,
  queue: queue ?? null,
  problem,
  setAsideAt: toTimestamp(setAsideAt),
});

const list: CliCommand = {
  about: 'List the timers, outbox items and messages that are set aside.',
  details: 'The exit code is 1 if something is set aside.',
  examples: ['npx remit poison list --stage prod', 'npx remit poison list --stage prod --json'],
  run: async () => {
    const { readAllSetAside } = await loadStore();
    const found: SetAsideWork[] = [];
    for await (const work of readAllSetAside()) found.push(work);
    found.sort((one, other) => one.setAsideAt - other.setAsideAt);
    const rows = found.map(summaryOf);
    return {
      json: rows,
      table: {
        headings: ['id', 'kind', 'since', 'problem'],
        rows: rows.map(({ id, kind, queue, setAsideAt, problem }) => [
          id,
          queue === null ? kind : `${kind} of ${queue}`,
          setAsideAt,
          problem,
        ]),
      },
      failed: rows.length > 0,
    };
  },
};

const show: CliCommand = {
  about: 'Show work that is set aside, with its content. It can contain personal data.',
  options: idOption,
  examples: ['npx remit poison show --id 0f3a9c1d27b4e865 --stage prod'],
  run: async (options) => {
    const work = await requireWork(options);
    const content = typeof work.content === 'string' ? work.content : { ...work.content };
    const summary = summaryOf(work);
    return {
      json: { ...summary, content },
      table: {
        rows: [
          ...Object.entries(summary).map(([name, value]) => [name, value ?? '']),
          ['content', typeof content === 'string' ? content : JSON.stringify(content)],
        ],
      },
    };
  },
};

const retry: CliCommand = {
  about: 'Give work back to the service, after its item is repaired or a release can read it.',
  details: `The item is in the table under the partition key SETASIDE and the ID as sort key. Repair its attribute content there. If the
work still cannot be read, it stays set aside.`,
  options: idOption,
  examples: ['npx remit poison retry --id 0f3a9c1d27b4e865 --stage prod'],
  run: async (options) => {
    const work = await requireWork(options);
    const { retrySetAside } = await loadStore();
    const { MalformedItemError } = await import('../shared/store/stored-fields.ts');
    try {
      const isRetried = await auditOperation({ action: 'work.retry', resource: work.id }, () =>
        retrySetAside(work),
      );
      if (!isRetried)
        throw new CommandError(
          `The rest of the change of ${work.id} is not relayed yet. Try again in a minute.`,
        );
    } catch (error) {
      if (!(error instanceof MalformedItemError)) throw error;
      throw new CommandError(`${work.id} still cannot be read: ${error.problem}. Repair it, and try again.`);
    }
    return { json: summaryOf(work), table: { rows: [['retried', work.id]] } };
  },
};

const drop: CliCommand = {
  about: 'Delete work that is set aside. Its effect never happens.',
  options: { ...idOption, ...yesOption },
  examples: ['npx remit poison drop --id 0f3a9c1d27b4e865 --stage prod'],
  run: async (options) => {
    const work = await requireWork(options);
    await confirmChange(
      options,
      () => `The ${work.kind} ${work.id} is deleted, and its effect never happens.`,
    );
    const { dropSetAside } = await loadStore();
    await auditOperation({ action: 'work.drop', resource: work.id }, () => dropSetAside(work.id));
    return { json: summaryOf(work), table: { rows: [['dropped', work.id]] } };
  },
};

export const poisonCommands: CommandGroup = {
  about: 'Manage work that cannot be read and is set aside.',
  details: tableHelp,
  commands: withDeploymentOptions({ list, show, retry, drop }),
};
