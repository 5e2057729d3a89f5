/** Reads the outputs of a deployed CloudFormation stack. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

export interface DeployedStack {
  /** The status in CloudFormation, for example `UPDATE_COMPLETE`. */
  readonly status: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * Reads the stack `stackName` in the AWS account of the environment.
 * @param region the default is that of the environment
 * @returns undefined if the stack does not exist there
 */
export async function readDeployedStack(
  stackName: string,
  region?: string,
): Promise<DeployedStack | undefined> {
  const client = new CloudFormationClient(region === undefined ? {} : { region });
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const [stack] = Stacks ?? [];
    if (!stack) return undefined;
    const outputs = (stack.Outputs ?? []).map(({ OutputKey, OutputValue = '' }) => [OutputKey, OutputValue]);
    return { status: stack.StackStatus ?? 'unknown', outputs: Object.fromEntries(outputs) };
  } catch (error) {
    if (isMissingStack(error as Error)) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

/** CloudFormation has no error code of its own for a stack that does not exist. */
const isMissingStack = ({ name, message }: Error) =>
  name === 'ValidationError' && /does not exist/i.test(message);
