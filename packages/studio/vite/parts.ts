import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';

type Chunk = Rolldown.OutputChunk;
/** Chunks by the script that brings them. */
type Scripts = ReadonlyMap<string, readonly Chunk[]>;

/** The chunk that draws. */
const FIRST = 'index.js';
/** What the page begins with and others need too; what only others share. */
const BASE = 'base.js';
const SHARED = 'shared.js';

/**
 * Makes scripts of the old kind of a build in several chunks: a page from `file:` may load no module. Each chunk becomes a function in a
 * table, so that page and simulator share what both need, and the simulator goes to a worker as text: see `src/core/run/parts.ts`.
 */
export function parts(): Plugin {
  return {
    name: 'replsim:parts',
    apply: 'build',
    config: () => ({
      build: {
        modulePreload: false,
        cssCodeSplit: false,
        rolldownOptions: {
          preserveEntrySignatures: 'exports-only',
          output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    }),
    generateBundle: {
      // After they are made small.
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const scripts = scriptsOf(chunks);
        // Scripts of two builds do not fit together, so that no old one may come out of a cache.
        const version = createHash('sha256')
          .update(chunks.map(({ code }) => code).join())
          .digest('hex')
          .slice(0, 8);
        for (const { fileName } of chunks) delete bundle[fileName];
        for (const [fileName, inside] of scripts) {
          const source = inside.map(
            (chunk) => `self.replsimParts.bodies[${quoted(chunk.fileName)}]=${functionOf(chunk)};\n`,
          );
          if (fileName === BASE) source.unshift(tableOf(chunks, scripts, version));
          if (fileName === FIRST) source.push(`self.replsimParts.need(${quoted(FIRST)});\n`);
          this.emitFile({ type: 'asset', fileName, source: source.join('') });
        }
        const page = bundle['index.html'];
        if (page?.type === 'asset') page.source = withOldScripts(String(page.source), version);
      },
    },
  };
}

const quoted = (text: string) => JSON.stringify(text);
const functionOf = ({ code }: Chunk) => `function(require,exports){"use strict";${code}\n}`;

/** Entries have scripts of their own, but for what they share. */
function scriptsOf(chunks: readonly Chunk[]): Scripts {
  const first = madeOf(FIRST, chunks);
  const shared = chunks.filter(({ isEntry }) => !isEntry);
  const entries = chunks.filter(({ isEntry }) => isEntry);
  return new Map([
    [BASE, shared.filter(({ fileName }) => first.includes(fileName))],
    [SHARED, shared.filter(({ fileName }) => !first.includes(fileName))],
    ...entries.map((entry): [string, readonly Chunk[]] => [entry.fileName, [entry]]),
  ]);
}

/** All chunks that an entry is made of, itself last. */
function madeOf(fileName: string, chunks: readonly Chunk[]): readonly string[] {
  const imports = chunks.find((chunk) => chunk.fileName === fileName)?.imports ?? [];
  return [...new Set([...imports.flatMap((each) => madeOf(each, chunks)), fileName])];
}

function tableOf(chunks: readonly Chunk[], scripts: Scripts, version: string): string {
  const there = [BASE, FIRST];
  const scriptOf = (part: string) =>
    [...scripts].find(([, inside]) => inside.some((each) => each.fileName === part))![0];
  const entries = chunks
    .filter(({ isEntry }) => isEntry)
    .map(({ name, fileName }) => {
      const made = madeOf(fileName, chunks);
      const files = [...new Set(made.map(scriptOf))].filter((file) => !there.includes(file));
      return [name, { parts: made, files }] as const;
    });
  const table = `{version:${quoted(version)},entries:${JSON.stringify(Object.fromEntries(entries))},bodies:{},needOf:${NEED_OF}}`;
  return `self.replsimParts=${table};self.replsimParts.need=self.replsimParts.needOf(self.replsimParts.bodies);\n`;
}

/** See `Parts.needOf`. Chunks name each other as files beside them. */
const NEED_OF =
  'function(bodies){var made={};return function need(name){name=name.replace("./","");if(!made[name])bodies[name](need,made[name]={});return made[name]}}';

/** The page's scripts run when it is there, in their order. */
function withOldScripts(html: string, version: string): string {
  const script = (name: string) => `<script defer src="./${name}?${version}"></script>`;
  const made = html.replace(/<script type="module"[^>]*><\/script>/, `${script(BASE)}\n    ${script(FIRST)}`);
  if (made === html) throw new Error('the page has no script of the kind that is known here');
  return made.replaceAll(' crossorigin', '');
}
