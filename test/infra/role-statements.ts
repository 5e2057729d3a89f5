/** Reads the statements of the functions' roles from the synthesized templates. */
import type { Conditions, Statement } from '../../infra/policies/policy.ts';
import { parseTarget } from '../../shared/base/aws-targets.ts';
import { type App, type Resources, resourcesOfType } from './template.ts';

interface TemplateStatement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Conditions;
}

/** Returns the statements of the role of each function, by the function's file. Each statement has one action and resource. */
export function statementsByFile({ stateless, dashboard, canary }: App): Map<string, Statement[]> {
  return new Map(
    [stateless, dashboard, canary].flatMap((template) => statementsIn(template?.Resources ?? {})),
  );
}

function statementsIn(resources: Resources): [file: string, Statement[]][] {
  const policies = resourcesOfType(resources, 'AWS::IAM::Policy').map(([, { Properties }]) => Properties);
  return resourcesOfType(resources, 'AWS::Lambda::Function').map(([, { Properties }]) => {
    const role = Properties.Role['Fn::GetAtt'][0];
    const { ManagedPolicyArns: managed } = resources[role]?.Properties ?? {};
    if (managed) throw new Error(`The role of ${Properties.Description} has managed policies.`);
    const own = policies.filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role));
    return [
      Properties.Description,
      own.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(split)),
    ];
  });
}

function split({ Effect, Action, Resource, Condition }: TemplateStatement): Statement[] {
  if (Effect !== 'Allow') throw new Error(`A statement has the effect ${Effect}.`);
  return [Action].flat().flatMap((action) =>
    [Resource].flat().map((resource) => ({
      action,
      resource: nameOf(JSON.stringify(resource)),
      ...(Condition && { conditions: Condition }),
    })),
  );
}

const secretIds = {
  DeploymentSecret: 'deployment',
  WebhookSecret: 'webhooks',
  KeySecret: 'keys',
  ProviderSecret: 'providers',
  AuditSecret: 'audit',
  SigningSecret: 'signing',
} as const;

/** Returns the name of a resource as in `function-policies.ts`, or its text. @param text a reference to its ARN, as JSON */
function nameOf(text: string): string {
  if (text.includes(':configuration-set/')) return 'mailConfigurationSet';
  if (text.includes(':ses:')) return 'mailIdentity';
  const target = parseTarget(String(JSON.parse(text)));
  if (target) return `target ${target.type}`;
  // Another stack imports the value of an export, whose name contains the id of the resource.
  const [, id, part] =
    /(?:"|GetAtt|OutputRef)([A-Z][A-Za-z]+?)[0-9A-F]{8}(?:"|(Arn|StreamArn)?[0-9A-F]{8}")/.exec(text) ?? [];
  // The streams of the table are listed by a pattern.
  if (id === 'Table') return part === 'StreamArn' || text.includes('/stream/*') ? 'stream' : 'table';
  if (id === 'UserPool') return 'userPool';
  if (id === 'Bucket') return ['bucket', /"\/([^"]+)"/.exec(text)?.[1]].filter(Boolean).join(' ');
  if (id?.endsWith('Queue')) return `queue ${id.slice(0, -'Queue'.length).toLowerCase()}`;
  const secret = Object.entries(secretIds).find(([name]) => name === id)?.[1];
  return secret ? `secret ${secret}` : text;
}
