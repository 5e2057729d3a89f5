/**
 * Serves the one CloudFormation call that the commands make, `DescribeStacks`, on a free port of this machine. It answers
 * as AWS does: the XML of the query protocol.
 */
import { createServer } from 'node:http';
import { type LoopbackServer, listenOnLoopback } from './loopback-server.ts';

/**
 * Starts the server.
 * @param stacks the outputs of each stack, by the stack's name
 */
export async function startCloudFormation(
  stacks: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<LoopbackServer> {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const name = new URLSearchParams(body).get('StackName') ?? '';
    const outputs = stacks[name];
    response.writeHead(outputs ? 200 : 400, { 'Content-Type': 'text/xml' });
    response.end(outputs ? describeStack(name, outputs) : missingStack(name));
  });
  return listenOnLoopback(server);
}

/** Returns the outputs of the stateful stack. Only the deployment secret can be given. */
export const statefulOutputs = (
  tableName: string,
  deploymentSecretArn = 'arn:aws:secretsmanager:deployment',
) => ({
  TableName: tableName,
  DeploymentSecretArn: deploymentSecretArn,
  WebhookSecretArn: 'arn:aws:secretsmanager:webhooks',
  KeySecretArn: 'arn:aws:secretsmanager:keys',
  ProviderSecretArn: 'arn:aws:secretsmanager:providers',
  AuditSecretArn: 'arn:aws:secretsmanager:audit',
  SigningSecretArn: 'arn:aws:secretsmanager:signing',
});

const namespace = 'xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"';

function describeStack(name: string, outputs: Readonly<Record<string, string>>): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return `<DescribeStacksResponse ${namespace}><DescribeStacksResult><Stacks><member>
    <StackName>${name}</StackName><CreationTime>2027-01-31T12:00:00Z</CreationTime>
    <StackStatus>CREATE_IN_PROGRESS</StackStatus><Outputs>${members.join('')}</Outputs>
  </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

const missingStack = (name: string) => `<ErrorResponse ${namespace}><Error><Type>Sender</Type>
  <Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message></Error></ErrorResponse>`;
