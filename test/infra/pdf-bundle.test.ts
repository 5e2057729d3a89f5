/** Checks the function of PDFs: the files beside its bundle, and that it renders with them alone. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { bundleHandlers, bundling, bundlingFor } from '../../infra/bundles.ts';
import { getDocument, getDocumentPdf } from '../../shared/api/routes.ts';
import { documentAssets } from '../../shared/web/documents/document-assets.ts';
import { hashOfPdf } from './rendered-in-bundle.ts';

const assets = Object.values(documentAssets)
  .flat()
  .map((file) => basename(file));

let root: string;
let bundles: ReadonlyMap<string, string>;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'remit-pdf-'));
  bundles = bundleHandlers([getDocumentPdf.handler, getDocument.handler], join(root, 'bundles'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const bundleOf = (handler: string) => bundles.get(handler) ?? '';

test('the files and the thread of the renderer are beside the bundle of its function, and beside no other', () => {
  expect(readdirSync(bundleOf(getDocumentPdf.handler)).sort()).toEqual(
    [...assets, 'document-worker.js', 'index.js'].sort(),
  );
  expect(readdirSync(bundleOf(getDocument.handler))).toEqual(['index.js']);
});

test('the bundles have no part of the compiler but its bindings, and the client of the bucket', () => {
  const sizeOf = (handler: string, file = 'index.js') => statSync(join(bundleOf(handler), file)).size;
  expect(sizeOf(getDocumentPdf.handler) - sizeOf(getDocument.handler)).toBeLessThan(60_000);
  expect(sizeOf(getDocumentPdf.handler, 'document-worker.js')).toBeLessThan(40_000);
});

test('a bundle renders with the files beside it, in another folder, the same bytes as the repository', async () => {
  const folder = join(root, 'task');
  cpSync(bundleOf(getDocumentPdf.handler), folder, { recursive: true });
  buildSync({
    ...bundling,
    ...bundlingFor.direct,
    entryPoints: [join(import.meta.dirname, 'rendered-in-bundle.ts')],
    outfile: join(folder, 'index.js'),
  });
  const printed = execFileSync(process.execPath, [join(folder, 'index.js')], {
    cwd: root,
    env: { LAMBDA_TASK_ROOT: folder },
    encoding: 'utf8',
  });
  expect(printed).toBe(await hashOfPdf());
});
