import { failPointParameters, ParameterStore, parametersOf, unknownParameter } from '@replsim/database';
import { didYouMean } from '@replsim/kernel';
import { CommandError, type MongodVersion, VERSIONS } from '@replsim/protocol';
import type { Path, Source } from '../file/source.ts';

/** When parameters are set: as a process starts, or by `setParameter`. */
export type Moment = 'startup' | 'runtime';

/** Fields of the command beside the parameters; every command may have them. Upstream: generic_argument.idl. */
const GENERIC = new Set(['comment', 'maxTimeMS', 'apiVersion', 'apiStrict', 'apiDeprecationErrors', 'lsid']);

/**
 * Tells which parameters a mongod would refuse. Those that are known only at run time are passed over.
 * @param path where the document of parameters stands
 * @param versions of whoever gets them; one that takes them is enough, for who a word means only the run knows
 */
export function judgeParameters(
  source: Source,
  path: Path,
  given: unknown,
  versions: readonly MongodVersion[],
  moment: Moment,
): void {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (isOpen(value) || name.startsWith('$') || GENERIC.has(name)) continue;
    const refusals = versions.map((version) => refusalOf(version, name, value, moment, given as Given));
    const [refusal] = refusals;
    if (refusal === undefined || refusals.includes(undefined)) continue;
    if (refusal.ofName) source.mistakeAtKey(path, name, refusal.message, refusal.suggestion);
    else source.mistakeAtPath([...path, name], refusal.message, refusal.suggestion);
  }
}

/**
 * Tells which parameters that a process keeps from its head are refused by the release as which it starts anew.
 * @param at where that release is said
 */
export function judgeKept(source: Source, at: Path, kept: Given, version: MongodVersion): void {
  for (const [name, value] of Object.entries(kept)) {
    if (isOpen(value) || name.startsWith('$')) continue;
    const refusal = refusalOf(version, name, value, 'startup', kept);
    if (refusal === undefined) continue;
    source.mistakeAtPath(
      at,
      `it keeps the parameter "${name}" of the head, and ${refusal.message}`,
      refusal.suggestion ?? 'take it out of the head, or start it as a release that has it',
    );
  }
}

interface Refusal {
  readonly ofName: boolean;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

type Given = Readonly<Record<string, unknown>>;

function refusalOf(
  version: MongodVersion,
  name: string,
  value: unknown,
  moment: Moment,
  given: Given,
): Refusal | undefined {
  const isFailPoint = name.startsWith('failpoint.');
  const definitions = isFailPoint ? failPointParameters(testCommandsOf(given)) : parametersOf(VERSIONS[version]);
  const definition = definitions.find((each) => each.name === name);
  if (definition === undefined) return isFailPoint ? noFailPoint(name, definitions) : unknown(version, name);
  if (moment === 'runtime' && definition.startupOnly)
    return {
      ofName: true,
      message: `"${name}" is set when a process starts, and not after`,
      suggestion: isFailPoint
        ? `while it runs: "failPoint: { on: …, name: ${name.replace(/^failpoint\./, '')}, mode: … }"`
        : `in the head: "parameters: { ${name}: … }", or with start or restart`,
    };
  try {
    definition.parse(value, moment);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    if (isFailPoint) return { ofName: false, message: error.message };
    const usual = new ParameterStore(definitions).get(name);
    const suggestion = typeof usual === 'object' || usual === '' ? undefined : `its default is ${usual}`;
    return { ofName: false, message: error.message, suggestion };
  }
}

/** What says whether the process knows test commands; a value that is none is told of by itself. */
function testCommandsOf({ enableTestCommands }: Given): Given {
  const isOff = [false, 'false', 0, '0'].includes(enableTestCommands as string);
  return { enableTestCommands: !isOff };
}

function noFailPoint(name: string, known: readonly { readonly name: string }[]): Refusal {
  if (known.length === 0)
    return {
      ofName: true,
      message: `"${name}" is known only with test commands`,
      suggestion: 'leave out "enableTestCommands: false"',
    };
  const { message } = unknownParameter(
    'BadValue',
    `no fail point is called "${name.replace(/^failpoint\./, '')}"`,
    name,
  );
  const names = known.map((each) => each.name);
  return { ofName: true, message, suggestion: didYouMean(name, names) ?? 'docs/faults.md lists them' };
}

function unknown(version: MongodVersion, name: string): Refusal {
  const releases = (Object.keys(VERSIONS) as MongodVersion[]).filter((each) => knownTo(each).includes(name));
  if (releases.length > 0)
    return {
      ofName: true,
      message: `${version} has no parameter "${name}"`,
      suggestion: `it is one of ${releases.join(', ')}`,
    };
  return { ofName: true, message: `no parameter is called "${name}"`, suggestion: didYouMean(name, knownTo(version)) };
}

function knownTo(version: MongodVersion): string[] {
  return parametersOf(VERSIONS[version]).map(({ name }) => name);
}

/** A placeholder, or a number in Extended JSON: what comes of it is seen when it is sent. */
function isOpen(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('$');
  return typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'));
}
