import type { Plugin } from 'vite';

/**
 * Makes one function of a script, which the page that loads it does not call, and hands to a worker as text: see `src/run/program.ts`.
 * @param name under which it is there for all
 */
export function ownProgram(name: 'replsimProgram' | 'replsimWholeProgram'): Plugin {
  return {
    name: 'replsim:own-program',
    apply: 'build',
    generateBundle: {
      // After it is made small.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk') file.code = `self.${name}=function(){${file.code}\n};\n`;
      },
    },
  };
}
