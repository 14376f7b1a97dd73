import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dts } from 'rolldown-plugin-dts';
import license from 'rollup-plugin-license';

// All that is published, of ours and of npm: whoever installs the package installs nothing else. Few files instead of hundreds of
// small ones, since reading those would take longer than a small scenario.

/** Files of `src` that `exports` of package.json names, for whoever imports and whoever requires; then what both need of each other. */
const ENTRIES = ['index', 'jest', 'mongodb-memory-server', 'standingFor', 'workerSet'];
/** Which of its names an entry has as its default, too. */
const DEFAULTS = { 'mongodb-memory-server': 'MongoMemoryServer' };
/** The same, of what only ES modules can use. */
const MODULE_ENTRIES = ['vitest'];
/** What is started as a program, or loaded by its name. */
const PROGRAMS = ['bin', 'player', 'jestEnvironment', 'jestSetup'];

/** What whoever needs it installs: a native addon, for real disks alone, and what helpers for tests find where they are used. */
const external = ['level', 'mongodb', 'vitest', 'jest-environment-node', 'bullmq', 'ioredis'];

const root = fileURLToPath(new URL('../..', import.meta.url));

/** It names CommonJS that chooses one of two builds when it runs, so that both would be taken in. */
const s2js = createRequire(new URL('../geo/package.json', import.meta.url))
  .resolve('s2js')
  .replace(/index\.js$/, 's2js.esm.js');

/**
 * Writes what is not ASCII as escapes, which mean the same in strings, templates and regular expressions: V8 takes half the
 * memory for a text without any, and need not look for it. `bin/load.js` counts on it. Source maps do not hear of it: what stands
 * behind such a character, on its line, has moved a little to the right.
 */
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      chunk.code = chunk.code?.replace(
        /[\u0080-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  },
};

/** What few sets and scenarios need, each a bundle of its own that is loaded when it is called for. */
const LAZY = {
  geo: /\/(s2js|bigfloat)\//,
  text: /\/(packages\/text|@orama|porter2)\//,
  regex: /\/re2js\//,
  saslprep: /\/(@mongodb-js\/saslprep|sparse-bitfield|memory-pager)\//,
  // Its error is asked for by whoever imports the library, who gets all names at once.
  scenario: /\/(packages\/scenario\/src\/(?!file\/scenarioError\.ts$)|yaml\/)/,
};

/** What programs have in common with others, who would have to load the program to get at it. */
const SHARED = { longWork: /\/cli\/src\/playing\/longWork\.ts$/ };

/** A program does its work as soon as it is loaded, so nobody may take anything from it; but what `bin` loads finds it loaded. */
const programsAlone = {
  name: 'programs-alone',
  generateBundle(_options, bundle) {
    for (const { fileName, imports = [], dynamicImports = [] } of Object.values(bundle))
      for (const each of [...imports, ...dynamicImports])
        if (PROGRAMS.some((program) => program !== 'bin' && each === `${program}.cjs`))
          this.error(`${fileName} takes something from ${each}: give what they share a bundle of its own, in SHARED`);
  },
};

/** Modules of Node that few runs need, and that Node takes its time to get ready. */
const LATE_BUILTINS = ['child_process', 'readline', 'zlib'];

/**
 * In the place of what a late bundle exports stands an object that looks there when it is asked, for each name that is used of it: the
 * code that uses them stays as it is, whatever stands around a name. Of a bundler there is no way to ask for that.
 */
const lazy = {
  name: 'lazy',
  generateBundle(_options, bundle) {
    const late = `\\./(?:${Object.keys(LAZY).join('|')})-[\\w-]{8}\\.cjs|node:(?:${LATE_BUILTINS.join('|')})`;
    const named = new RegExp(`^\\s*(?:const|let) (\\S+) = (require\\("(?:${late})"\\));$`, 'gm');
    for (const chunk of Object.values(bundle))
      chunk.code = chunk.code?.replace(named, (_whole, name, required) => {
        const getters = namesUsed(chunk.code, name).map(
          (each) => `get ${each}() { return (${name}_ ??= ${required}).${each}; }`,
        );
        return `let ${name}_; const ${name} = { ${getters.join(', ')} };`;
      });
  },
};

