import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Makes one file of a program, since a plain Node reads no TypeScript, for as long as `use` needs it.
 * @param program its path from the root @param use is given the file's path
 */
export async function withChild(program: string, use: (child: string) => unknown): Promise<void> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, 'replsim-'));
  const conditions = ['@replsim/source', 'module', 'node', 'import', 'default'];
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: /^@replsim\//, resolve: { conditions } },
      build: {
        ssr: program,
        outDir,
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: 'child.mjs' } },
      },
    });
    await use(join(outDir, 'child.mjs'));
  } finally {
    rmSync(outDir, { recursive: true });
  }
}
