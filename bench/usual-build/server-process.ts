/**
 * The process of one measured server: the usual build, the gateway of a local stack with the bundles that Lambda runs, or the calls of
 * DynamoDB alone.
 * It answers each message with the processor time that it has used. `servers.ts` starts it.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import pg from 'pg';
import { type ApiHandler, startGateway } from '../../infra/local/gateway.ts';
import { routes } from '../../shared/api/routes.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { buildApp } from './app.ts';
import { startBareServer } from './bare-calls.ts';
import type { RemitServer, ServerReply, ServerSettings, UsualServer } from './servers.ts';

/** As many connections as a small instance has by default. */
const connections = 10;

async function startUsual({ connection }: UsualServer): Promise<string> {
  const pool = new pg.Pool({ ...connection, max: connections });
  const app = buildApp(pool, 'https://pay.example.com');
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/**
 * Serves the bundled functions, in the environment of the stack of this benchmark. The other parts of a stack are not loaded, as
 * a function has a process of its own on Lambda.
 */
async function startRemit({ bundles, dynamodb }: RemitServer): Promise<string> {
  if (dynamodb !== undefined) process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb;
  const require = createRequire(import.meta.url);
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    report: () => {},
    load: async (file) => require(join(bundles[file] ?? '', 'index.js')).handler as ApiHandler,
  });
  const measured = Object.values(routes).filter(({ handler }) => handler in bundles);
  await gateway.serve(measured, firstApiVersion);
  return gateway.baseUrl;
}

const reply = (message: ServerReply) => process.send?.(message);
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

process.on('message', () => reply({ cpuMs: cpuMs() }));
process.on('disconnect', () => process.exit());
const settings = JSON.parse(process.argv[2] ?? '') as ServerSettings;
reply({ url: await start() });

function start(): Promise<string> {
  if (settings.kind === 'usual') return startUsual(settings);
  return settings.kind === 'bare' ? startBareServer(settings) : startRemit(settings);
}
