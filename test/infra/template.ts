/** The CDK app's CloudFormation templates, and ways through them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../infra/local/handler.ts';

export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into resources of every shape
  readonly Properties: Record<string, any>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: string | string[];
}

export type Resources = Readonly<Record<string, Resource>>;

export interface Template {
  readonly Resources: Resources;
  readonly Outputs: Readonly<Record<string, unknown>>;
}

interface Acknowledged {
  readonly ruleName: string;
  readonly reason: string;
  readonly acknowledgedAt: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

/** What the app makes of its settings. */
export interface App {
  readonly stateful: Template;
  readonly stateless: Template;
  /** The names of the stacks, and whether they are protected from being deleted. */
  readonly stacks: Readonly<Record<string, { stackName: string; terminationProtection?: boolean }>>;
  /** What the rules of security found, and what of that is acknowledged. */
  readonly rules: { readonly violations: unknown[]; readonly acknowledged: readonly Acknowledged[] };
}

/**
 * Runs the app as the CDK's command line does, without bundling, in a process of its own: the CDK is large.
 * @param settings context beside that of `cdk.json`
 * @throws what the app says when it refuses them
 */
export async function synthesize(settings: Readonly<Record<string, string>> = {}): Promise<App> {
  const { context } = JSON.parse(await readFile(join(repositoryRoot, 'cdk.json'), 'utf8'));
  const directory = await mkdtemp(join(tmpdir(), 'remit-cdk-'));
  const read = async (file: string) => JSON.parse(await readFile(join(directory, file), 'utf8'));
  try {
    const CDK_CONTEXT_JSON = JSON.stringify({ ...context, 'aws:cdk:bundling-stacks': [], ...settings });
    const env = { ...process.env, CDK_OUTDIR: directory, CDK_CONTEXT_JSON };
    await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: repositoryRoot, env });
    const { artifacts } = await read('manifest.json');
    const { pluginReports } = await read('validation-report.json');
    const rules = pluginReports.find(
      ({ pluginName }: { pluginName: string }) => pluginName === 'AwsSolutions',
    );
    return {
      stateful: await read('RemitStateful.template.json'),
      stateless: await read('RemitStateless.template.json'),
      stacks: {
        stateful: artifacts.RemitStateful.properties,
        stateless: artifacts.RemitStateless.properties,
      },
      rules: { violations: rules.violations, acknowledged: rules.suppressedViolations },
    };
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr || String(error));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The resources of a type, with their logical ids. */
export function typed(resources: Resources, type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

/** The logical id of the one resource of a type whose id begins with `name`, whatever its case. */
export function resourceNamed(resources: Resources, type: string, name: string): string {
  const [found, ...more] = typed(resources, type).filter(([id]) =>
    id.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (!found || more.length > 0) throw new Error(`There is not exactly one ${type} ${name}.`);
  return found[0];
}

/** The path of a resource of the API, by reference: the root's is an attribute of the API itself. */
export function pathOf(resources: Resources, reference: { Ref?: string }): string {
  const resource = reference.Ref === undefined ? undefined : resources[reference.Ref];
  if (!resource) return '/';
  const { ParentId, PathPart } = resource.Properties;
  return `${pathOf(resources, ParentId).replace(/\/$/, '')}/${PathPart}`;
}

/** Chains of references that lead back to where they began, which CloudFormation refuses and CDK does not see. */
export function cyclesOf(resources: Resources): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (id: string, way: readonly string[]) => {
    if (way.includes(id)) cycles.push([...way.slice(way.indexOf(id)), id].join(' → '));
    if (way.includes(id) || done.has(id)) return;
    for (const next of referencesOf(resources[id])) if (resources[next]) visit(next, [...way, id]);
    done.add(id);
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
