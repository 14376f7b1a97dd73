import { minify } from '@swc/core';
import type { Plugin } from 'vite';

/**
 * Makes scripts smaller once more, by what Vite's own minifier does not do: it puts functions and constants that are used once where they are
 * used, and says again and again what follows from that.
 */
export function smaller(): Plugin {
  return {
    name: 'replsim:smaller',
    apply: 'build',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') file.code = (await minify(file.code, OPTIONS)).code;
    },
  };
}

const OPTIONS = {
  module: false,
  ecma: 2022,
  compress: { ecma: 2022, passes: 3, toplevel: true },
  mangle: { toplevel: true },
} as const;
