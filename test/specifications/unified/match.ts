import { BSON } from 'mongodb';
import { isDocument, isSameScalar, numberOf, typesOf } from './values.ts';
import { Failure, shown } from './verdicts.ts';

/** What `$$matchesEntity` and `$$sessionLsid` look up. */
export interface Named {
  value(id: string): unknown;
  lsid(session: string): unknown;
}

/** Where in what came back a comparison stands. */
interface Place {
  readonly path: string;
  /** Documents at the root may have more fields than were asked for. */
  readonly isRoot: boolean;
  readonly named: Named;
}

/** @throws Failure, which names the place, unless `actual` is what `expected` describes */
export function match(expected: unknown, actual: unknown, named: Named, path = '$'): void {
  matchAt(expected, actual, { path, isRoot: true, named });
}

function matchAt(expected: unknown, actual: unknown, place: Place): void {
  if (Array.isArray(expected)) {
    matchArray(expected, actual, place);
  } else if (isDocument(expected)) {
    const [first, argument] = Object.entries(expected)[0] ?? [];
    const operator = first === undefined ? undefined : OPERATORS[first];
    if (operator) operator(argument, actual, place);
    else if (first?.startsWith('$$')) throw new Failure(`${place.path}: the runner does not know ${first}`);
    else matchDocument(expected, actual, place);
  } else if (!isSameScalar(expected, actual)) unlike(shown(expected), actual, place);
}

/** Of an array at the root each document is a root of its own. */
function matchArray(expected: readonly unknown[], actual: unknown, place: Place): void {
  const { path, isRoot } = place;
  if (!Array.isArray(actual)) return unlike(`the array ${shown(expected)}`, actual, place);
  if (actual.length !== expected.length) unlike(`${expected.length} elements`, actual, place);
  for (const [i, each] of expected.entries())
    matchAt(each, actual[i], { ...place, path: `${path}[${i}]`, isRoot: isRoot && path === '$' });
}

function matchDocument(expected: Readonly<Record<string, unknown>>, actual: unknown, place: Place): void {
  if (!isDocument(actual)) return unlike(shown(expected), actual, place);
  for (const [name, each] of Object.entries(expected))
    matchAt(each, actual[name], { ...place, path: `${place.path}.${name}`, isRoot: false });
  if (place.isRoot) return;
  const more = Object.keys(actual).filter((name) => !(name in expected) && actual[name] !== undefined);
  if (more.length > 0) throw new Failure(`${place.path}: nobody expected ${more.join(', ')} in ${shown(actual)}`);
}

type Operator = (argument: unknown, actual: unknown, place: Place) => void;

const OPERATORS: Readonly<Record<string, Operator>> = {
  $$exists: (wanted, actual, place) => {
    if ((actual !== undefined) !== wanted) unlike(wanted ? 'something' : 'nothing', actual, place);
  },
  $$type: (wanted, actual, place) => {
    const types = typesOf(actual);
    const isWanted = (type: unknown) => (type === 'number' ? isNumber(types) : types.includes(String(type)));
    if (![wanted].flat().some(isWanted)) unlike(`a value of type ${shown(wanted)}`, actual, place);
  },
  // The driver says null of what is not there.
  $$unsetOrMatches: (wanted, actual, place) => {
    if (actual !== undefined && actual !== null) matchAt(wanted, actual, place);
  },
  $$matchesEntity: (id, actual, place) => matchAt(place.named.value(String(id)), actual, { ...place, isRoot: false }),
  $$matchesHexBytes: (hex, actual, place) => {
    const bytes = actual instanceof BSON.Binary ? actual.buffer : actual;
    const found = bytes instanceof Uint8Array ? Buffer.from(bytes).toString('hex') : undefined;
    if (found !== hex) unlike(`the bytes ${hex}`, found, place);
  },
  $$sessionLsid: (session, actual, place) => matchAt(place.named.lsid(String(session)), actual, place),
  $$lte: (bound, actual, place) => {
    const [most, value] = [numberOf(bound), numberOf(actual)];
    if (!(most !== undefined && value !== undefined && value <= most)) unlike(`at most ${shown(bound)}`, actual, place);
  },
  $$matchAsDocument: (wanted, actual, place) => {
    if (typeof actual !== 'string') return unlike('Extended JSON', actual, place);
    matchAt(wanted, BSON.EJSON.parse(actual), { ...place, isRoot: false });
  },
  $$matchAsRoot: (wanted, actual, place) => matchAt(wanted, actual, { ...place, isRoot: true }),
};

const NUMBERS = ['int', 'long', 'double', 'decimal'];
const isNumber = (types: readonly string[]) => types.some((type) => NUMBERS.includes(type));

function unlike(wanted: string, actual: unknown, { path }: Place): never {
  throw new Failure(`${path}: expected ${wanted}, found ${shown(actual)}`);
}
