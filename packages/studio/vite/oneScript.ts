import { fileURLToPath } from 'node:url';
import { build, mergeConfig, type Plugin, type UserConfig } from 'vite';
import { coreInBrowser } from './core.ts';

/**
 * A file and all that it needs as one script for a browser, of the old kind.
 * @param plugins what is to be done with it besides
 * @param core with what it takes the core in
 */
export async function oneScript(
  input: string,
  plugins: readonly Plugin[] = [],
  core: UserConfig = coreInBrowser,
): Promise<string> {
  const result = await build(
    mergeConfig(core, {
      root: fileURLToPath(new URL('..', import.meta.url)),
      configFile: false,
      logLevel: 'error',
      plugins,
      build: { write: false, rolldownOptions: { input, output: { format: 'iife', codeSplitting: false } } },
    }),
  );
  if (!('output' in result)) throw new Error(`vite made several bundles of ${input}, or watches it`);
  const [chunk, ...more] = result.output;
  if (more.length > 0) throw new Error(`vite made ${more.length} files beside the script of ${input}`);
  return chunk.code;
}
