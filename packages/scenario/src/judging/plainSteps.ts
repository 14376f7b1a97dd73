import type { Path } from '../file/source.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A step of a file as it stands there, and where. */
export interface PlainStep {
  readonly path: Path;
  readonly step: Fields;
}

/** All steps of a file that the schema has found right, in the order in which they are done first. */
export function plainSteps(steps: readonly Fields[], path: Path = ['steps']): PlainStep[] {
  return steps.flatMap((step, index) => {
    const at = [...path, index];
    const kind = step.repeat === undefined ? 'transaction' : 'repeat';
    const inner = (step[kind] as { readonly steps: readonly Fields[] } | undefined)?.steps;
    return inner ? plainSteps(inner, [...at, kind, 'steps']) : [{ path: at, step }];
  });
}
