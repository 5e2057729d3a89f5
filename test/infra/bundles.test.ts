/** Checks the content of the function bundles: the needed code, and no documentation texts. */
import { beforeAll, expect, test } from '@jest/globals';
import { build, type Metafile } from 'esbuild';
import { bundling, bundlingAlias } from '../../infra/function.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { type Route, routes } from '../../shared/routes.ts';

/** The functions that serve the documentation texts. */
const documentationHandlers = ['functions/meta/docs.ts', 'functions/meta/openapi.ts'];
const apiHandlers = Object.values<Route>(routes).map(({ handler }) => handler);
const sdkClientsAlone = 'bench/sdk-clients-only.ts';

let outputs: ReadonlyMap<string, Metafile['outputs'][string]>;
beforeAll(async () => {
  outputs = await bundle(apiHandlers, bundlingAlias);
});

/** Bundles the files as the CDK app does. Returns the outputs by their entry points. */
async function bundle(entryPoints: string[], alias: Record<string, string>): Promise<typeof outputs> {
  const { format, target, minify, mainFields } = bundling;
  const { metafile } = await build({
    format,
    target,
    minify,
    mainFields: [...mainFields],
    alias,
    bundle: true,
    platform: 'node',
    write: false,
    metafile: true,
    outdir: 'none',
    absWorkingDir: repositoryRoot,
    entryPoints,
  });
  return new Map(Object.values(metafile.outputs).map((output) => [output.entryPoint ?? '', output]));
}

/** Returns the project files whose code is in the bundle. Files with no remaining code are omitted. */
function partsOf(handler: string): string[] {
  const inputs = Object.entries(outputs.get(handler)?.inputs ?? {});
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

const isText = (path: string) => /^shared\/(docs|openapi)\//.test(path);

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

test('a bundle is smaller than the SDK clients with all their credential sources', async () => {
  const alone = (await bundle([sdkClientsAlone], {})).get(sdkClientsAlone)?.bytes ?? 0;
  const own = outputs.get('functions/invoices/create.ts')?.bytes ?? Number.NaN;
  expect(own / alone).toBeLessThanOrEqual(0.92);
});

test('the environment is the only credential source in a bundle', () => {
  const inputs = Object.keys(outputs.get('functions/invoices/create.ts')?.inputs ?? {});
  expect(inputs.some((path) => path.includes('@aws-sdk/credential-provider-env/'))).toBe(true);
  expect(
    inputs.filter((path) => /credential-provider-(node|ini|sso|process|http|imds)\//.test(path)),
  ).toEqual([]);
});

test('the route table loads no AWS SDK, so the CDK app and the tools that read it start fast', async () => {
  const inputs = Object.keys((await bundle(['shared/routes.ts'], {})).get('shared/routes.ts')?.inputs ?? {});
  expect(inputs).toContain('shared/routes.ts');
  expect(inputs.filter((path) => path.includes('@aws-sdk'))).toEqual([]);
});
