/** What is in the functions' bundles: what they need, and no texts for people who read. */
import { beforeAll, expect, test } from '@jest/globals';
import { build, type Metafile } from 'esbuild';
import { bundling } from '../../infra/function.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { type Route, routes } from '../../shared/routes.ts';

/** Those that nobody waits for: they serve the texts themselves. */
const described = ['functions/meta/docs.ts', 'functions/meta/openapi.ts'];
const served = Object.values<Route>(routes).map(({ handler }) => handler);
const sdkClientsAlone = 'bench/sdk-clients-only.ts';

let outputs: ReadonlyMap<string, Metafile['outputs'][string]>;
beforeAll(async () => {
  const { format, target, minify, mainFields } = bundling;
  const { metafile } = await build({
    ...{ format, target, minify, mainFields: [...mainFields] },
    ...{ bundle: true, platform: 'node', write: false, metafile: true, outdir: 'none' },
    absWorkingDir: repositoryRoot,
    entryPoints: [...served, sdkClientsAlone],
  });
  outputs = new Map(Object.values(metafile.outputs).map((output) => [output.entryPoint ?? '', output]));
});

/** The project's files whose code is in the bundle, but for those that left nothing there. */
function partsOf(handler: string): string[] {
  const inputs = Object.entries(outputs.get(handler)?.inputs ?? {});
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
}

const isText = (path: string) => /^shared\/(docs|openapi)\//.test(path);

test.each(described)('%s has the texts in it', (handler) => {
  expect(partsOf(handler).some(isText)).toBe(true);
});

test.each(served.filter((handler) => !described.includes(handler)))('%s has not', (handler) => {
  const parts = partsOf(handler);
  expect(parts).toContain(handler);
  expect(parts.filter(isText)).toEqual([]);
});

test('a bundle is no more than a quarter larger than the SDK clients that are in it', () => {
  const [own, alone] = ['functions/invoices/create.ts', sdkClientsAlone].map(
    (entry) => outputs.get(entry)?.bytes ?? Number.NaN,
  );
  expect((own ?? 0) / (alone ?? 0)).toBeLessThanOrEqual(1.25);
  expect(own).toBeGreaterThan(alone ?? 0);
});
