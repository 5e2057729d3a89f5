/** The bundle of one handler, as the CDK app makes it, next to one that only loads the same SDK clients. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { createFunction } from '../infra/function.ts';
import { count, median, ms, type Table, times } from './results.ts';

const runs = 15;

/** In a process of its own: what loading the bundle takes, in milliseconds. */
const loadScript = `
  const [began, before] = [performance.now(), process.cpuUsage()];
  require(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() - began }));`;

interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  readonly loads: { readonly cpuMs: number; readonly wallMs: number }[];
}

export function benchBundle(): Table {
  const directory = mkdtempSync(join(tmpdir(), 'remit-bench-'));
  try {
    const own = bundle('create', 'functions/invoices/create.ts', join(directory, 'create'));
    const rival = bundle('the same SDK clients alone', 'bench/sdk-clients-only.ts', join(directory, 'sdk'));
    for (let run = 0; run < runs; run++) for (const one of [own, rival]) load(one);
    return toTable(own, rival);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The asset that deploying the function would upload. */
function bundle(name: string, handler: string, outdir: string): Bundle {
  const app = new App({ outdir });
  createFunction(new Stack(app, 'Bench'), 'Bundle', { handler, environment: {} });
  app.synth();
  const [asset] = globSync('asset.*/index.js', { cwd: outdir });
  if (!asset) throw new Error(`${handler} has no bundle.`);
  const file = join(outdir, asset);
  return { name, file, bytes: statSync(file).size, loads: [] };
}

function load({ file, loads }: Bundle): void {
  const env = { ...process.env, AWS_REGION: 'us-east-1' };
  loads.push(JSON.parse(execFileSync(process.execPath, ['-e', loadScript, file], { encoding: 'utf8', env })));
}

function toTable(own: Bundle, rival: Bundle): Table {
  const cpuMs = ({ loads }: Bundle) => median(loads.map((one) => one.cpuMs));
  const wallMs = ({ loads }: Bundle) => median(loads.map((one) => one.wallMs));
  const row = (one: Bundle, target: string) => [
    ...[one.name, count(one.bytes), times(one.bytes / rival.bytes)],
    ...[ms(cpuMs(one)), ms(wallMs(one)), times(cpuMs(one) / cpuMs(rival)), target],
  ];
  return {
    title: 'Bundle of one handler',
    columns: ['bundle', 'bytes', 'bytes', 'load, CPU', 'load, wall', 'CPU', 'target'],
    rows: [row(own, '≤ 1.25× the bytes'), row(rival, '')],
    notes: [
      `Minified, as the CDK app bundles them; load is the median of ${runs} fresh processes each, in turn.`,
    ],
  };
}
