import type { Plugin } from 'vite';

/** Makes one function of a script, which knows itself by that and can run in a worker as well: see `src/run/program.ts`. */
export function ownProgram(): Plugin {
  return {
    name: 'replsim:own-program',
    apply: 'build',
    generateBundle: {
      // After it is made small.
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle))
          if (file.type === 'chunk')
            file.code = `(function program(){self.replsimProgram=program;${file.code}\n})();\n`;
      },
    },
  };
}
