/** Checks that an exported name has one meaning: no two files of the project export the same name. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repositoryRoot } from '../../infra/local/handler.ts';
import { routes } from '../../shared/api/routes.ts';

/** The client is a package of its own. Its types have the names of the API's resources, as the service's types do. */
const folders = ['functions', 'shared', 'infra', 'cli', 'test', 'bench'];
/** Lambda calls every function by this name. A route has the name of the transition that it leads to. */
const shared = new Set(['handler', ...Object.keys(routes)]);

const declaration = /^export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

test('each name is exported by one file', () => {
  const files = globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: repositoryRoot });
  const exports = files.flatMap((file) =>
    [...readFileSync(join(repositoryRoot, file), 'utf8').matchAll(declaration)].map(
      ([, name = '']) => [name, file] as const,
    ),
  );
  expect(exports.length).toBeGreaterThan(1000);
  const byName = Map.groupBy(exports, ([name]) => name);
  const ambiguous = [...byName].filter(
    ([name, found]) => !shared.has(name) && new Set(found.map(([, file]) => file)).size > 1,
  );
  expect(ambiguous.map(([name, found]) => `${name}: ${found.map(([, file]) => file).join(', ')}`)).toEqual(
    [],
  );
});
