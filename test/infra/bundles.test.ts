/** Checks the content of the function bundles: the needed code, and no documentation texts or their renderer. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { bundleHandlers, bundling, bundlingFor } from '../../infra/bundles.ts';
import { dashboardGrants } from '../../infra/dashboard-grants.ts';
import { type Route, routes } from '../../shared/api/routes.ts';

/** The functions that serve the documentation texts. */
const documentationHandlers = ['functions/meta/docs.ts', 'functions/meta/openapi.ts'];
const apiHandlers = Object.values<Route>(routes).map(({ handler }) => handler);
const sdkClientsAlone = 'bench/sdk-clients-only.ts';

let outputs: ReadonlyMap<string, Metafile['outputs'][string]>;
beforeAll(async () => {
  outputs = await bundle(apiHandlers);
});

/** Bundles the files as the CDK app does. Returns the outputs by their entry points. */
async function bundle(
  entryPoints: string[],
  options: BuildOptions = bundlingFor.direct,
): Promise<typeof outputs> {
  const { metafile } = await build({
    ...bundling,
    ...options,
    write: false,
    metafile: true,
    outdir: 'none',
    entryPoints,
  });
  return new Map(Object.values(metafile.outputs).map((output) => [output.entryPoint ?? '', output]));
}

/** Returns the project files whose code is in the bundle. Files with no remaining code are omitted. */
function partsOf(handler: string): string[] {
  const inputs = Object.entries(outputs.get(handler)?.inputs ?? {});
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

const isText = (path: string) => /^(shared\/(web\/docs|api\/openapi)|node_modules\/marked)\//.test(path);

test.each(documentationHandlers)('the bundle of %s contains the documentation texts', (handler) => {
  expect(partsOf(handler).some(isText)).toBe(true);
});

test.each(apiHandlers.filter((handler) => !documentationHandlers.includes(handler)))(
  'the bundle of %s does not contain the documentation texts',
  (handler) => {
    const parts = partsOf(handler);
    expect(parts).toContain(handler);
    expect(parts.filter(isText)).toEqual([]);
  },
);

test('a bundle is no larger than the SDK clients alone, but for a hundredth', async () => {
  const alone = (await bundle([sdkClientsAlone], bundlingFor.sdk)).get(sdkClientsAlone)?.bytes ?? 0;
  const own = outputs.get('functions/invoices/create.ts')?.bytes ?? Number.NaN;
  expect(own / alone).toBeLessThanOrEqual(1.01);
});

test('the bundles of functions contain neither the clients of the SDK nor its schemas', () => {
  const isPipeline = (path: string) =>
    /node_modules\/@aws-sdk\/(core|lib-dynamodb)\/|@smithy\/core\/.*\/schema\/|\/[A-Z]\w+Client\.js$/.test(
      path,
    );
  for (const handler of apiHandlers) {
    const inputs = Object.entries(outputs.get(handler)?.inputs ?? {});
    const found = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && isPipeline(path));
    expect([handler, found.map(([path]) => path)]).toEqual([handler, []]);
  }
});

/** It contains the client of Cognito, and the signatures of members. */
const createsUsers = 'functions/dashboard/members.ts';

test('no function of the dashboard is larger than the largest one of the API, but for the client of Cognito', async () => {
  const handlers = Object.keys(dashboardGrants);
  const dashboard = await bundle(handlers);
  const bytesOf = (from: typeof outputs, handler: string) => from.get(handler)?.bytes ?? Number.NaN;
  const largest = Math.max(...apiHandlers.map((handler) => bytesOf(outputs, handler)));
  const larger = handlers.filter((handler) => !(bytesOf(dashboard, handler) <= largest));
  expect(larger.filter((handler) => handler !== createsUsers)).toEqual([]);
  expect(bytesOf(dashboard, createsUsers)).toBeLessThanOrEqual(370_000);
});

test('with the SDK, the environment is the only credential source in a bundle', async () => {
  const handler = 'functions/invoices/create.ts';
  const inputs = Object.keys((await bundle([handler], bundlingFor.sdk)).get(handler)?.inputs ?? {});
  expect(inputs.some((path) => path.includes('@aws-sdk/credential-provider-env/'))).toBe(true);
  expect(
    inputs.filter((path) => /credential-provider-(node|ini|sso|process|http|imds)\//.test(path)),
  ).toEqual([]);
});

test('the route table loads no AWS SDK, so the CDK app and the tools that read it start fast', async () => {
  const inputs = Object.keys(
    (await bundle(['shared/api/routes.ts'], {})).get('shared/api/routes.ts')?.inputs ?? {},
  );
  expect(inputs).toContain('shared/api/routes.ts');
  expect(inputs.filter((path) => path.includes('@aws-sdk'))).toEqual([]);
});

test('a bundle is one file that needs no other package, and the same sources give the same bytes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'remit-bundles-'));
  const handlers = ['functions/invoices/get.ts', 'functions/background/sweep.ts'];
  try {
    const builds = ['first', 'second/deeper'].map((name) => bundleHandlers(handlers, join(directory, name)));
    for (const handler of handlers) {
      const [first, second] = builds.map((build) => {
        const bundled = build.get(handler) ?? '';
        expect(readdirSync(bundled)).toEqual(['index.js']);
        return readFileSync(join(bundled, 'index.js'));
      });
      expect(first?.equals(second ?? Buffer.of())).toBe(true);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  for (const handler of apiHandlers) {
    const imported = outputs.get(handler)?.imports ?? [];
    expect(imported.filter(({ path }) => !isBuiltin(path))).toEqual([]);
  }
});
