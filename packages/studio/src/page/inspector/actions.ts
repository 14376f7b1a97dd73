import type { NewStep } from '../../core/edit/insertStep.ts';
import type { MemberAt } from '../../core/history/memberAt.ts';

/** Something that a click can do to the set. */
export interface Action {
  readonly label: string;
  readonly step: NewStep;
}

/** What can be done to a member as it is. */
export function actionsOn({ name, process, acceptsWrites, held }: MemberAt): readonly Action[] {
  if (process === 'paused') return [fault('go on', `resume: ${name}`), fault('kill', `kill: ${name}`)];
  if (process !== 'running') return [fault('start', `start: ${name}`)];
  return [
    fault('kill', `kill: ${name}`),
    fault('shut down', `shutdown: ${name}`),
    fault('pause', `pause: ${name}`),
    fault('clock + 1 min', `clock: { on: ${name}, jump: 1m }`),
    ...(acceptsWrites ? [step('step down', `stepDown: ${name}`)] : []),
    ...(acceptsWrites ? [step('insert', 'insert: { into: app.notes, documents: [{ text: clicked }] }')] : []),
    held.includes('fetch')
      ? fault('fetch again', `release: { on: ${name}, part: fetch }`)
      : fault('stop fetching', `hold: { on: ${name}, part: fetch }`),
  ];
}

/** What can be done to the link between two members. */
export function actionsBetween(one: string, other: string, isCut: boolean): readonly Action[] {
  if (isCut) return [fault('heal everything', 'heal: all')];
  return [
    fault('cut both ways', `cut: { from: ${one}, to: ${other} }`, `cut: { from: ${other}, to: ${one} }`),
    fault(`cut ${one} → ${other}`, `cut: { from: ${one}, to: ${other} }`),
    fault(`cut ${other} → ${one}`, `cut: { from: ${other}, to: ${one} }`),
    fault('200 ms each way', `link: { between: [${one}, ${other}], latencyMs: 200 }`),
  ];
}

function fault(label: string, ...texts: string[]): Action {
  return { label, step: { kind: 'fault', texts } };
}

function step(label: string, text: string): Action {
  return { label, step: { kind: 'step', texts: [text] } };
}
