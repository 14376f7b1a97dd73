import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { oneScript } from './oneScript.ts';

const EDITOR = fileURLToPath(new URL('../src/later/codeMirror.ts', import.meta.url));
const NOTICES = 'EDITOR-THIRD-PARTY-NOTICES.txt';

/** Writes the editor beside the page, as a script of its own: the page asks for it when somebody wants to write, see `src/later`. */
export function editorScript(): Plugin {
  return {
    name: 'replsim:editor-script',
    apply: 'build',
    async generateBundle() {
      const told = licences();
      this.emitFile({ type: 'asset', fileName: 'editor.js', source: await oneScript(EDITOR, [told]) });
      this.emitFile({ type: 'asset', fileName: NOTICES, source: told.text() });
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
