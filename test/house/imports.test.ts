import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The direction of imports, and what the core may never reach for (docs/architecture.md). Sources are read as text.

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Layers from the bottom up; a package may import those below its own layer, and in `words` those before it. */
const LAYERS = [
  ['kernel', 'protocol', 'geo', 'text', 'query'],
  ['oplog', 'transactions', 'changestreams', 'ttl', 'checker', 'why'],
  ['storage', 'pipeline', 'access', 'operations', 'database', 'node'],
  ['replset'],
  ['driver'],
  ['scenario', 'server'],
  ['explore', 'incident'],
  ['cli', 'studio', 'replsim'],
];
/** Where two packages of one layer may see each other: these two, and in this direction. */
const WITHIN: Record<string, string[]> = {
  geo: ['protocol'],
  text: ['protocol'],
  query: ['protocol', 'geo'],
  pipeline: ['storage'],
  access: ['pipeline'],
  operations: ['storage', 'pipeline', 'access'],
  database: ['storage', 'pipeline', 'access', 'operations'],
  node: ['storage', 'pipeline', 'access', 'operations', 'database'],
  replsim: ['cli', 'studio'],
};
/** Walls beside the layers. */
const FORBIDDEN: Record<string, string[]> = {
  access: ['kernel', 'geo', 'text', 'query', 'oplog', 'transactions', 'changestreams', 'ttl', 'checker', 'why'],
  oplog: ['kernel'],
  changestreams: ['kernel'],
  ttl: ['kernel'],
  transactions: ['kernel', 'geo', 'text', 'query'],
  checker: ['kernel', 'geo', 'text', 'query'],
  why: ['geo', 'text', 'query'],
  node: ['kernel', 'why'],
  pipeline: ['kernel', 'oplog', 'transactions', 'changestreams', 'checker', 'why'],
  operations: ['kernel', 'geo', 'text', 'oplog', 'changestreams', 'ttl', 'checker', 'why'],
  database: ['kernel', 'oplog', 'checker', 'why'],
  storage: ['kernel', 'oplog', 'transactions', 'ttl', 'checker', 'why'],
  // The page knows the language, the trace and the reasons. What members answer it asks a set, and nothing below one.
  studio: [
    'oplog',
    'transactions',
    'changestreams',
    'ttl',
    'checker',
    'storage',
    'pipeline',
    'access',
    'operations',
    'database',
    'node',
    'server',
  ],
};
/** Files that may touch the outside world although their package is part of the core. */
const DOORS = ['packages/storage/src/disk/directoryDatabase.ts', 'packages/scenario/src/writeSchema.ts'];
/** The one file that asks the runtime's ICU how strings compare: by rules it is given, so that a runtime always answers alike. */
const COLLATOR_DOOR = 'packages/query/src/collation/intlOrder.ts';
/** The one file that asks it for time zones, by names and instants it is given. */
const ZONES_DOOR = 'packages/query/src/expressions/dates/zones.ts';
const ICU_DOORS: Record<string, string> = { [COLLATOR_DOOR]: 'Intl.Collator', [ZONES_DOOR]: 'Intl.DateTimeFormat' };
const CORE = [
  'protocol',
  'kernel',
  'geo',
  'text',
  'query',
  'oplog',
  'transactions',
  'changestreams',
  'ttl',
  'checker',
  'why',
  'storage',
  'pipeline',
  'access',
  'operations',
  'database',
  'node',
  'replset',
  'driver',
  'scenario',
  'incident',
];
/** Packages whose rules are pure: they may not even wait. `storage` awaits its disk, `replset` and `scenario` the run. */
const SYNCHRONOUS = [
  'protocol',
  'kernel',
  'geo',
  'text',
  'query',
  'oplog',
  'transactions',
  'changestreams',
  'ttl',
  'checker',
  'why',
  'pipeline',
  'access',
  'operations',
  'database',
  'node',
  'incident',
];

const IMPURE =
  /\b(Date\.now|new Date\(\)|Math\.random|performance\.now|process\.(hrtime|env|cwd)|setTimeout|setInterval|setImmediate|queueMicrotask|crypto\.|new ObjectId\(\)|new UUID\(\)|localeCompare|toLocale\w+|Intl\.)/;