/** Those that are never used do no harm. */
function namesUsed(code, name) {
  const used = code.matchAll(new RegExp(`\\b${name.replaceAll('$', '\\$')}\\.([\\w$]+)`, 'g'));
  return [...new Set(Array.from(used, ([, each]) => each))];
}

/** bson looks at its source of random bytes when it is loaded, which Node gets ready only then: better when it is asked for some. */
const lateRandomness = {
  name: 'late-randomness',
  transform(code, id) {
    if (!/\/bson\/lib\/\S+$/.test(id)) return;
    const looked = /(const \w+RandomBytes =) (\(\(\) => \{\s+const \{ crypto \} = globalThis;[\s\S]*?\n *\}\)\(\))/g;
    const text = code.replace(looked, '$1 (byteLength) => $2(byteLength)');
    if (text.split(' (byteLength) => (() =>').length !== 3)
      this.error(`${id} looks at its source of random bytes in a way that is not known here`);
    // No line moves.
    return { code: text, map: null };
  },
};

/** React asks the environment at run time which of its two builds to take: the one for users, so that the other is not carried. */
const production = {
  name: 'production',
  transform(code, id) {
    if (!/\/node_modules\/(react|react-dom|scheduler)\//.test(id)) return;
    return { code: code.replaceAll('process.env.NODE_ENV', "'production'"), map: null };
  },
};

/** What an entry of the library needs of the bundles it takes as V8 has compiled it before: see `bin/load.js`. */
const kept = {
  name: 'kept',
  resolveId: (id) => (id.endsWith('/bin/load.js') ? { id: '../../bin/load.js', external: true } : undefined),
  generateBundle(_options, bundle) {
    for (const name of [...ENTRIES, 'jestEnvironment', 'jestSetup']) {
      const chunk = bundle[`${name}.cjs`];
      // On its first line, so that the source maps hold.
      chunk.code = `require = require('../../bin/load.js').requiring(require, __dirname); ${chunk.code}`;
    }
  },
};

/** An ES module for each entry, which hands on what the CommonJS has: whether imported or required, a class is the same. */
const doors = {
  name: 'doors',
  generateBundle(_options, bundle) {
    for (const name of ENTRIES)
      this.emitFile({
        type: 'asset',
        fileName: `${name}.js`,
        source: `export { ${namesOf(name, bundle[`${name}.cjs`].exports)} } from './${name}.cjs';\n`,
      });
  },
};

const namesOf = (entry, names) => [...names.filter((name) => name !== 'default'), ...defaultOf(entry)].join(', ');

/** By its name: what one imports of CommonJS as its default is all of it. */
const defaultOf = (entry) => (DEFAULTS[entry] === undefined ? [] : [`${DEFAULTS[entry]} as default`]);

/** The same for types. */
const typeDoors = {
  name: 'type-doors',
  generateBundle() {
    for (const name of ENTRIES) {
      const source = [
        `export * from './${name}.cjs';`,
        ...defaultOf(name).map((as) => `export { ${as} } from './${name}.cjs';`),
      ];
      this.emitFile({ type: 'asset', fileName: `${name}.d.ts`, source: `${source.join('\n')}\n` });
    }
  },
};

/** What is an entry of its own is taken from there, and carried once. */
const fromEntries = {
  name: 'from-entries',
  resolveId(id, importer) {
    const name = importer && /^\.\/([\w-]+)\.ts$/.exec(id)?.[1];
    return ENTRIES.includes(name) ? { id: `./${name}.js`, external: true } : undefined;
  },
};

/** Whoever requires what can only be imported is told so. */
const refusals = {
  name: 'refusals',
  generateBundle() {
    for (const name of MODULE_ENTRIES) {
      const told = `replsim/${name} can only be imported, as ${name} itself: write "import { test } from 'replsim/${name}'"`;
      this.emitFile({ type: 'asset', fileName: `${name}.cjs`, source: `throw new Error(${JSON.stringify(told)});\n` });
    }
  },
};

/** A file that is compiled to `require` has the types all the same: vitest makes ES modules of it, whatever TypeScript does. */
const requiredTypes = {
  name: 'required-types',
  generateBundle(_options, bundle) {
    for (const name of MODULE_ENTRIES) {
      const source = bundle[`${name}.d.ts`].code.replaceAll('"./index.js"', '"./index.cjs"');
      this.emitFile({ type: 'asset', fileName: `${name}.d.cts`, source });
    }
  },
};

/** Of its two kinds of types it names those first that cannot be bundled. */
const zodTypes = {
  name: 'zod-types',
  resolveId: {
    order: 'pre',
    handler: (id) =>
      id === 'zod'
        ? createRequire(import.meta.url)
            .resolve(id)
            .replace(/cjs$/, 'd.ts')
        : undefined,
  },
};

/** The licences of what is bundled, as these ask for; another kind of licence than these ends the build. */
const notices = (dir) =>
  license({
    thirdParty: {
      output: {
        file: join(dir, 'THIRD-PARTY-NOTICES.txt'),
        template: (packages) => packages.map(noticeOf).join(`\n${'-'.repeat(80)}\n\n`),
      },
      allow: {
        test: '(MIT OR ISC OR 0BSD OR Apache-2.0 OR BSD-2-Clause OR BSD-3-Clause)',
        failOnUnlicensed: true,
        failOnViolation: true,
      },
    },
  });

const noticeOf = ({ name, version, license, licenseText, noticeText }) =>
  `${[`${name} ${version} (${license})`, licenseText, noticeText].filter(Boolean).join('\n\n')}\n`;

/** Of a package's index a chunk would be called `src`: better by the package, the uppermost of those in it. */
const nameOf = ({ name, moduleIds }) =>
  (name === 'src' && moduleIds.map((id) => /packages\/(\w+)\/src\//.exec(id)?.[1]).findLast(Boolean)) || name;

const types = { external, checks: { pluginTimings: false } };

const shared = {
  platform: 'node',
  // Its `paths` lead to types, where the page's React stands beside another one.
  tsconfig: false,
  external,
  resolve: { alias: { s2js }, conditionNames: ['@replsim/source', 'module', 'node', 'import', 'default'] },
};

const declarations = [zodTypes, dts({ dtsInput: true, sourcemap: false })];

const input = (names, path) => Object.fromEntries(names.map((name) => [name, path(name)]));
const sourceOf = (name) => `src/${name}.ts`;
const typesOf = (name) => `dist/${name}.d.ts`;

/**
 * All that runs as CommonJS: jest and mocha load such by default, and V8 can be given compiled code of such alone. Then what is but
 * an ES module, and the types, which tsc has written.
 * @param {string} dir where it is written
 * @returns {import('rolldown').RolldownOptions[]}
 */
export function bundlesIn(dir) {
  // Nothing but comments is left out: the command takes no longer for it, `require('replsim')` some hundredths of a second, and whoever
  // reads a stack without the maps sees names and lines at least.
  const output = {
    dir,
    comments: false,
    sourcemap: true,
    // They name files as they stand in the repository, which are not published.
    sourcemapExcludeSources: true,
    sourcemapPathTransform: (source, map) =>
      join('../..', relative(root, resolve(dirname(map), source))).replaceAll('\\', '/'),
  };
  return [
    {
      ...shared,
      plugins: [lateRandomness, production, programsAlone, ascii, lazy, kept, doors, notices(dir)],
      input: input([...ENTRIES, ...PROGRAMS], sourceOf),
      // As groups without what they need want it.
      preserveEntrySignatures: 'allow-extension',
      output: {
        ...output,
        format: 'cjs',
        exports: 'named',
        cleanDir: true,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: Object.entries({ ...LAZY, ...SHARED }).map(([name, test]) => ({ name, test })),
        },
        // What is compiled by hand may not import: see `bin/load.js`.
        dynamicImportInCjs: false,
        entryFileNames: '[name].cjs',
        chunkFileNames: (chunk) => `${nameOf(chunk)}-[hash].cjs`,
      },
    },
    {
      ...shared,
      plugins: [fromEntries, refusals],
      input: input(MODULE_ENTRIES, sourceOf),
      output: { ...output, format: 'esm' },
    },
    {
      ...types,
      plugins: [...declarations, typeDoors],
      input: input(ENTRIES, typesOf),
      output: { dir, format: 'esm', entryFileNames: '[name].d.cts', chunkFileNames: '[name]-[hash].d.cts' },
    },
    {
      ...types,
      plugins: [fromEntries, ...declarations, requiredTypes],
      input: input(MODULE_ENTRIES, typesOf),
      output: { dir, format: 'esm' },
    },
  ];
}

export default bundlesIn('dist/bundle');
