import { required } from '@replsim/protocol';
import type { Path } from '../file/source.ts';
import type { WordJudge } from '../judging/judgeWords.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import type { Step } from '../scenario.ts';
import { readAt } from './outsideStep.ts';
import type { AnyStep, StepInput, Within } from './row.ts';
import { rowOf } from './table.ts';

/** Where a step stands, and which one it is. */
interface Place extends Within {
  readonly path: Path;
  /** From 1. */
  readonly index: number;
}

/** Reads one step that the schema has found right; undefined if it says nothing or two things. */
export function readStep(reader: Reader, place: Place, input: StepInput, judge: WordJudge): Step | undefined {
  const { source } = reader;
  const { path, index, isRepeated = false } = place;
  const { at } = input;
  const [key, second] = Object.keys(input).filter((key) => key !== 'at');
  if (key === undefined && at === undefined) {
    source.mistakeAtPath(path, 'this step is empty', 'for example "- advance: 10s"');
    return undefined;
  }
  if (second !== undefined) {
    source.mistakeAtKey(
      path,
      second,
      `a step does one thing, and this one has "${key}" already`,
      `begin a new step: "- ${second}: …"`,
    );
    return undefined;
  }
  const row = key === undefined ? undefined : required(rowOf(key), 'row of a step that the schema knows');
  if (isRepeated && !canBeRepeated(reader, path, at, key, row)) return undefined;
  const line = source.lineOf(path);
  if (key === undefined || row === undefined || at !== undefined) {
    const beside = key === undefined || row === undefined ? undefined : { key, row, input: input[key] };
    const action = readAt(reader, path, required(at, 'instant of this step'), beside);
    return { index, line, key: 'at', text: flowText(source, source.nodeAt(path)), action };
  }
  const given = inSession(row, input[key], place.session);
  judge.step([...path, key], key, given);
  const action = row.read(reader, [...path, key], given, (path, step, within) => {
    const inner = readStep(reader, { isRepeated, ...within, path, index }, step, judge);
    return inner ? [inner] : [];
  });
  return { index, line, key, text: row.text?.(given) ?? flowText(source, source.nodeAt(path)), action };
}

function canBeRepeated(
  { source }: Reader,
  path: Path,
  at: string | undefined,
  key: string | undefined,
  row: AnyStep | undefined,
): boolean {
  if (at !== undefined)
    source.mistakeAtKey(path, 'at', 'an instant comes only once', 'leave "at" out, or take the step out of "repeat"');
  else if (key !== undefined && row?.once)
    source.mistakeAtKey(
      path,
      key,
      `"${key}" is done once, and each turn would do it again`,
      'do it before the "repeat"',
    );
  else return true;
  return false;
}

/** A step in a transaction that names no session is sent in its. */
function inSession(row: AnyStep, input: unknown, session: string | undefined): unknown {
  return row.takesSession && session !== undefined ? { session, ...(input as object) } : input;
}
