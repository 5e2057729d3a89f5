/** Synthesizes the CDK app and searches its CloudFormation templates. */
import { request } from '../support/http.ts';
import { synthesizerEndpoint } from '../support/shared-servers.ts';

export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: resources have any shape
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | string[];
  readonly Metadata?: Readonly<Record<string, string>>;
  readonly UpdatePolicy?: {
    readonly CodeDeployLambdaAliasUpdate: {
      readonly ApplicationName: { readonly Ref: string };
      readonly DeploymentGroupName: { readonly Ref: string };
    };
  };
}

export type Resources = Readonly<Record<string, TemplateResource>>;

export interface Template {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>;
  readonly Parameters?: Readonly<Record<string, unknown>>;
}

interface Acknowledged {
  readonly ruleName: string;
  readonly reason: string;
  readonly acknowledgedAt: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

/** The result of a synthesis. */
export interface App {
  readonly stateful: Template;
  /** With the resources of its nested stacks. */
  readonly stateless: Template;
  /** The stateless stack without the resources of its nested stacks, and each of these stacks. */
  readonly statelessParts: readonly Template[];
  /** The stack in the backup region. Undefined without the setting `backupRegion`. */
  readonly backup: Template | undefined;
  /** The stack of the canary. Undefined without the setting `canary`. */
  readonly canary: Template | undefined;
  /** The stack of the dashboard. Undefined if the setting `dashboard` is false. */
  readonly dashboard: Template | undefined;
  /** The stack names and their termination protection. */
  readonly stacks: Readonly<Record<string, { stackName: string; terminationProtection?: boolean }>>;
  /** The findings of the cdk-nag rules: violations, and exceptions with their reasons. */
  readonly rules: { readonly violations: unknown[]; readonly acknowledged: readonly Acknowledged[] };
}

/** What to synthesize. */
export interface SynthesisOptions {
  /** The file of the app. The default is `infra/app.ts`. */
  readonly appFile?: string;
  /** Whether the CDK validates the templates against the schemas of CloudFormation, which takes longer than all the rest. */
  readonly isValidated?: boolean;
}

/**
 * Synthesizes the app without bundling. A test run does so once for each set of settings, in one process for all files, because it
 * takes longer to load the CDK than to use it.
 * @param settings context entries in addition to those of `cdk.json`
 * @throws Error with the app's message if the app rejects the settings
 */
export async function synthesize(
  settings: Readonly<Record<string, string>> = {},
  options: SynthesisOptions = {},
): Promise<App> {
  const { status, text } = await request({
    baseUrl: synthesizerEndpoint(),
    method: 'POST',
    path: '/',
    body: { settings, options },
  });
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
}

/** Returns the resources of a type with their logical ids. */
export function resourcesOfType(resources: Resources, type: string): [string, TemplateResource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

/**
 * Returns the logical id of the only resource of a type whose id starts with `name`, ignoring case.
 * @throws Error if there is not exactly one
 */
export function resourceNamed(resources: Resources, type: string, name: string): string {
  const [found, ...more] = resourcesOfType(resources, type).filter(([id]) =>
    id.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (!found || more.length > 0)
    throw new Error(`The template must contain exactly one ${type} with the name ${name}.`);
  return found[0];
}

/** Returns the path of an API resource by its reference. The root's reference is an attribute of the API itself. */
export function resourcePath(resources: Resources, reference: { Ref?: string }): string {
  const resource = reference.Ref === undefined ? undefined : resources[reference.Ref];
  if (!resource) return '/';
  const { ParentId, PathPart } = resource.Properties;
  return `${resourcePath(resources, ParentId).replace(/\/$/, '')}/${PathPart}`;
}

/** Returns the reference cycles. CloudFormation rejects them, but the CDK does not detect them. */
export function cyclesOf(resources: Resources): string[] {
  const visited = new Set<string>();
  const cycles: string[] = [];
  const visit = (id: string, path: readonly string[]) => {
    if (path.includes(id)) cycles.push([...path.slice(path.indexOf(id)), id].join(' → '));
    if (path.includes(id) || visited.has(id)) return;
    for (const next of referencesOf(resources[id])) if (resources[next]) visit(next, [...path, id]);
    visited.add(id);
  };
  for (const id of Object.keys(resources)) visit(id, []);
  return cycles;
}

function referencesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref') return [String(inner)];
    if (name === 'Fn::GetAtt') return [String((inner as string[])[0])];
    if (name === 'DependsOn') return [inner].flat().map(String);
    if (name === 'Fn::Sub')
      return [...JSON.stringify(inner).matchAll(/\$\{(\w+)/g)].map(([, id]) => String(id));
    return referencesOf(inner);
  });
}
