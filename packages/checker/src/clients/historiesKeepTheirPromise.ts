import type { Checker } from '../checker.ts';
import { ClientHistories } from './histories.ts';
import { judgeHistory } from './models.ts';

/**
 * What the clients of a workload were told is what MongoDB promises for the concerns with which they read and write. The history is
 * judged at the end of the run, from nothing but what clients saw. A history that is too long to judge breaks nothing here: a caller that
 * asks for a verdict (`judgeHistory`) is told that there is none.
 */
export function historiesKeepTheirPromise(): Checker {
  const histories = new ClientHistories();

  function judge(workload: string): string | undefined {
    const history = histories.of(workload);
    if (!history) return undefined;
    for (const model of histories.promised(workload)) {
      const verdict = judgeHistory(history, model);
      if (verdict.kind !== 'broken') continue;
      const [first] = verdict.anomalies;
      return `the history of ${workload} is not ${model}: ${first?.name}: ${first?.detail}`;
    }
    return undefined;
  }

  return {
    name: 'historiesKeepTheirPromise',
    events: ['workloadStarted', 'clientCalled', 'clientReturned', 'workloadEnded'],
    voidedBy: ['forcedReconfig', 'fewDataBearers', 'unjournaledMajority'],
    observe(event) {
      histories.observe(event);
      return event.type === 'workloadEnded' ? judge(event.workload) : undefined;
    },
  };
}
