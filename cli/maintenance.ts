/** Defines `remit maintenance`: refuses all requests that write, so that for example a restore loses nothing. */
import { type Instant, now, toTimestamp } from '../shared/base/time.ts';
import { auditOperation } from './audit-operation.ts';
import type { CliCommand, CommandGroup, CommandResult } from './command.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';
import { showProgress } from './terminal.ts';

const on: CliCommand = {
  about: 'Start maintenance: refuse all requests that write. Reads continue.',
  details: `Requests that write return 429 with the code maintenance, and payment pages ask payers to come back. The command
ends when no earlier request can write any more, which takes about half a minute.

Background work continues: payments in progress get their outcome, and webhooks are sent. docs/operate/maintenance-and-restore.md says how to stop it.

If the command is interrupted, run it again.`,
  examples: ['npx remit maintenance on --stage prod'],
  run: async () => {
    const { startMaintenance } = await loadMaintenance();
    showProgress('Marking all accounts.');
    const maintenance = await auditOperation({ action: 'maintenance.start' }, () => startMaintenance(now));
    await waitUntil(maintenance.effectiveAt);
    return describe(maintenance);
  },
};

const off: CliCommand = {
  about: 'End maintenance: accept all requests again.',
  details:
    'Payment pages take payments again within 30 seconds. If the command is interrupted, run it again.',
  examples: ['npx remit maintenance off --stage prod'],
  run: async () => {
    const { endMaintenance } = await loadMaintenance();
    showProgress('Removing the marks of all accounts.');
    await auditOperation({ action: 'maintenance.end' }, endMaintenance);
    return describe(undefined);
  },
};

const status: CliCommand = {
  about: 'Show whether the service is in maintenance.',
  examples: ['npx remit maintenance status --stage prod', 'npx remit maintenance status --stage prod --json'],
  run: async () => describe(await (await loadMaintenance()).readMaintenance()),
};

export const maintenanceCommands: CommandGroup = {
  about: 'Refuse all requests that write, for a while.',
  details: tableHelp,
  commands: withDeploymentOptions({ on, off, status }),
};

async function loadMaintenance() {
  await connectTable();
  return import('../shared/domain/accounts/maintenance-store.ts');
}

function describe(
  maintenance: { startedAt: Instant; effectiveAt: Instant | undefined } | undefined,
): CommandResult {
  if (!maintenance)
    return { json: { status: 'off', effectiveAt: null }, text: 'The service is not in maintenance.' };
  const { startedAt, effectiveAt } = maintenance;
  if (effectiveAt === undefined) {
    const text = `A start or an end of the maintenance was interrupted. It started at ${toTimestamp(startedAt)}. Some accounts may accept requests that write, others not. Run npx remit maintenance on or off.`;
    return { json: { status: 'changing', effectiveAt: null }, text, failed: true };
  }
  const at = toTimestamp(effectiveAt);
  const text =
    effectiveAt > now()
      ? `The service enters maintenance. From ${at} on, no request writes.`
      : `The service is in maintenance. No request has written since ${at}.`;
  return { json: { status: effectiveAt > now() ? 'starting' : 'on', effectiveAt: at }, text };
}

/** Waits until `instant`, and shows the seconds that remain. */
async function waitUntil(instant: Instant): Promise<void> {
  for (let leftMs = instant - now(); leftMs >= 0; leftMs = instant - now()) {
    showProgress(`Waiting for requests that started earlier: ${Math.ceil(leftMs / 1000)} s.`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs + 1, 1_000)));
  }
}
