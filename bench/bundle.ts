/** Measures the bundle of one handler and compares it with a bundle that only loads the same SDK clients. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleHandlers } from '../infra/bundles.ts';
import type { AwsCalls } from '../infra/setting-values.ts';
import { formatCount, formatMs, formatRatio, median, type Table } from './results.ts';

const runs = 15;

/** Measures the load time of a bundle in milliseconds. It runs in a new process. */
const loadScript = `
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  require(process.argv[1]);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cpuMs: (user + system) / 1000, wallMs: performance.now() - startedAt }));`;

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
    const baseline = bundle(
      'the same SDK clients alone',
      'bench/sdk-clients-only.ts',
      join(directory, 'sdk'),
      'sdk',
    );
    for (let run = 0; run < runs; run++) for (const measured of [own, baseline]) load(measured);
    return toTable(own, baseline);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Builds the file that a deployment of the function uploads. The bundle of the SDK clients contains all of them. */
function bundle(name: string, handler: string, outdir: string, calls: AwsCalls = 'direct'): Bundle {
  const file = join(bundleHandlers([handler], outdir, calls).get(handler) ?? '', 'index.js');
  return { name, file, bytes: statSync(file).size, loads: [] };
}

function load({ file, loads }: Bundle): void {
  const env = { ...process.env, AWS_REGION: 'us-east-1' };
  loads.push(JSON.parse(execFileSync(process.execPath, ['-e', loadScript, file], { encoding: 'utf8', env })));
}

function toTable(own: Bundle, baseline: Bundle): Table {
  const cpuMs = ({ loads }: Bundle) => median(loads.map((load) => load.cpuMs));
  const wallMs = ({ loads }: Bundle) => median(loads.map((load) => load.wallMs));
  const row = (one: Bundle, target: string) => [
    ...[one.name, formatCount(one.bytes), formatRatio(one.bytes / baseline.bytes)],
    ...[formatMs(cpuMs(one)), formatMs(wallMs(one)), formatRatio(cpuMs(one) / cpuMs(baseline)), target],
  ];
  return {
    title: 'Bundle of one handler',
    columns: ['bundle', 'bytes', 'bytes', 'load, CPU', 'load, wall', 'CPU', 'target'],
    rows: [row(own, '≤ 0.75× the CPU'), row(baseline, '')],
    goals: [
      {
        figure: 'module load, CPU, against bare SDK clients',
        row: own.name,
        measured: formatRatio(cpuMs(own) / cpuMs(baseline)),
        shares: [cpuMs(own) / cpuMs(baseline) / 0.75],
      },
    ],
    diagrams: [
      {
        file: 'load-time.svg',
        title: 'Time to load a function in a new process',
        description: [own, baseline]
          .map(
            (one) =>
              `${one.name}: ${formatMs(cpuMs(one))} of processor time, ${formatMs(wallMs(one))} in all`,
          )
          .join('. '),
        kind: 'bars',
        axis: 'milliseconds, median',
        labels: [own.name, baseline.name],
        series: [
          { name: 'processor time', values: [own, baseline].map(cpuMs) },
          { name: 'elapsed time', values: [own, baseline].map(wallMs) },
        ],
      },
    ],
    notes: [
      `Both bundles are minified, as in a deployment. Load is the median of ${runs} new processes each, which alternate.`,
    ],
  };
}
