import type { Path } from '../file/source.ts';
import { rowOf } from './table.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A step of a file as it stands there, and where. */
export interface PlainStep {
  readonly path: Path;
  readonly step: Fields;
}

/** All steps that a file has, in the order in which they are done first; what is no step among them the schema tells of. */
export function plainSteps(steps: unknown, path: Path = ['steps']): PlainStep[] {
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown, index) => {
    if (!isFields(step)) return [];
    const at = [...path, index];
    const key = Object.keys(step).find((each) => rowOf(each)?.inner) ?? '';
    const outer = step[key];
    return isFields(outer) && outer.steps !== undefined
      ? plainSteps(outer.steps, [...at, key, 'steps'])
      : [{ path: at, step }];
  });
}

function isFields(given: unknown): given is Fields {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
