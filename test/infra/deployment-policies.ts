/**
 * Writes the policies of `docs/operate/policies` that a deployment needs, from the templates with all settings. Run it with
 * `npm run docs:roles` after the stacks have another type of resource.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { App } from './template.ts';

const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-000000000000';

/** Settings that create every type of resource. */
export const allSettings = {
  stage: 'prod',
  canary: 'true',
  backupRegion: 'eu-central-1',
  customerKey: 'true',
  gatewayLogRole: 'true',
  alarmEmail: 'on-call@example.com',
  mailFrom: 'invoices@shop.example',
  domainName: 'api.example.com',
  certificateArn: certificate,
  dashboardDomain: 'dashboard.example.com',
  dashboardCertificateArn: certificate,
};

/**
 * The prefix of the actions of each service, by the namespace of its types. The prefixes are at
 * https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html.
 */
const prefixes: Readonly<Record<string, readonly string[]>> = {
  ApiGateway: ['apigateway'],
  // A vault with a key also needs the storage of AWS Backup.
  Backup: ['backup', 'backup-storage'],
  CloudFormation: ['cloudformation'],
  CloudWatch: ['cloudwatch'],
  CodeDeploy: ['codedeploy'],
  Cognito: ['cognito-idp'],
  DynamoDB: ['dynamodb'],
  Events: ['events'],
  KMS: ['kms'],
  Lambda: ['lambda'],
  Logs: ['logs'],
  SES: ['ses'],
  SNS: ['sns'],
  SQS: ['sqs'],
  SecretsManager: ['secretsmanager'],
  WAFv2: ['wafv2'],
};

/** The changes of roles and of their own policies. Roles can have other names only by a change of the stacks. */
const roleActions = [
  'AttachRolePolicy',
  'CreateRole',
  'DeleteRole',
  'DeleteRolePermissionsBoundary',
  'DeleteRolePolicy',
  'DetachRolePolicy',
  'GetRole',
  'GetRolePolicy',
  'ListAttachedRolePolicies',
  'ListRolePolicies',
  'PassRole',
  'PutRolePermissionsBoundary',
  'PutRolePolicy',
  'TagRole',
  'UntagRole',
  'UpdateAssumeRolePolicy',
  'UpdateRole',
].map((name) => `iam:${name}`);

/** All roles of the stacks have names that CloudFormation begins with the name of their stack. */
const roles = ['arn:aws:iam::*:role/remit-*', 'arn:aws:iam::*:role/*/remit-*'];

const allow = (Sid: string, Action: readonly string[], Resource: string | readonly string[]) => ({
  Sid,
  Effect: 'Allow',
  Action,
  Resource,
});

/** Returns the types of the resources of all stacks, also of the nested ones. */
function typesOf({ stateful, stateless, statelessParts, backup, canary, dashboard }: App): string[] {
  const templates = [stateful, stateless, ...statelessParts, backup, canary, dashboard];
  return [
    ...new Set(templates.flatMap((each) => Object.values(each?.Resources ?? {}).map(({ Type }) => Type))),
  ];
}

/** Returns the policy of the role with which CloudFormation creates the resources. */
function toExecutionPolicy(app: App) {
  const services = [...new Set(typesOf(app).map((type) => type.split('::')[1] ?? ''))].filter(
    (service) => service !== 'IAM' && service !== 'S3',
  );
  const actions = services.flatMap((service) => {
    const found = prefixes[service];
    if (!found)
      throw new Error(`Add the prefix of the actions of AWS::${service} to deployment-policies.ts.`);
    return found.map((prefix) => `${prefix}:*`);
  });
  return {
    Version: '2012-10-17',
    Statement: [
      allow('ResourcesOfTheStacks', actions.toSorted(), '*'),
      allow('RolesOfTheStacks', roleActions, roles),
      // CloudFormation begins the name of a bucket with that of its stack, too.
      allow('BucketOfTheStacks', ['s3:*'], 'arn:aws:s3:::remit-*'),
      allow(
        'CodeAndVersionOfTheBootstrap',
        ['s3:GetObject', 'ssm:GetParameters'],
        [
          'arn:aws:s3:::cdk-hnb659fds-assets-*/*',
          'arn:aws:ssm:*:*:parameter/cdk-bootstrap/hnb659fds/version',
        ],
      ),
    ],
  };
}

/** The policy of the person or the pipeline that runs `npm run deploy`: the roles of the bootstrap, and its own checks. */
const deployerPolicy = {
  Version: '2012-10-17',
  Statement: [
    allow('RolesOfTheBootstrap', ['sts:AssumeRole'], 'arn:aws:iam::*:role/cdk-hnb659fds-*'),
    allow(
      'StacksAndAccount',
      ['cloudformation:DescribeStacks', 'dynamodb:ListTables', 'lambda:GetAccountSettings'],
      '*',
    ),
    allow('LogRoleOfTheGateway', ['apigateway:GET'], 'arn:aws:apigateway:*::/account'),
    allow('SecretsOfAnExistingTable', ['dynamodb:ListTagsOfResource'], 'arn:aws:dynamodb:*:*:table/*'),
  ],
};

/** The width of lines in `biome.json`. */
const lineWidth = 110;

/** Returns a policy as the formatter of the repository writes it: a list of texts is one line, if it fits. */
function formatPolicy(policy: object): string {
  const lists = /^( *(?:"\w+": )?)\[\n([^[\]{}]*?)\n *\](,?)$/gm;
  const text = JSON.stringify(policy, null, 2).replace(
    lists,
    (list, name: string, items: string, comma: string) => {
      const line = `${name}[${items.trim().replace(/\n */g, ' ')}]${comma}`;
      return line.length <= lineWidth ? line : list;
    },
  );
  return `${text}\n`;
}

/** Returns the text of each policy, by its file. */
export function deploymentPolicies(app: App): ReadonlyMap<string, string> {
  const folder = join(repositoryRoot, 'docs', 'operate', 'policies');
  return new Map([
    [join(folder, 'cloudformation.json'), formatPolicy(toExecutionPolicy(app))],
    [join(folder, 'deployer.json'), formatPolicy(deployerPolicy)],
  ]);
}

if (import.meta.main) {
  const { synthesizeHere } = await import('./cdk-app.ts');
  for (const [file, text] of deploymentPolicies(await synthesizeHere(allSettings))) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
