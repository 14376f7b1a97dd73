import { writeFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';

// Loaded by the served process before replsim (`node --expose-gc --import`): at SIGUSR2 it collects, and writes what is left of the heap to a file.

const path = new URL(import.meta.url).searchParams.get('to')!;
let asked = 0;
process.on('SIGUSR2', () => {
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.();
  asked += 1;
  writeFileSync(path, `${asked} ${getHeapStatistics().used_heap_size}`);
});
