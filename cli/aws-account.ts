/**
 * Checks the AWS account before `npm run deploy` starts: the credentials, the region, and the role with which API Gateway
 * writes logs. That role is a setting of the whole account and region, so a deployment never replaces one that exists.
 */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { CommandError, usageError } from './command.ts';

const credentialsHelp = 'Run aws login or aws sso login, or set AWS_PROFILE, or set AWS_ACCESS_KEY_ID.';

/** What to do about an error of the AWS SDK, by the name of the error. */
const remedies: readonly (readonly [names: RegExp, text: string])[] = [
  [/^CredentialsProviderError$/, `No AWS credentials were found. ${credentialsHelp}`],
  [/^(ExpiredToken(Exception)?|RequestExpired)$/, `The AWS credentials have expired. ${credentialsHelp}`],
  [
    /^(UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch)$/,
    `AWS does not accept the credentials. ${credentialsHelp}`,
  ],
];

/**
 * Calls AWS once, to check the credentials before the synthesis and to find out whether API Gateway can write logs.
 * @param stackName the name of the stateless stack
 * @param requested whether the user wants the deployment to create the role; undefined if the user made no choice
 * @returns whether the deployment creates the role
 * @throws CommandError if the region or the credentials are missing, expired or invalid, or if they may not read the role
 *   and the user made no choice
 */
export async function checkAccount(stackName: string, requested: boolean | undefined): Promise<boolean> {
  const client = new APIGatewayClient({ maxAttempts: 2 });
  try {
    const { cloudwatchRoleArn } = await client.send(new GetAccountCommand());
    return requested ?? managesGatewayLogRole(cloudwatchRoleArn, stackName);
  } catch (error) {
    if (requested !== undefined && isAccessDenied(error as Error)) return requested;
    throw new CommandError(describeAccountError(error as Error));
  } finally {
    client.destroy();
  }
}

/**
 * Checks that the backup region is another region than that of the deployment.
 * @throws CommandError (usage) if they are the same
 */
export async function requireOtherRegion(backupRegion: string): Promise<void> {
  const client = new APIGatewayClient();
  try {
    if ((await client.config.region()) !== backupRegion) return;
  } finally {
    client.destroy();
  }
  throw usageError(
    `--backup-region is ${backupRegion}, which is also the region of the deployment. Set it to another region, so that a copy survives the loss of this one.`,
  );
}

const isAccessDenied = ({ name }: Error) => name.startsWith('AccessDenied');

/** Describes an error of a call to AWS: what is wrong, and the remedy. */
function describeAccountError(error: Error): string {
  const { name, message } = error;
  if (message === 'Region is missing') return 'No AWS region is set. Set AWS_REGION, for example eu-west-1.';
  if (isAccessDenied(error)) {
    return 'The credentials may not read the log role of API Gateway (apigateway:GET). Add --gateway-log-role if the account and region have none. Otherwise add --no-gateway-log-role.';
  }
  const remedy = remedies.find(([names]) => names.test(name));
  return remedy?.[1] ?? `AWS could not be reached. ${name}: ${message}`;
}

/**
 * Decides whether a deployment manages the log role of API Gateway: if there is none, or if the stack created it.
 * @param roleArn the role of the account and region
 * @param stackName the name of the stateless stack, with which CloudFormation begins the names of its roles
 */
export function managesGatewayLogRole(roleArn: string | undefined, stackName: string): boolean {
  const roleName = roleArn?.split('/').at(-1);
  return !roleName || roleName.startsWith(`${stackName}-`);
}
