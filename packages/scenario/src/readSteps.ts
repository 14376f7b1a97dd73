import { HOLDABLE_PARTS } from '@replsim/protocol';
import type { DiskFaultSettings } from '@replsim/replset';
import { flowText } from './flowText.ts';
import { withDb } from './namespaces.ts';
import { readCheck } from './readChecks.ts';
import { clientSteps, reconfigSteps } from './readClient.ts';
import type { Reader } from './reader.ts';
import { workloadSteps } from './readWorkload.ts';
import { clientsOutside, readAt } from './recording/readOutside.ts';
import type { Action, LetBinding, StartAction, Step, Target } from './scenario.ts';
import type { StepInput, StepInputs, stepShape } from './schema/stepSchema.ts';
import type { Path } from './source.ts';

type Kind = keyof typeof stepShape;
type Readers = { [K in Kind]: (reader: Reader, path: Path, input: StepInputs[K]) => Action };

/** Reads one step that the schema has found right; undefined if it says nothing or two things. */
export function readStep(reader: Reader, index: number, input: StepInput): Step | undefined {
  const { source } = reader;
  const path = ['steps', index];
  const [kind, second] = Object.keys(input).filter((key) => key !== 'at') as Kind[];
  if (kind === undefined && input.at === undefined) {
    source.mistakeAtPath(path, 'this step says nothing', 'for instance "- advance: 10s"');
    return undefined;
  }
  if (second !== undefined) {
    source.mistakeAtKey(
      path,
      second,
      `a step does one thing, and this one has "${kind}" already`,
      `begin a new step: "- ${second}: …"`,
    );
    return undefined;
  }
  const action = input.at === undefined ? readAction(reader, path, kind!, input) : readAt(reader, path, kind, input);
  return { index: index + 1, line: source.lineOf(path), text: flowText(source, source.nodeAt(path)), action };
}

function readAction(reader: Reader, path: Path, kind: Kind, input: StepInput): Action {
  const read = stepReaders[kind] as (reader: Reader, path: Path, input: unknown) => Action;
  return read(reader, [...path, kind], input[kind]);
}