function sourcesOf(name: string): { path: string; text: string }[] {
  return filesIn(join('packages', name, 'src'));
}

function filesIn(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({
      path: join(folder, file),
      text: withoutComments(readFileSync(join(root, folder, file), 'utf8')),
    }));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g)].map((match) => match[1]!);
}

const packages = readdirSync(join(root, 'packages'));

test('every package has its place in the layers', () => {
  expect([...packages].sort()).toEqual(
    LAYERS.flat()
      .filter((name) => packages.includes(name))
      .sort(),
  );
});

/** What a package may import. */
function importable(name: string): ReadonlySet<string> {
  const layer = LAYERS.findIndex((names) => names.includes(name));
  const allowed = new Set([...LAYERS.slice(0, layer).flat(), ...(WITHIN[name] ?? [])]);
  for (const wall of FORBIDDEN[name] ?? []) allowed.delete(wall);
  return allowed;
}

test.for(packages)('%s imports only what lies below it', (name) => {
  const allowed = importable(name);
  for (const { path, text } of sourcesOf(name)) {
    for (const specifier of importsOf(text)) {
      if (!specifier.startsWith('@replsim/')) continue;
      expect(allowed, `${path} imports ${specifier}`).toContain(specifier.split('/')[1]);
    }
  }
});

/** What the bundle needs beside it, as it cannot take it in. */
const BESIDE_THE_BUNDLE = ['bullmq', 'ioredis', 'level'];
/** What the bundle is made with, and the page that goes with it. */
const FOR_THE_BUNDLE = ['rolldown-plugin-dts', 'rollup-plugin-license'];

