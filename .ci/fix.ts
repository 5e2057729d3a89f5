/** Formats the code and mends what the linter can mend: `npm run fix`. Prints what is left. */
import { execute, installTools } from './tools.ts';

await installTools();
const left = await execute('biome check --write --error-on-warnings');
if (left !== undefined) {
  process.stderr.write(left);
  process.exitCode = 1;
}
