/**
 * The process of one measured server: the usual build, or the gateway of a local stack with the bundles that Lambda runs.
 * It answers each message with the processor time that it has used. `servers.ts` starts it.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { handlerLoader } from '../../infra/local/handler.ts';
import { startStack } from '../../infra/local/stack.ts';
import { buildApp } from './app.ts';
import type { RemitServer, ServerReply, ServerSettings, UsualServer } from './servers.ts';

/** As many connections as a small instance has by default. */
const connections = 10;

async function startUsual({ connection }: UsualServer): Promise<string> {
  const pool = new pg.Pool({ ...connection, max: connections });
  const app = buildApp(pool, 'https://pay.example.com');
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Serves the bundled functions. The other functions are not loaded, as each function has a process of its own on Lambda. */
async function startRemit({ bundles, ...shared }: RemitServer): Promise<string> {
  const require = createRequire(import.meta.url);
  handlerLoader.load = async (file) => {
    const directory = bundles[file];
    if (directory !== undefined) return require(join(directory, 'index.js')).handler;
    return () => Promise.reject(new Error(`${file} is not measured.`));
  };
  const stack = await startStack({
    ...shared,
    host: '127.0.0.1',
    port: 0,
    scheduleIntervalMs: 3_600_000,
    report: () => {},
  });
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  return stack.baseUrl;
}

const reply = (message: ServerReply) => process.send?.(message);
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

process.on('message', () => reply({ cpuMs: cpuMs() }));
process.on('disconnect', () => process.exit());
const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings;
const url = settings.kind === 'usual' ? await startUsual(settings) : await startRemit(settings);
reply({ url });
