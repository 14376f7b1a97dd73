import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the page as `npm run build` makes it, for all files of tests. */
    readonly builtPage: string;
  }
}

/** Builds the page once, before the first file of tests begins. */
export default async function builtPage(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-page-'));
  const mode = process.env.NODE_ENV;
  // As a shell would have it: React would be the one for development otherwise.
  process.env.NODE_ENV = 'production';
  await build({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
  });
  process.env.NODE_ENV = mode;
  project.provide('builtPage', folder);
  return () => rmSync(folder, { recursive: true });
}
