import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { completionSchema } from './completionSchema.ts';
import { wholeCoreInBrowser } from './core.ts';
import { oneScript } from './oneScript.ts';
import { ownProgram } from './ownProgram.ts';

const later = (file: string) => fileURLToPath(new URL(`../src/later/${file}`, import.meta.url));
const NOTICES = 'THIRD-PARTY-NOTICES.txt';

/** The editor. @param plugins what is to be done with it besides */
export const editorScript = (...plugins: readonly Plugin[]) =>
  oneScript(later('codeMirror.ts'), [completionSchema(), ...plugins]);

/** A worker's program with the whole core, also what hardly a scenario needs. @param plugins what is to be done with it besides */
export const wholeScript = (...plugins: readonly Plugin[]) =>
  oneScript(later('whole.ts'), [ownProgram(), ...plugins], wholeCoreInBrowser);

const SCRIPTS = { editor: editorScript, whole: wholeScript };

/** Writes beside the page, as scripts of their own, what it asks for when somebody needs it: see `src/later`. */
export function laterScripts(): Plugin {
  return {
    name: 'replsim:later-scripts',
    apply: 'build',
    async generateBundle() {
      for (const [name, make] of Object.entries(SCRIPTS)) {
        const told = licences();
        this.emitFile({ type: 'asset', fileName: `${name}.js`, source: await make(told) });
        this.emitFile({ type: 'asset', fileName: `${name.toUpperCase()}-${NOTICES}`, source: told.text() });
      }
    },
  };
}

/** Takes the licences of what is in a script out of its bundle. */
function licences(): Plugin & { text(): string } {
  let text = '';
  return {
    name: 'replsim:licences',
    config: () => ({ build: { license: { fileName: NOTICES } } }),
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const file = bundle[NOTICES];
        if (file?.type === 'asset') text = String(file.source);
        delete bundle[NOTICES];
      },
    },
    text: () => text,
  };
}