test.for(packages)('%s names in its package.json just what it imports', (name) => {
  const file = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
  const { dependencies = {}, devDependencies = {}, peerDependencies = {} } = JSON.parse(file);
  // What is bundled is there when it is built, and nobody installs it.
  const bundled = name === 'replsim';
  if (bundled) expect(dependencies).toEqual({});
  const named = { ...(bundled ? devDependencies : dependencies), ...peerDependencies };
  const used = new Set<string>(bundled ? [...BESIDE_THE_BUNDLE, ...FOR_THE_BUNDLE] : []);
  for (const { text } of sourcesOf(name)) {
    for (const specifier of importsOf(text)) {
      // A message may say "from '${name}'" too, or name the package itself.
      if (/^(\.|node:|\$)/.test(specifier) || specifier === 'replsim') continue;
      used.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  for (const specifier of styleImports(name)) used.add(specifier.split('/', 2).join('/'));
  expect(Object.keys(named).sort()).toEqual([...used].sort());
});

/** What styles take of packages: faces. */
function styleImports(name: string): string[] {
  const folder = join(root, 'packages', name, 'src');
  const styles = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));
  const texts = styles.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  return [...texts.matchAll(/\burl\("(@[^"]+)"/g)].map((match) => match[1]!);
}

/** Beyond it a package is cut where its arrows allow it, as `pipeline` was from `database`. */
const MAX_LINES = 20_000;

test.for(packages)('%s has no more lines than one can know', (name) => {
  const folder = join(root, 'packages', name, 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const lines = files.reduce((sum, file) => sum + readFileSync(join(folder, file), 'utf8').split('\n').length - 1, 0);
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
});

/**
 * Inside a big package folders are layers too, from the top down: a folder, or a file that stands beside the folders, may
 * import what comes after it. What has to stay a knot is listed with it.
 */
const DATABASE_ORDER = [
  // Commands, and what finds, judges and runs them.
  'requests/ allCommands',
  'aggregation/ explain/ applyOps/ crud/ admin/ catalog/ access/',
  // What a change stream makes of the oplog.
  'changeStreams/',
  // Where documents come from.
  'reading/',
  // What a command is, what it may ask of its member, and what is made of its answer.
  'replies/ definition needs member',
  // What is known without a member.
  'ramLog',
];
const OPERATIONS_ORDER = [
  // What is kept of who asked: in the profile, in sessions.
  'profiler/ sessions/',
  'writes cursors counts/',
  'concernDefaults',
  'operations/ connections/',
  // What a client says of reading and writing, which an operation knows of itself.
  'concernRequests',
];
const PIPELINE_ORDER = [
  // What pipelines make of documents, and which index a query uses.
  'stages/',
  'planner/',
  // What collections are made with; what can be set on a member, and what a set's config may say.
  'collections/ timeseries/ settings/ replSetConfig/',
  // What clients write.
  'fields/',
  // The names that a mongod knows, and since when.
  'since reply upstream/',
];
const NODE_ORDER = [
  // The whole, and what clients and other members ask of it.
  'startup mongod startupLog startupWarnings requests clientCommands clientWrites services servicesHost stepGuard',
  // Commands that know of a set, and the end of a process.
  'replCommands/ writeBlock/ fsync/ shutdown/',
  // Data between members: one declared knot.
  'replication/',
  // Who leads, who belongs, who is there.
  'election/ config/ topology/',
  // Work in the background.
  'indexBuilds/ ttl/ transactions/ access/',
  // Writes, the catalog, the oplog, the journal.
  'data/',
  'core/',
];
const SCENARIO_ORDER = [
  // Many runs of one question.
  'writeSchema forecast/',
  // One run, and the file that it is read from.
  'play judgeGoals lateReasons reasonsOf language/',
  // What can be done, and what can be asked: a table each.
  'steps/',
  'checks/',
  // How what stands in a file is read.
  'reading/',
  // What is followed while it runs.
  'lateness/ workload/ streams/',
  // What steps and checks stand on.
  'stage/',
  // The run as text, as a packed trace, as a file.
  'recording/ transcript/',
  // What words mean, and what a scenario is.
  'judging/ scenario schema/',
  // Files of documents, which a scenario names.
  'dataFile/',
  'ledgerCounts file/ drawing/',
  // What a mongod is told as it starts.
  'mongod/',
];

interface Inside {
  /** From the top down; several to a line where they belong together. */
  readonly order: readonly string[];
  /** Folders and files that see each other nevertheless. The list may only shrink. */
  readonly knots: readonly (readonly string[])[];
}

const STORAGE_ORDER = [
  // What outlives the process.
  'disk/',
  // All data, and one change of it.
  'engine storageTransaction',
  // Data as of an instant.
  'versions/',
  // One collection and its indexes.
  'collection/',
  'tree/ keys/',
];
const SERVER_ORDER = [
  // A set that is served: what is asked of it, and how it begins.
  'servedSet openSet beginning memberPlaces resumedOptions losses savedSet serveOptions',
  // How arguments are read that others take for it.
  'limitArguments mongodArguments',
  // What is waited for, and watched.
  'notReached newestMember ttlPassWatch primary invariantWatch ledger/',
  // A socket, and what comes in by it.
  'doors/',
  // What makes messages shorter, and connections secure.
  'compression/ tls/',
  // Bytes and messages; wall clock and virtual time.
  'wire/ clock/',
];
const CHECKER_ORDER = [
  'checkers allCheckers',
  'ttl/ reads/ elections/ data/ writes/ config/ clients/',
  // Branches of the oplog, on which most verdicts stand.
  'log/',
  'checker keepNewest voids voters',
];

const QUERY_ORDER = [
  // What is made of documents: others, and themselves changed.
  'project/ update/',
  // Which ones, and in what order.
  'filter/ sort',
  // What is computed of them.
  'expression expressions/',
  'schema/ elementOrder sortedValues total indexValues hashedValue',
  'paths arithmetic diff/',
  'compare collation/ format typeNames',
  // Numbers and texts alone.
  'decimalMath values decimal fieldPath regex/ operatorNames turns/',
];

const STUDIO_ORDER = [
  'main',
  // What there is to begin with.
  'start/',
  'page/',
  // The picture of the set, which can be drawn without a browser.
  'set/',
  // How fast a run is shown, and what is said of it meanwhile.
  'tempo/',
  // What lies beside the page.
  'later/',
  // What leads through a run.
  'core/lesson/',
  // What the page shows and changes, and who plays.
  'core/history/ core/live/ core/edit/ core/door/ core/run/inWorker core/compare/ core/run/',
  // What members answer at an instant.
  'core/look/',
];

const INSIDE: Record<string, Inside> = {
  pipeline: { order: PIPELINE_ORDER, knots: [] },
  operations: { order: OPERATIONS_ORDER, knots: [] },
  database: { order: DATABASE_ORDER, knots: [] },
  node: { order: NODE_ORDER, knots: [] },
  scenario: { order: SCENARIO_ORDER, knots: [] },
  storage: { order: STORAGE_ORDER, knots: [] },
  server: { order: SERVER_ORDER, knots: [] },
  checker: { order: CHECKER_ORDER, knots: [] },
  query: { order: QUERY_ORDER, knots: [] },
  studio: { order: STUDIO_ORDER, knots: [] },
};

test.for(Object.entries(INSIDE))('inside %s imports go down', ([name, { order, knots }]) => {
  expect(layersInside(name, order, knots)).toEqual([]);
});

/**
 * What is wrong with the layers inside a package: imports that go up, folders and files that have no place or are no more,
 * knots that are needed no longer.
 */
function layersInside(name: string, order: readonly string[], knots: Inside['knots']): string[] {
  return complaintsAbout(importGraph(name), order, knots);
}

function complaintsAbout(graph: ImportGraph, order: readonly string[], knots: Inside['knots']): string[] {
  const places = order.flatMap((line) => line.split(' '));
  const units = new Set([...graph.keys()].filter((file) => file !== 'index').map((file) => unitOf(file, places)));
  const complaints = [
    ...places.filter((place, i) => places.indexOf(place) !== i).map((place) => `${place} has two places`),
    ...places.filter((place) => !units.has(place)).map((place) => `${place} is no more`),
    ...[...units].filter((unit) => !places.includes(unit)).map((unit) => `${unit} has no place`),
  ];
  const tied = new Set<string>();
  for (const [file, targets] of graph) {
    if (file === 'index') continue;
    for (const target of targets) {
      const [from, to] = [unitOf(file, places), unitOf(target, places)];
      if (places.indexOf(from) <= places.indexOf(to)) continue;
      const knot = knots.find((each) => each.includes(from) && each.includes(to));
      if (knot) for (const unit of [from, to]) tied.add(`${knots.indexOf(knot)} ${unit}`);
      else complaints.push(`${file} imports ${target}, which is above it`);
    }
  }
  const loose = knots.flatMap((knot, i) => knot.filter((unit) => !tied.has(`${i} ${unit}`)));
  return [...complaints, ...loose.map((unit) => `${unit} needs its knot no longer`)];
}

/**
 * Files that know themselves by way of others, be it by types alone: only these, and all of these. A name that ends with a
 * slash is a folder, some of whose files do. The list may only shrink.
 */
const CIRCLES: Record<string, readonly (readonly string[])[]> = {
  node: [['replication/']],
};

test.for(packages)('no file of %s knows itself, but for the circles declared', (name) => {
  expect(undeclaredCircles(circlesIn(importGraph(name)), CIRCLES[name] ?? [])).toEqual([]);
});

function undeclaredCircles(circles: readonly (readonly string[])[], declared: Inside['knots']): string[] {
  const isIn = (file: string, entry: string) => (entry.endsWith('/') ? file.startsWith(entry) : file === entry);
  const met = new Set<readonly string[]>();
  const complaints: string[] = [];
  for (const circle of circles) {
    const knot = declared.find((entries) => circle.every((file) => entries.some((entry) => isIn(file, entry))));
    if (!knot) complaints.push(`a new circle: ${circle.join(' ')}`);
    else {
      met.add(knot);
      const left = knot.filter((entry) => !circle.some((file) => isIn(file, entry)));
      complaints.push(...left.map((entry) => `${entry} has left its circle`));
    }
  }
  const mended = declared.filter((knot) => !met.has(knot));
  return [...complaints, ...mended.map((knot) => `is a circle no longer: ${knot.join(' ')}`)];
}

/**
 * What stands in for mongodb-memory-server could be a package of its own: it sees of its package only what users see, and none but its
 * entry sees it.
 */
test('mongodbMemoryServer knows only the public API, and nobody knows it', () => {
  const inside = 'packages/replsim/src/mongodbMemoryServer/';
  const entry = 'packages/replsim/src/mongodb-memory-server.ts';
  for (const { path, text } of sourcesOf('replsim')) {
    const files = importsOf(text).filter((specifier) => specifier.startsWith('.'));
    const targets = files.map((specifier) => relative(root, resolve(root, dirname(path), specifier)));
    if (path.startsWith(inside)) {
      const others = targets.filter((target) => !target.startsWith(inside));
      expect(new Set(['packages/replsim/src/index.ts', ...others]).size, `${path} imports ${others}`).toBe(1);
    } else if (path !== entry) {
      expect(
        targets.filter((target) => target.startsWith(inside)),
        path,
      ).toEqual([]);
    }
  }
});

/** Which folders and files of the studio may import these: what is drawn is drawn by the page, and only players have a set. */
const STUDIO_WALLS: Record<string, readonly string[]> = {
  '@replsim/replset': ['core/run/', 'core/look/'],
  react: ['main', 'page/', 'set/', 'start/'],
  // Pictures in files are made in Node, by its server.
  'react-dom': ['main', 'page/', 'set/'],
  '@codemirror': ['later/'],
};

test.for(Object.entries(STUDIO_WALLS))('in the studio only some folders import %s', ([module, folders]) => {
  const imports = (specifier: string) => specifier === module || specifier.startsWith(`${module}/`);
  const importers = sourcesOf('studio').filter(({ text }) => importsOf(text).some(imports));
  const src = join('packages', 'studio', 'src');
  const units = new Set(importers.map(({ path }) => unitOf(relative(src, path).replace(/\.tsx?$/, ''), folders)));
  expect([...units].filter((unit) => !folders.includes(unit))).toEqual([]);
  expect(units.size, `${module} is imported`).toBeGreaterThan(0);
});

/** Files of a package without their ending, and which others of it each imports, types or values. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

function importGraph(name: string): ImportGraph {
  const folder = join(root, 'packages', name, 'src');
  const named = (path: string) => relative(folder, path).replace(/\.tsx?$/, '');
  return new Map(
    sourcesOf(name).map(({ path, text }) => [
      named(join(root, path)),
      importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => named(resolve(root, dirname(path), specifier)))
        // A page may show a scenario, which is no file of its package.
        .filter((file) => !file.startsWith('..')),
    ]),
  );
}

/** The place that holds a file, if there is one; else the folder at the top of its package, or the file itself. */
function unitOf(file: string, places: readonly string[]): string {
  const top = file.includes('/') ? `${file.split('/')[0]}/` : file;
  return places.find((place) => (place.endsWith('/') ? file.startsWith(place) : file === place)) ?? top;
}

/** Files that reach each other, in groups of two and more. Source: Tarjan's strongly connected components. */
function circlesIn(graph: ImportGraph): string[][] {
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const number = numbers.size;
    numbers.set(file, number);
    lowest.set(file, number);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!numbers.has(target)) lowest.set(file, Math.min(lowest.get(file)!, visit(target)));
      else if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, numbers.get(target)!));
    }
    if (lowest.get(file) === number) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(file)!;
  };
  for (const file of graph.keys()) if (!numbers.has(file)) visit(file);
  return circles;
}

