// Drives the Python client in a process of its own.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { program } from '../becket.mjs';

const LIMIT_MS = 120_000;

export function drive(script) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program('BECKET_PYTHON'),
      ['-W', 'ignore', join(import.meta.dirname, 'python_driver.py')],
      { timeout: LIMIT_MS, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => (error ? reject(new Error(`the Python client failed:\n${stderr}`)) : resolve(JSON.parse(stdout))),
    );
    child.stdin.end(JSON.stringify(script));
  });
}
