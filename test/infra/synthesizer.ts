/**
 * Synthesizes the CDK app for all files of a test run, once for each set of settings. `global-setup.ts` starts it as a process of its
 * own, which loads the CDK with the first request. It sends its endpoint to the process that started it, and ends with it.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../support/loopback-server.ts';
import { synthesizeHere } from './cdk-app.ts';
import type { SynthesisOptions } from './template.ts';

interface Synthesis {
  readonly settings: Readonly<Record<string, string>>;
  readonly options: SynthesisOptions;
}

/** The results as JSON, by what was synthesized. */
const results = new Map<string, Promise<string>>();
let last: Promise<unknown> = Promise.resolve();

function synthesizeOnce({ settings, options }: Synthesis): Promise<string> {
  // The default stage is dev. The order of settings has no effect.
  const key = JSON.stringify([Object.entries({ stage: 'dev', ...settings }).sort(), options]);
  const known = results.get(key);
  if (known) return known;
  const result = last.then(async () => JSON.stringify(await synthesizeHere(settings, options)));
  last = result.catch(() => {});
  results.set(key, result);
  return result;
}

const server = createServer(async (request, response) => {
  try {
    response.end(await synthesizeOnce(JSON.parse(await text(request))));
  } catch (error) {
    response.writeHead(500).end((error as Error).message);
  }
});
process.once('disconnect', () => process.exit());
const { endpoint } = await listenOnLoopback(server);
process.send?.({ endpoint });