/**
 * Tests of a rule that shows only in a set of members lie in this folder of the package that owns the rule, and may see sets and the
 * language. All others of a package drive it by what lies below it.
 */
const ON_SETS = 'onSets';
const SETS = ['replset', 'scenario'];

test.for(packages)('tests of %s import only it and what lies below it, but for those on whole sets', (name) => {
  const below = [name, ...importable(name), 'kernel'];
  for (const { path, text } of filesIn(join('packages', name, 'test'))) {
    const onSets = path.split('/')[3] === ON_SETS;
    const allowed = new Set(onSets ? [...below, ...SETS, ...importable('replset')] : below);
    const imported = importsOf(text).map((specifier) => packageOf(specifier, path));
    expect(
      imported.filter((each) => each !== undefined && !allowed.has(each)),
      path,
    ).toEqual([]);
  }
});

/** Whose file a specifier names, if it is a package's. */
function packageOf(specifier: string, path: string): string | undefined {
  if (specifier.startsWith('@replsim/')) return specifier.split('/')[1];
  if (!specifier.startsWith('.')) return undefined;
  const [folder, name] = relative(root, resolve(root, dirname(path), specifier)).split('/');
  return folder === 'packages' ? name : undefined;
}

test.for(CORE)('%s runs in a browser: it imports no node: module', (name) => {
  for (const { path, text } of sourcesOf(name)) {
    if (DOORS.includes(path)) continue;
    expect(
      importsOf(text).filter((specifier) => specifier.startsWith('node:')),
      path,
    ).toEqual([]);
  }
});

