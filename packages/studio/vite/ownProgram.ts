import type { Plugin } from 'vite';

/**
 * Makes one function of a script, which knows itself by that and can run in a worker as well: see `src/core/run/program.ts`.
 * @param name under which it is there for all
 */
export function ownProgram(name: 'replsimProgram' | 'replsimWholeProgram' = 'replsimProgram'): Plugin {
  return {
    name: 'replsim:own-program',
    apply: 'build',
    generateBundle: {
      // After it is made small.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk') file.code = `(function program(){self.${name}=program;${file.code}\n})();\n`;
      },
    },
  };
}
