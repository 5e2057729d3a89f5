/** Prevents a deployment that would replace the table of a running deployment by an empty one. */
import { outsideTableOutput } from '../infra/outside-table-output.ts';
import { parseSettings, stackNameOf } from '../infra/settings.ts';
import { usageError } from './command.ts';
import { selectRegion } from './deployment.ts';
import { readDeployedStack } from './stack-outputs.ts';

/**
 * Compares the settings with the deployed stack. A stack that uses a table from outside must keep a setting that names a
 * table, because CloudFormation would create an empty table without it.
 * @throws CommandError (usage) if the settings name no table, but the deployed stack uses one from outside
 */
export async function requireSameTable(context: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = parseSettings(context);
  if ((settings.existingTable ?? settings.restoredTableStreamArn) !== undefined) return;
  selectRegion('Set only one of them.');
  const stackName = stackNameOf(settings, 'stateful');
  const used = await readOutsideTable(stackName);
  if (used === undefined) return;
  throw usageError(
    `${stackName} uses a table from outside, and without a setting that names it, it would use an empty table. Add the settings of the last deployment again: --restored-table-stream-arn, or --existing-table and --existing-secret. The stream is ${used}.`,
  );
}

/** Returns the stream ARN of the stack's table from outside, if it has one. Some deployers may not read stacks. */
async function readOutsideTable(stackName: string): Promise<string | undefined> {
  try {
    return (await readDeployedStack(stackName))?.outputs[outsideTableOutput];
  } catch (error) {
    if (!/^AccessDenied/.test((error as Error).name)) throw error;
    process.stderr.write(
      `Warning: the credentials may not call cloudformation:DescribeStacks, so the settings were not compared with ${stackName}.\n`,
    );
    return undefined;
  }
}
