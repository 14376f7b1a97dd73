import type { Plugin } from 'vite';

/**
 * Makes one function of a script, which the page that loads it does not call, and hands to a worker as text: see `src/run/program.ts`. */
export function ownProgram(): Plugin {
  return {
    name: 'replsim:own-program',
    apply: 'build',
    generateBundle: {
      // After it is made small.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk') file.code = `self.replsimWholeProgram=function(){${file.code}\n};\n`;
      },
    },
  };
}
