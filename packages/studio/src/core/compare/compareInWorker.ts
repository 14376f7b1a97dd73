import { type Hired, hire } from '../run/hire.ts';
import { programFor } from '../run/program.ts';
import type { ComparedRun, ComparerApi, Comparison } from './comparison.ts';

/** Compares two runs in a worker of its own, for somebody who waits for nothing else of it. */
export function compareInWorker(
  one: ComparedRun,
  other: ComparedRun,
): { readonly compared: Promise<Comparison | undefined>; readonly dismiss: () => void } {
  let isOver = false;
  let hired: Hired<ComparerApi> | undefined;
  const dismiss = () => {
    isOver = true;
    hired?.dismiss();
  };
  const compare = async () => {
    const program = await programFor(one.text, other.text);
    if (isOver) return undefined;
    hired = hire(program);
    return Promise.race([hired.remote.compare(one, other), hired.gone]);
  };
  return { compared: compare().finally(dismiss), dismiss };
}
