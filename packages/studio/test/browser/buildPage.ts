import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { vi } from 'vitest';

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
