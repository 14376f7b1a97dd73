import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, type DeclarationReflection } from 'typedoc';
import type { Page } from './page.ts';
import { namesIn, root } from './repository.ts';

/** What users import, and the pages that tell of it. */
const MODULES = [
  { entry: 'packages/replsim/src/index.ts', name: 'replsim', page: 'replsim' },
  { entry: 'packages/replsim/src/vitest.ts', name: 'replsim/vitest', page: 'vitest' },
  { entry: 'packages/replset/src/index.ts', name: '@replsim/replset', page: 'replset' },
] as const;

/** The API as the types and their comments have it. @throws Error for what is exported without a word */
export async function apiPages(): Promise<Page[]> {
  const out = mkdtempSync(join(tmpdir(), 'replsim-api-'));
  try {
    await writeApi(out);
    return readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((name) => name !== 'README.md')
      .sort()
      .map((name) => ({ path: `api/${name}`, text: titled(name, readFileSync(join(out, name), 'utf8')) }));
  } finally {
    rmSync(out, { recursive: true });
  }
}

async function writeApi(out: string): Promise<void> {
  const app = await Application.bootstrapWithPlugins({
    entryPoints: MODULES.map(({ entry }) => join(root, entry)),
    tsconfig: join(root, 'site/typedoc.tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    outputs: [{ name: 'markdown', path: out }],
    disableGit: true,
    disableSources: true,
    // `npm run types` has looked at them.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    validation: { notDocumented: true, notExported: false, invalidLink: true },
    requiredToBeDocumented: ['Variable', 'Function', 'Class', 'Interface', 'TypeAlias', 'Method', 'Accessor'],
    // The insides of types that are read off the table of faults.
    intentionallyNotDocumented: ['replset/src.FaultAction.__type.apply', 'replset/src.FaultInputs.__type.actions'],
    packagesRequiringDocumentation: namesIn('packages').map((name) => (name === 'replsim' ? name : `@replsim/${name}`)),
    logLevel: 'Warn',
    ...({
      outputFileStrategy: 'modules',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeAliasPropertiesFormat: 'table',
      useCodeBlocks: true,
    } as object),
  });
  const project = await app.convert();
  if (project === undefined) throw new Error('the API could not be read');
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error('the API is not told of as it should be');
  for (const child of project.children ?? []) {
    child.name = moduleOf(
      (of) => child.name === of.entry.replace(/^packages\//, '').replace(/(\/index)?\.ts$/, ''),
    ).page;
    // What people look for comes before what can go wrong.
    for (const group of child.groups ?? [])
      group.children = [...group.children].sort((a, b) => Number(isError(a)) - Number(isError(b)));
  }
  await app.generateOutputs(project);
}

const isError = (reflection: object): boolean =>
  (reflection as DeclarationReflection).extendedTypes?.some((type) => type.toString().endsWith('Error')) ?? false;

function moduleOf(is: (module: (typeof MODULES)[number]) => boolean): (typeof MODULES)[number] {
  const module = MODULES.find(is);
  if (module === undefined) throw new Error('a module of the API has no page');
  return module;
}

/** A page called as one imports it. */
function titled(name: string, text: string): string {
  const { page, name: title } = moduleOf(({ page }) => `${page}.md` === name);
  return text.replace(`# ${page}\n`, `# ${title}\n`);
}
