import type { TraceEvent } from '@replsim/protocol';
import { reasonsWithFilters, toldOf } from '@replsim/scenario';
import { type CauseLink, Causes, type Reasons } from '@replsim/why';
import { EJSON } from 'bson';
import type { Question } from './player.ts';

/** Answers about a run that is over. @param events its trace, with causes */
export function answersOf(events: readonly TraceEvent[]): (question: Question) => readonly CauseLink[] {
  let causes: Causes | undefined;
  return (question) => {
    if (question.kind !== 'event') return reasonsAt(events, question);
    causes ??= causesOf(events);
    return causes.chain(question.turn) ?? [];
  };
}

/** Each as it stands at the instant that is asked about, with the last turn up to then. */
function reasonsAt(
  events: readonly TraceEvent[],
  question: Exclude<Question, { readonly kind: 'event' }>,
): readonly CauseLink[] {
  const { atMicros } = question;
  const reasons = reasonsWithFilters();
  let turn = 0;
  for (const event of events) {
    if (event.atMicros > atMicros) break;
    reasons.observe(event);
    if (event.type === 'turn' || event.type === 'clientTurn' || event.type === 'input') ({ turn } = event);
  }
  reasons.passed(atMicros);
  return sentences(reasons, question).map((text) => ({ turn, atMicros, text }));
}

function sentences(reasons: Reasons, question: Exclude<Question, { readonly kind: 'event' }>): readonly string[] {
  switch (question.kind) {
    case 'primary':
      return reasons.primary(question.member);
    case 'state':
      return reasons.state(question.member);
    case 'data':
      return reasons.data([question.member], question.ns);
    case 'write':
      return reasons.write();
    case 'operation':
      return reasons.operation(question.workload, question.turn);
    case 'vote':
      return reasons.vote(question.member);
    case 'monitor':
      return reasons.monitor(question.member);
    case 'document':
      return reasons.document(question.ns, [idOf(question.id)], question.member);
  }
}

/** @param id see `DataRow.id` */
function idOf(id: string): unknown {
  return EJSON.parse(id, { relaxed: false })._id;
}

function causesOf(events: readonly TraceEvent[]): Causes {
  const causes = new Causes(toldOf);
  for (const event of events) causes.observe(event);
  return causes;
}