test.for(CORE)('%s reaches for no clock, chance, timer, environment or locale', (name) => {
  for (const { path, text } of sourcesOf(name)) {
    if (DOORS.includes(path)) continue;
    const allowed = ICU_DOORS[path];
    const checked = allowed === undefined ? text : text.replaceAll(allowed, '');
    expect(IMPURE.exec(checked)?.[0], path).toBeUndefined();
  }
});

test.for(SYNCHRONOUS)('%s never waits', (name) => {
  for (const { path, text } of sourcesOf(name))
    expect(/\b(await|async|Promise)\b/.exec(text)?.[0], path).toBeUndefined();
});

/** Whose bits lie how, one file knows; others ask it. Texts and values of the bson package are made into decimals elsewhere too. */
const DECIMAL_DOOR = 'packages/protocol/src/bson/decimal.ts';

test('Decimal128 is decoded in one place', () => {
  const decodes = /\bnew Decimal128\(|& 0x3fff\b|& 0x1ffff\b|& 0x7c\b/;
  const places = packages.flatMap(sourcesOf).filter(({ text }) => decodes.test(text));
  expect(places.map(({ path }) => path)).toEqual([DECIMAL_DOOR]);
});

test('the guards see what they are to forbid', () => {
  expect(IMPURE.test('const now = Date.now();')).toBe(true);
  expect(IMPURE.test('new Date(wallMs)')).toBe(false);
  expect(importsOf(`import { a } from '@replsim/kernel';\nawait import("node:fs")`)).toEqual([
    '@replsim/kernel',
    'node:fs',
  ]);
  expect(withoutComments('a // Date.now\n/* Math.random */ b')).not.toMatch(IMPURE);
});

test('the guards of layers and circles see what they are to forbid', () => {
  const graph = new Map([
    ['index', ['a']],
    ['a', ['low/b']],
    ['low/b', ['low/c']],
    ['low/c', ['low/b', 'a']],
  ]);
  expect(complaintsAbout(graph, ['a', 'low/'], [])).toEqual(['low/c imports a, which is above it']);
  expect(complaintsAbout(graph, ['a low/'], [['a', 'low/']])).toEqual([]);
  expect(complaintsAbout(graph, ['low/ a old'], [['low/', 'old']])).toEqual([
    'old is no more',
    'a imports low/b, which is above it',
    'low/ needs its knot no longer',
    'old needs its knot no longer',
  ]);
  expect(complaintsAbout(graph, ['a'], [['a', 'low/']])).toContain('low/ has no place');
  const circles = circlesIn(graph);
  expect(circles).toEqual([['a', 'low/b', 'low/c']]);
  expect(undeclaredCircles(circles, [['a', 'low/']])).toEqual([]);
  expect(undeclaredCircles(circles, [['low/']])).toEqual([
    'a new circle: a low/b low/c',
    'is a circle no longer: low/',
  ]);
  expect(undeclaredCircles(circles, [['a', 'low/', 'd']])).toEqual(['d has left its circle']);
  expect(undeclaredCircles([], [['a', 'b']])).toEqual(['is a circle no longer: a b']);
});
