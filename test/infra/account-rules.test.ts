/** Tests what an AWS account may require of all resources: a permissions boundary and a path of roles, and tags. */
import { beforeAll, expect, test } from '@jest/globals';
import { type App, synthesize, type TemplateResource } from './template.ts';

const boundary = 'arn:aws:iam::123456789012:policy/teams/Boundary';
const everything = {
  stage: 'prod',
  canary: 'true',
  backupRegion: 'eu-central-1',
  customerKey: 'true',
  gatewayLogRole: 'true',
  alarmEmail: 'on-call@example.com',
};
/** Types with data, with code or with permissions. All of them have tags, as a list or as an object. */
const tagged = [
  'AWS::ApiGateway::RestApi',
  'AWS::Backup::BackupVault',
  'AWS::Cognito::UserPool',
  'AWS::DynamoDB::Table',
  'AWS::IAM::Role',
  'AWS::KMS::Key',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::WebACL',
];

let app: App;
let plain: App;
beforeAll(async () => {
  const rules = {
    permissionsBoundary: boundary,
    rolePath: '/teams/remit/',
    tags: 'team=payments,cost-center=42',
  };
  app = await synthesize({ ...everything, ...rules });
  plain = await synthesize(everything);
});

const resourcesOf = ({ stateful, stateless, backup, canary, dashboard }: App): TemplateResource[] =>
  [stateful, stateless, backup, canary, dashboard].flatMap((stack) => Object.values(stack?.Resources ?? {}));
const rolesOf = (of: App) => resourcesOf(of).filter(({ Type }) => Type === 'AWS::IAM::Role');

test('each role has the boundary and the path, and none without the settings', () => {
  expect(rolesOf(app).length).toBeGreaterThan(50);
  for (const { Properties } of rolesOf(app))
    expect(Properties).toMatchObject({ PermissionsBoundary: boundary, Path: '/teams/remit/' });
  for (const { Properties } of rolesOf(plain)) {
    expect(Properties).not.toHaveProperty('PermissionsBoundary');
    expect(Properties).not.toHaveProperty('Path');
  }
});

test('the resources of these types have the tags', () => {
  const resources = resourcesOf(app);
  for (const type of tagged) {
    const found = resources.filter(({ Type }) => Type === type);
    expect([type, found.length > 0]).toEqual([type, true]);
    for (const { Properties } of found) expect([type, tagsOf(Properties)]).toEqual([type, expectedTags]);
  }
});

const expectedTags = expect.objectContaining({ team: 'payments', 'cost-center': '42' });

/** Returns the tags by key. Three types have another name or another form for them. */
function tagsOf({
  Tags,
  BackupVaultTags,
  UserPoolTags,
}: TemplateResource['Properties']): Record<string, string> {
  const tags = Tags ?? BackupVaultTags ?? UserPoolTags ?? {};
  return Array.isArray(tags)
    ? Object.fromEntries(tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]))
    : tags;
}

test('the boundary, the path and the tags change nothing else, so they replace no resource with data', () => {
  const types = (of: App) => resourcesOf(of).map(({ Type }) => Type);
  expect(types(app)).toEqual(types(plain));
  const others = (of: App) =>
    resourcesOf(of).map(({ Type, Properties }) => {
      const rules = Type === 'AWS::IAM::Role' ? ['PermissionsBoundary', 'Path'] : [];
      // The stage of a gateway names its deployment, and the name of a deployment is a hash of the gateway.
      const hashes = Type === 'AWS::ApiGateway::Stage' ? ['DeploymentId'] : [];
      const kept = Object.entries(Properties ?? {}).filter(
        ([name]) => !/Tags$/.test(name) && ![...rules, ...hashes].includes(name),
      );
      return { Type, Properties: Object.fromEntries(kept) };
    });
  expect(others(app)).toEqual(others(plain));
});
