import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const FACES = ['@fontsource-variable/inter', '@fontsource-variable/jetbrains-mono'];
const { resolve } = createRequire(import.meta.url);

/** The licences of the faces, which stand in the style sheet: of scripts alone the build knows them by itself. */
export function faceNotices(): Plugin {
  return {
    name: 'replsim:face-notices',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const file = bundle[NOTICES];
        if (file?.type === 'asset') file.source = `${file.source}\n${FACES.map(noticeOf).join('\n')}`;
      },
    },
  };
}

function noticeOf(name: string): string {
  const folder = dirname(resolve(`${name}/package.json`));
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `## ${name} - ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8')}`;
}