const stepReaders: Readers = {
  ...clientSteps,
  ...reconfigSteps,
  ...workloadSteps,
  ...clientsOutside,
  advance: (reader, path, input) =>
    typeof input === 'string'
      ? { kind: 'advance', byMicros: reader.span(path, input) }
      : { kind: 'advanceTo', toMicros: reader.span([...path, 'to'], input.to) },
  let: (reader, path, input) => ({
    kind: 'let',
    bindings: Object.entries(input).map(([name, binding]): LetBinding => {
      const at = [...path, name];
      const on = reader.target([...at, 'on'], binding.on);
      if (name === 'now' || name === 'i' || name === 'rand')
        reader.source.mistakeAtKey(path, name, `$${name} has a meaning of its own`, 'choose another name');
      const command = withDb(reader.template([...at, 'command']), binding.db ?? 'admin');
      reader.lets.add(name);
      return { name, on, command, path: binding.path };
    }),
  }),
  kill: (reader, path, input) => ({ kind: 'kill', on: reader.target(path, input) }),
  shutdown: (reader, path, input) => ({ kind: 'shutdown', on: reader.target(path, input) }),
  pause: (reader, path, input) => ({ kind: 'pause', on: reader.target(path, input) }),
  resume: (reader, path, input) => ({ kind: 'resume', on: reader.target(path, input) }),
  hold: (reader, path, { on, part }) => ({ kind: 'hold', on: reader.target([...path, 'on'], on), parts: [part] }),
  release: (reader, path, input) => {
    if (typeof input === 'string' || Array.isArray(input))
      return { kind: 'release', on: reader.target(path, input), parts: HOLDABLE_PARTS };
    const parts = input.part === undefined ? HOLDABLE_PARTS : [input.part];
    return { kind: 'release', on: reader.target([...path, 'on'], input.on), parts };
  },
  start: (reader, path, input) => readStart(reader, path, input, 'start'),
  restart: (reader, path, input) => readStart(reader, path, input, 'restart'),
  partition: (reader, path, input) => ({ kind: 'partition', sides: readSides(reader, path, input) }),
  cut: (reader, path, input) => ({ kind: 'cut', ...readEnds(reader, path, input) }),
  disconnect: (reader, path, input) => ({ kind: 'disconnect', ...readEnds(reader, path, input) }),
  heal: (reader, path, input) => ({ kind: 'heal', on: reader.target(path, input) }),
  link: (reader, path, input) => {
    const { from: _from, to: _to, ...settings } = input;
    if (Object.keys(settings).length === 0)
      reader.source.mistakeAtPath(path, 'this link changes nothing', 'latencyMs, loss, duplicate or reorder');
    checkLatency(reader, [...path, 'latencyMs'], settings.latencyMs);
    return { kind: 'link', ...readEnds(reader, path, input), settings: settings as object };
  },
  clock: (reader, path, input) => {
    if ((input.jump === undefined) === (input.drift === undefined))
      reader.source.mistakeAtPath(
        path,
        'a clock step has either "jump" or "drift"',
        'jump: 90s, or drift: 50 (parts per million)',
      );
    return {
      kind: 'clock',
      on: reader.target([...path, 'on'], input.on),
      ...(input.jump !== undefined && { jumpMs: reader.duration([...path, 'jump'], input.jump) / 1000 }),
      ...(input.drift !== undefined && { driftPpm: input.drift }),
    };
  },
  disk: (reader, path, { on, ...settings }) => {
    if (Object.keys(settings).length === 0)
      reader.source.mistakeAtPath(path, 'this disk step changes nothing', 'latencyMs, full or corrupt');
    return { kind: 'disk', on: reader.target([...path, 'on'], on), settings: settings as DiskFaultSettings };
  },
  note: (_reader, _path, text) => ({ kind: 'note', text: text.trim() }),
  expect: (reader, path, input) => ({ kind: 'expect', check: readCheck(reader, path, input) }),
  eventually: (reader, path, { within, after, ...check }) => {
    const withinMicros = reader.span([...path, 'within'], within);
    const afterMicros = after === undefined ? undefined : reader.span([...path, 'after'], after);
    if (afterMicros !== undefined && afterMicros >= withinMicros)
      reader.source.mistakeAtPath(
        [...path, 'after'],
        `"after" must be less than "within"`,
        `after ${after} nothing is left of ${within}`,
      );
    return {
      kind: 'eventually',
      check: readCheck(reader, path, check),
      withinMicros,
      ...(afterMicros !== undefined && { afterMicros }),
    };
  },
  always: (reader, path, { for: duration, ...check }) => ({
    kind: 'always',
    check: readCheck(reader, path, check),
    forMicros: reader.span([...path, 'for'], duration),
  }),
};

/** Two numbers, the least first. */
export function checkLatency(reader: Reader, path: Path, latencyMs: readonly number[] | undefined): void {
  if (latencyMs !== undefined && latencyMs[0]! > latencyMs[1]!)
    reader.source.mistakeAtPath(
      path,
      'the least latency comes first',
      `did you mean [${latencyMs[1]}, ${latencyMs[0]}]?`,
    );
}

function readStart(reader: Reader, path: Path, input: StepInputs['start'], kind: 'start' | 'restart'): StartAction {
  if (typeof input === 'string' || Array.isArray(input))
    return { kind, on: reader.target(path, input), wipe: false, error: false };
  return {
    kind,
    on: reader.target([...path, 'member'], input.member),
    ...(input.as !== undefined && { as: input.as }),
    ...(input.parameters !== undefined && { parameters: reader.template([...path, 'parameters']) }),
    wipe: input.wipe ?? false,
    ...(input.queryableBackupMode && { queryableBackupMode: true }),
    error: input.error ?? false,
  };
}

function readEnds(
  reader: Reader,
  path: Path,
  input: { from: string | string[]; to: string | string[] },
): { from: Target; to: Target } {
  return { from: reader.target([...path, 'from'], input.from), to: reader.target([...path, 'to'], input.to) };
}

function readSides(reader: Reader, path: Path, sides: readonly (readonly string[])[]): readonly Target[] {
  // What came from outside may name one side; the others are those that it does not name.
  if (sides.length < 2) reader.source.mistakeAtPath(path, 'a partition has at least two sides: [[n1, n2], [n3]]');
  const seen = new Set<string>();
  sides.forEach((side, i) => {
    side.forEach((name, j) => {
      const at = [...path, i, j];
      reader.target(at, name);
      if (seen.has(name)) reader.source.mistakeAtPath(at, `${name} stands on two sides`);
      seen.add(name);
    });
  });
  return sides;
}
