/** Defines `remit release`: shows which version and which commit a deployment runs, beside those of this folder. */
import { type AwsCalls, awsCalls } from '../infra/setting-values.ts';
import { CommandError, type CommandGroup, type ParsedOptions, usageError } from './command.ts';
import { deploymentOptions, readDeploymentOptions } from './deployment.ts';
import type { Release } from './running-release.ts';

const requestTimeoutMs = 15_000;

const { stage, installation, region } = deploymentOptions;

export const releaseCommands: CommandGroup = {
  about: 'Show which release a deployment runs.',
  commands: {
    show: {
      about: 'Show the version and the commit that a deployment runs, and those of this folder.',
      details: `With --stage, the version and the commit come from the outputs of the stack, with the usual AWS variables. With --url, the
version comes from the header X-Remit-Version of the service. Then the commit is at or after the tag of its release.

The same version means the same code of all functions. The command computes the version of this folder, which takes a few
seconds.`,
      options: {
        ...(stage && { stage: { ...stage, about: stage.about.replace('Use the table of', 'Show') } }),
        ...(installation && { installation }),
        ...(region && { region }),
        url: { value: 'URL', about: 'Ask the service at this URL. Needs no AWS credentials.' },
      },
      examples: [
        'npx remit release show',
        'npx remit release show --stage prod',
        'npx remit release show --url https://api.example.com',
      ],
      run: showRelease,
    },
  },
};

async function showRelease(options: ParsedOptions) {
  const { commitOf, describeCommit, distanceBetween } = await import('./running-release.ts');
  const { readSourceCommit } = await import('../infra/source-commit.ts');
  const running = await findRunning(options);
  const versions = await computeVersions(running?.version);
  const commit = readSourceCommit();
  const isSame = running && versions.includes(running.version);
  const distance = running && distanceBetween(running.commit, commit);
  const own = { version: (isSame && running.version) || versions[0], commit };
  const rows = [
    ...(running
      ? [
          ['running version', running.version],
          ['running commit', describeRunningCommit(running, describeCommit)],
        ]
      : []),
    ['version of this folder', own.version ?? ''],
    ['commit of this folder', describeCommit(commit)],
    ...(running ? [['same functions', isSame ? 'yes' : 'no']] : []),
    ...(distance === undefined ? [] : [['the deployment is', distance]]),
  ];
  const checkout =
    running?.commit === undefined || running.commit === 'unknown' ? undefined : commitOf(running.commit);
  return {
    json: { running: running ?? null, own, sameFunctions: isSame ?? null },
    table: { rows },
    text: checkout && !isSame ? `To get its sources: git checkout ${checkout}` : undefined,
  };
}

/** A service shows no commit, but its version begins with a release. */
function describeRunningCommit(
  { version, commit }: Release,
  describeCommit: (commit: string | undefined) => string,
): string {
  if (commit !== undefined) return describeCommit(commit);
  return `at or after the tag v${version.split('+')[0]}`;
}

async function findRunning(options: ParsedOptions): Promise<Release | undefined> {
  const url = options.optional('url');
  const deployment = await readDeploymentOptions(options);
  if (url !== undefined && deployment) throw usageError('Use --url or --stage, not both.');
  if (url !== undefined) return { version: await askService(url), commit: undefined };
  if (!deployment) return undefined;
  const { readDeployedRelease } = await import('./running-release.ts');
  const release = await readDeployedRelease(deployment);
  if (release) return release;
  throw new CommandError(
    'The deployment does not exist there. Check --stage, --installation and --region, and that AWS_PROFILE selects the right AWS account.',
  );
}

/** Returns the header `X-Remit-Version`, which each answer of the service has. */
async function askService(text: string): Promise<string> {
  const { parseBaseUrl } = await import('./api-connection.ts');
  const url = `${parseBaseUrl('--url', text)}/openapi.json`;
  const signal = AbortSignal.timeout(requestTimeoutMs);
  const response = await fetch(url, { method: 'GET', signal }).catch((error) => {
    throw new CommandError(`The service at ${url} does not answer: ${error.cause?.message ?? error.message}`);
  });
  await response.body?.cancel();
  const version = response.headers.get('x-remit-version');
  if (version) return version;
  throw new CommandError(
    `The answer of ${url} has status ${response.status} and no header X-Remit-Version. Check --url: it is the address of the API.`,
  );
}

/** Computes the version of this folder. A deployment chooses how its functions call AWS, so each way has a version. */
async function computeVersions(running: string | undefined): Promise<string[]> {
  const { handlers, versionOf, withBundles } = await import('../infra/code-version.ts');
  const compute = (calls: AwsCalls) => withBundles(handlers, calls, versionOf);
  const [first, ...others] = awsCalls;
  const usual = compute(first);
  return running === undefined || running === usual ? [usual] : [usual, ...others.map(compute)];
}
