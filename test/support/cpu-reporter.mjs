/** Writes the CPU time of each test file by program, and its calls to the table, to `.local/test-cpu.json`, which `npm run test:cost` prints. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cpuOf } from './process-cpu.mjs';
import { synthesizerPid } from './shared-servers.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, '.local');

export default class CpuReporter {
  #files = [];
  #start = performance.now();

  onTestResult(_test, { testFilePath, cpu, tableCalls, perfStats }) {
    if (!cpu) return;
    const wall = (perfStats.end - perfStats.start) / 1000;
    this.#files.push({ file: relative(join(root, 'test'), testFilePath), wall, cpu, tableCalls });
  }

  onRunComplete() {
    const { user, system } = process.cpuUsage();
    mkdirSync(folder, { recursive: true });
    const report = {
      wall: (performance.now() - this.#start) / 1000,
      // It contains the queue emulator. With one worker, it contains everything that the files list under `node`, too.
      jest: (user + system) / 1e6,
      // One process synthesizes the CDK app for all files.
      synthesizer: cpuOf(synthesizerPid())?.seconds ?? 0,
      files: this.#files,
    };
    writeFileSync(join(folder, 'test-cpu.json'), `${JSON.stringify(report, null, 1)}\n`);
  }
}
