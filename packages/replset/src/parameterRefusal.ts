import { didYouMean } from '@replsim/kernel';
import { failPointParameters, ownerElsewhere, ParameterStore, parametersOf, unknownParameter } from '@replsim/pipeline';
import { CommandError, type MongodVersion, VERSIONS } from '@replsim/protocol';

/** When parameters are set: as a process starts, or by `setParameter`. */
export type Moment = 'startup' | 'runtime';

/** Why a process does not take a parameter. */
export interface ParameterRefusal {
  /** It is the name that is refused, and not the value. */
  readonly ofName: boolean;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

type Given = Readonly<Record<string, unknown>>;

/**
 * Which parameters that a process keeps from before are refused by the release as which it starts anew.
 * @param head those of the set and of the member
 * @param start as which release it starts, and with which parameters over those
 */
export function keptRefusals(
  head: Given,
  { version, parameters }: { readonly version?: MongodVersion | undefined; readonly parameters?: Given | undefined },
): { message: string; suggestion: string }[] {
  if (version === undefined) return [];
  const kept = Object.fromEntries(Object.entries(head).filter(([name]) => parameters?.[name] === undefined));
  return Object.entries(kept).flatMap(([name, value]) => {
    const refusal = parameterRefusal(version, name, value, 'startup', kept);
    if (refusal === undefined) return [];
    const message = `it keeps the parameter "${name}" of the head, and ${refusal.message}`;
    return [
      { message, suggestion: refusal.suggestion ?? 'take it out of the head, or start it as a release that has it' },
    ];
  });
}

/** @returns undefined for one that a process of this release takes, and for one whose value only the run knows */
export function parameterRefusal(
  version: MongodVersion,
  name: string,
  value: unknown,
  moment: Moment,
  given: Given,
): ParameterRefusal | undefined {
  if (isOpen(value) || name.startsWith('$')) return undefined;
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

function noFailPoint(name: string, known: readonly { readonly name: string }[]): ParameterRefusal {
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

function unknown(version: MongodVersion, name: string): ParameterRefusal {
  const releases = (Object.keys(VERSIONS) as MongodVersion[]).filter((each) => knownTo(each).includes(name));
  if (releases.length > 0)
    return {
      ofName: true,
      message: `${version} has no parameter "${name}"`,
      suggestion: `it is one of ${releases.join(', ')}`,
    };
  const owner = ownerElsewhere(name);
  if (owner !== undefined)
    return {
      ofName: true,
      message: `replsim has no parameter "${name}", though ${owner} has it`,
      suggestion: 'leave it out',
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
