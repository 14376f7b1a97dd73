import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';
import { vi } from 'vitest';
import { toFragment } from '../../src/edit/fragment.ts';

/** Builds the page into a folder, as `npm run build` does. */
export async function buildPage(folder: string): Promise<void> {
  // As a shell would have it: React would be the one for development otherwise.
  vi.stubEnv('NODE_ENV', 'production');
  await build({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  vi.unstubAllEnvs();
}

/** A link to a scenario of the folder in the page that was built there. */
export function linkTo(folder: string, file = 'election/failover-on-kill'): string {
  const text = readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
  return `${pathToFileURL(folder).href}/index.html#${toFragment({ text, atMicros: 0 })}`;
}
