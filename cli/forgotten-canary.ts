/** Warns before a deployment without `--canary` if the canary of an earlier deployment still runs. */
import { parseSettings, stackNameOf } from '../infra/settings.ts';
import { readDeployedStack } from './stack-outputs.ts';

/**
 * Writes a warning if the settings have no canary, but its stack exists. A deployment does not delete a stack that its
 * settings no longer name.
 */
export async function warnOfForgottenCanary(context: Readonly<Record<string, unknown>>): Promise<void> {
  const settings = parseSettings(context);
  if (settings.canary) return;
  const stackName = stackNameOf(settings, 'canary');
  if (!(await exists(stackName))) return;
  process.stderr.write(
    `Warning: without --canary, its alarms are removed, but the stack ${stackName} still runs. Add --canary, or delete the stack: aws cloudformation delete-stack --stack-name ${stackName}\n`,
  );
}

/** Some deployers may not read stacks. Without the permission there is no warning. */
async function exists(stackName: string): Promise<boolean> {
  try {
    return (await readDeployedStack(stackName)) !== undefined;
  } catch (error) {
    if (/^AccessDenied/.test((error as Error).name)) return false;
    throw error;
  }
}
