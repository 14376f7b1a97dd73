import { isBuiltin } from 'node:module';
import { defaultClientConditions, type Plugin, type UserConfig } from 'vite';
import { noJsonSchema } from './noJsonSchema.ts';
import { smaller } from './smaller.ts';

/** The one file of the core that asks for a file system, and how. */
const DISK = /\/storage\/src\/disk\/disk\.ts$/;
const DIRECTORIES = "await import('./directoryDatabase.ts')";
/** What stands in its place. */
const NO_DIRECTORIES = `
function openDirectoryDatabase() {
  throw new Error('a browser has no directories to keep data in: leave dbpath out');
}`;

/** What stands in the place of a package: some of its names are there all the same, and whoever needs the others is refused. */
const without = (
  what: string,
  kept: string,
  refused: readonly string[],
) => `import { CommandError } from '@replsim/protocol';
${kept}
const refuse = () => {
  throw new CommandError('CommandNotSupported', 'this page knows nothing of ${what}, which was asked for in a way that it did not see: play it by \`replsim run\`');
};
export { ${refused.map((name) => `refuse as ${name}`).join(', ')} };`;

interface LeftOut {
  readonly is: RegExp;
  readonly instead: string;
}

/** What hardly a scenario needs, and is as much of a page as React, with its libraries. */
const LEFT_OUT: readonly LeftOut[] = [
  // Patterns are searched step by step instead, which only takes longer; one that takes too long is refused, as others are anyway.
  { is: /\/query\/src\/regex\/linear\.ts$/, instead: 'export const compileLinear = () => undefined;' },
  {
    is: /\/geo\/src\/index\.ts$/,
    instead: without(
      'places',
      `export { CELL_LEVELS } from './documentKeys.ts';
export { TWO_D_DEFAULTS } from './geoHash.ts';
export { isOnPlane, isOnSphere, nearOperators } from './near.ts';
export { geoOperators } from './region.ts';`,
      [
        ...[
          'cellValue',
          'checkInSquare',
          'nearestOf',
          'parseGeoPredicate',
          'parseNear',
          'planarBoundsNear',
          'planarKeys',
        ],
        ...['rangesInBox', 'sphereKeys', 'sphereRangesNear'],
      ],
    ),
  },
  {
    is: /\/text\/src\/index\.ts$/,
    instead: without(
      'searches by words',
      "export { DEFAULT_LANGUAGE, DEFAULT_LANGUAGE_OVERRIDE, WILDCARD } from './textRules.ts';",
      ['checkSearch', 'languageNamed', 'parseSearch', 'readTextRules', 'scoreOf', 'scoresOf'],
    ),
  },
];

/** What the core needs to be taken into a page, or into a worker of it: it is read from its sources. */
export const coreInBrowser = coreWithout(LEFT_OUT);

/** The same with all that a scenario may need: see `src/later/whole.ts`. */
export const wholeCoreInBrowser = coreWithout([]);

function coreWithout(leftOut: readonly LeftOut[]) {
  return {
    base: './',
    resolve: {
      conditions: ['@replsim/source', ...defaultClientConditions],
    },
    plugins: [onlyBrowser(leftOut), noJsonSchema(), smaller()],
  } satisfies UserConfig;
}

/** Vite puts an empty object in the place of what only Node has, and says so in passing; here it is an error. */
function onlyBrowser(leftOut: readonly LeftOut[]): Plugin {
  return {
    name: 'replsim:only-browser',
    enforce: 'pre',
    load: (id) => leftOut.find(({ is }) => is.test(id))?.instead,
    transform(code, id) {
      if (!DISK.test(id)) return;
      if (!code.includes(DIRECTORIES)) this.error(`${id} asks for its directories in a way that is not known here`);
      return code.replace(DIRECTORIES, '{ openDirectoryDatabase }') + NO_DIRECTORIES;
    },
    async resolveId(source, importer) {
      if (!isBuiltin(source)) return;
      // Of some there is a package of the same name, which its dependants mean.
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (!found?.id.includes('/node_modules/')) this.error(`${importer} imports ${source}, which no browser has`);
    },
  };
}
